//! What is known of the pages of a site, in brief.

use std::cmp::Reverse;
use std::collections::HashSet;

use firestore::gcloud_sdk::google::firestore::v1::Document;
use recrawl_core::model::crawl::{Closed, Crawl};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageSummary;
use recrawl_core::ports::StoreError;

use super::FirestoreStore;
use crate::client::{BATCH, Query};
use crate::paths::id;
use crate::shape::{self, CrawlDocument, CrawlOrder, SightingDocument};

impl FirestoreStore {
    /// Calls `each` with what is known of every page, from the newest crawl back to the last whole one.
    ///
    /// A read a crawl and a page index; crawls without a page index are read record by record.
    pub(super) async fn see(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        let mut seen: HashSet<u128> = HashSet::new();
        for (crawl, rolls) in self.trusted_before(site, before).await? {
            let from_roll = match rolls {
                Some(count) => self.sightings_of_roll(site, crawl.id, count).await?,
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
            let stored: CrawlDocument = shape::read(&document)?;
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
    pub(super) async fn scan_page_summaries(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Vec<PageSummary>, StoreError> {
        let sighting_of =
            |document: &Document| shape::read::<SightingDocument>(document)?.into_page_summary();
        let mut page_summaries: Vec<PageSummary> = Vec::new();
        loop {
            let query = Query::of(crawl.to_string()).fields(&SightingDocument::FIELDS);
            let last = page_summaries.last().map(|page_summary| &page_summary.url);
            let batch = self.page_through(site, crawl, query, last, BATCH).await?;
            for document in &batch {
                page_summaries.push(sighting_of(document)?);
            }
            if batch.len() < BATCH {
                return Ok(page_summaries);
            }
        }
    }
}
