//! Sites, crawls and records in memory.

use std::collections::HashSet;
use std::ops::Bound;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{MemoryStore, State, key};
use crate::decide::opened_before;
use crate::model::content::Content;
use crate::model::crawl::{Closed, Crawl, Site, Suspicion};
use crate::model::ids::{CrawlId, SiteId};
use crate::model::record::{PageRecord, PageState, PageSummary};
use crate::model::shared_change::SharedChange;
use crate::model::statistics::Statistics;
use crate::model::verdict::Verdict;
use crate::ports::{Recorded, Store, StoreError};
use crate::url::PageUrl;

impl State {
    /// Returns the trusted crawls of a site before `before`, or all of them, newest first.
    pub(super) fn trusted_before(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
    ) -> impl Iterator<Item = CrawlId> + use<> {
        let crawls = self.crawls_of(site);
        let earlier = before.map_or(&crawls[..], |before| opened_before(&crawls, before));
        let trusted = earlier.iter().rev().filter(|crawl| crawl.is_trusted());
        trusted.map(|crawl| crawl.id).collect::<Vec<_>>().into_iter()
    }

    fn crawls_of(&self, site: &SiteId) -> Vec<Crawl> {
        self.crawls.iter().filter(|crawl| crawl.site == *site).cloned().collect()
    }

    fn suspicion_of(&mut self, site: &SiteId, crawl: CrawlId) -> Result<&mut Suspicion, StoreError> {
        let closed = self.crawl_mut(site, crawl).and_then(|crawl| crawl.closed.as_mut());
        let suspicion = closed.and_then(|closed| closed.suspicion.as_mut());
        suspicion.ok_or_else(|| StoreError::Absent(format!("unusual {crawl} of site {site}")))
    }

    pub(super) fn of_crawl(&self, site: &SiteId, crawl: CrawlId) -> impl Iterator<Item = &PageRecord> {
        self.records.values().filter(move |record| record.site == *site && record.crawl == crawl)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn save_site(&self, site: &Site) -> Result<(), StoreError> {
        self.locked().sites.insert(site.id.clone(), site.clone());
        Ok(())
    }

    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError> {
        Ok(self.locked().sites.get(id).cloned())
    }

    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        let mut state = self.locked();
        state.expect_site(&crawl.site)?;
        if state.crawl(&crawl.site, crawl.id).is_some() {
            return Ok(Recorded::Already);
        }
        state.crawls.push(crawl.clone());
        Ok(Recorded::First)
    }

    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        let mut state = self.locked();
        state.expect_crawl(site, crawl)?;
        if let Some(crawl) = state.crawl_mut(site, crawl) {
            crawl.closed.get_or_insert_with(|| closed.clone());
        }
        Ok(())
    }

    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError> {
        self.locked().suspicion_of(site, crawl)?.accepted_at.get_or_insert(at);
        Ok(())
    }

    async fn judge_crawl_again(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        reason: &str,
        statistics: &Statistics,
    ) -> Result<(), StoreError> {
        let mut state = self.locked();
        let suspicion = state.suspicion_of(site, crawl)?;
        if suspicion.accepted_at.is_some() {
            return Ok(());
        }
        reason.clone_into(&mut suspicion.reason);
        if let Some(closed) = state.crawl_mut(site, crawl).and_then(|crawl| crawl.closed.as_mut()) {
            closed.statistics = statistics.clone();
        }
        Ok(())
    }

    async fn confirm_crawl(&self, site: &SiteId, crawl: CrawlId, by: CrawlId) -> Result<(), StoreError> {
        self.locked().suspicion_of(site, crawl)?.confirmed_by.get_or_insert(by);
        Ok(())
    }

    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        Ok(self.locked().crawls_of(site))
    }

    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        let state = self.locked();
        let mut newest_first = state.crawls.iter().rev();
        Ok(newest_first.find(|crawl| crawl.site == *site && crawl.is_open()).cloned())
    }

    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        let mut state = self.locked();
        state.expect_crawl(&record.site, record.crawl)?;
        let key = key(&record.site, record.crawl, &record.url);
        if state.records.contains_key(&key) {
            return Ok(Recorded::Already);
        }
        if let Some(content) = content {
            state.store_content(content);
        }
        state.records.insert(key, record.clone());
        if let Some(queue) = state.queues.get_mut(&(record.site.clone(), record.crawl)) {
            queue.remove(&record.url);
        }
        Ok(Recorded::First)
    }

    async fn settle(&self, site: &SiteId, crawl: CrawlId, records: &[PageRecord]) -> Result<(), StoreError> {
        let mut state = self.locked();
        for PageRecord { url, visit, known, archive, .. } in records {
            if let Some(record) = state.records.get_mut(&key(site, crawl, url)) {
                record.visit = visit.clone();
                record.known = known.clone();
                record.archive.clone_from(archive);
            }
        }
        Ok(())
    }

    async fn save_shared_changes(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        changes: &[SharedChange],
    ) -> Result<(), StoreError> {
        let mut state = self.locked();
        state.expect_crawl(site, crawl)?;
        state.shared_changes.insert((site.clone(), crawl), changes.to_vec());
        Ok(())
    }

    async fn shared_changes(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<SharedChange>, StoreError> {
        Ok(self.locked().shared_changes.get(&(site.clone(), crawl)).cloned().unwrap_or_default())
    }

    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        let mut state = self.locked();
        for page in pages {
            if let Some(record) = state.records.get_mut(&key(site, crawl, page)) {
                record.found.depth = record.found.depth.min(depth);
            }
        }
        Ok(())
    }

    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        Ok(self.locked().records.get(&key(site, crawl, url)).cloned())
    }

    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        let state = self.locked();
        let mut records =
            state.trusted_before(site, Some(crawl)).filter_map(|id| state.records.get(&key(site, id, url)));
        Ok(records.next().cloned())
    }

    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError> {
        Ok(self.latest_before(site, crawl, url).await?.map(|record| record.known))
    }

    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.locked();
        let of_crawl = |record: &&PageRecord| record.site == *site && record.crawl == crawl;
        let wanted = |record: &&PageRecord| verdicts.is_empty() || verdicts.contains(&record.visit.verdict);
        let records: Vec<PageRecord> = match after {
            Some(url) => {
                let last = key(site, crawl, url);
                let rest =
                    state.records.range((Bound::Excluded(last), Bound::Unbounded)).map(|(_, record)| record);
                rest.take_while(of_crawl).filter(wanted).take(limit).cloned().collect()
            }
            None => state.records.values().filter(of_crawl).filter(wanted).take(limit).cloned().collect(),
        };
        Ok(records)
    }

    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        let state = self.locked();
        let mut seen = HashSet::new();
        for crawl in state.trusted_before(site, before) {
            for record in state.of_crawl(site, crawl).filter(|record| seen.insert(&record.url)) {
                each(PageSummary::from(record));
            }
            let stored = state.crawl(site, crawl).and_then(|crawl| crawl.closed.as_ref());
            if stored.is_some_and(Closed::is_whole) {
                break;
            }
        }
        Ok(())
    }
}
