//! The page index of a closed crawl: what is known of its pages in a few documents, so that all are looked over without
//! reading, and being billed for, each record.

pub(crate) mod last_scan;

use std::cmp::Reverse;
use std::collections::HashSet;

use recrawl_core::model::crawl::{Closed, Crawl};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageSummary;
use recrawl_core::ports::StoreError;

use crate::client::{BATCH, Query, replace};
use crate::documents::{
    self, CrawlDocument, CrawlOrder, PageDocument, PageIndexDocument, SUMMARY_FIELDS, unreadable,
};
use crate::paths::id;
use crate::store::FirestoreStore;

impl FirestoreStore {
    /// Writes the page index of a crawl with this many pages; returns how many documents it takes.
    ///
    /// An audit has just read all records, so what they say is at hand; if not, they are read again.
    pub(crate) async fn write_page_index(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        total: u64,
    ) -> Result<usize, StoreError> {
        let page_summaries = match self.last_scan.take(site, crawl, total) {
            Some(page_summaries) => page_summaries,
            None => self.scan_page_summaries(site, crawl).await?,
        };
        let rolls = PageIndexDocument::of(&page_summaries);
        for (number, page_index) in rolls.iter().enumerate() {
            let document = documents::write(self.paths.page_index(site, crawl, number), page_index)?;
            self.client.commit(vec![replace(document)]).await?;
        }
        Ok(rolls.len())
    }

    /// Returns what the page index of a closed crawl says of its pages; `None` where it has their addresses alone.
    pub(crate) async fn summaries_in_index(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        count: usize,
    ) -> Result<Option<Vec<PageSummary>>, StoreError> {
        let mut all = Vec::new();
        for page_index in self.read_page_index(site, crawl, count).await? {
            match page_index.page_summaries()? {
                Some(page_summaries) => all.extend(page_summaries),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    async fn read_page_index(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        count: usize,
    ) -> Result<Vec<PageIndexDocument>, StoreError> {
        let names: Vec<String> =
            (0..count).map(|number| self.paths.page_index(site, crawl, number)).collect();
        let found = self.client.get_all(names.clone(), &[]).await?;
        let part = |name| found.get(name).ok_or_else(|| unreadable("a part of a roll is missing"));
        names.iter().map(|name| documents::read(part(name)?)).collect()
    }

    /// Calls `each` with what is known of every page, from the newest crawl back to the last whole one.
    ///
    /// A read a crawl and a page index; crawls without a page index are read record by record.
    pub(crate) async fn read_page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        let mut seen: HashSet<u128> = HashSet::new();
        for (crawl, rolls) in self.trusted_before(site, before).await? {
            let from_roll = match rolls {
                Some(count) => self.summaries_in_index(site, crawl.id, count).await?,
                None => None,
            };
            let page_summaries = match from_roll {
                Some(page_summaries) => page_summaries,
                None => self.scan_page_summaries(site, crawl.id).await?,
            };
            for page_summary in page_summaries {
                if seen.insert(page_summary.url.fingerprint()) {
                    each(page_summary);
                }
            }
            if crawl.closed.as_ref().is_some_and(Closed::is_whole) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the crawls before `before` that are trusted, newest first, each with the number of its rolls.
    async fn trusted_before(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
    ) -> Result<Vec<(Crawl, Option<usize>)>, StoreError> {
        let mut crawls = Vec::new();
        for document in self.client.query(&self.paths.base(site), Query::of("crawls")).await? {
            let stored: CrawlDocument = documents::read(&document)?;
            let (rolls, number) = (stored.rolls, stored.number);
            let crawl = stored.into_crawl(id(&document.name))?;
            crawls.push((CrawlOrder::new(number, crawl.id), crawl, rolls));
        }
        let bound = crawls.iter().find(|(_, crawl, _)| before == Some(crawl.id)).map(|(turn, _, _)| *turn);
        crawls.retain(|(turn, crawl, _)| crawl.is_trusted() && bound.is_none_or(|bound| *turn < bound));
        crawls.sort_by_key(|(turn, _, _)| Reverse(*turn));
        Ok(crawls.into_iter().map(|(_, crawl, rolls)| (crawl, rolls)).collect())
    }

    /// Reads what is known of the pages of a crawl from their records.
    pub(crate) async fn scan_page_summaries(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Vec<PageSummary>, StoreError> {
        let mut page_summaries: Vec<PageSummary> = Vec::new();
        loop {
            let query = Query::of(crawl.to_string()).fields(&SUMMARY_FIELDS);
            let last = page_summaries.last().map(|page_summary| &page_summary.url);
            let batch = self.page_through(site, crawl, query, last, BATCH).await?;
            for document in &batch {
                page_summaries.push(PageDocument::read_summary(document)?);
            }
            if batch.len() < BATCH {
                return Ok(page_summaries);
            }
        }
    }
}
