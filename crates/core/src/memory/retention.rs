//! Archiving and retention in memory.

use async_trait::async_trait;
use jiff::Timestamp;

use super::{MemoryStore, State, key};
use crate::model::archive::Archive;
use crate::model::crawl::Site;
use crate::model::ids::{CrawlId, SiteId};
use crate::model::record::{ContentRef, PageRecord};
use crate::ports::{ArchiveStore, Deletion, Recorded, Retention, StateKey, StoreError};
use crate::url::PageUrl;

impl State {
    /// Tells whether there is a crawl whose records may be deleted; an open one is refused.
    fn expect_deletable(&self, site: &SiteId, crawl: CrawlId) -> Result<bool, StoreError> {
        match self.crawl(site, crawl) {
            None => Ok(false),
            Some(stored) if stored.is_open() => {
                Err(StoreError::Absent(format!("closed {crawl} of site {site}")))
            }
            Some(_) => Ok(true),
        }
    }

    /// Removes a record and its content, if no other record names that; returns how many of the two there were.
    fn delete_record(&mut self, site: &SiteId, crawl: CrawlId, url: &PageUrl) -> u64 {
        let Some(removed) = self.records.remove(&key(site, crawl, url)) else {
            return 0;
        };
        let content = removed.known.content;
        1 + u64::from(content.is_some_and(|content| self.drop_unnamed(&content)))
    }

    fn rename(&mut self, site: &SiteId, to: &SiteId) {
        let named = |of: SiteId| if of == *site { to.clone() } else { of };
        if let Some(stored) = self.sites.remove(site) {
            self.sites.insert(to.clone(), Site { id: to.clone(), ..stored });
        }
        if let Some(plan) = self.plans.remove(site) {
            self.plans.insert(to.clone(), plan);
        }
        for crawl in self.crawls.iter_mut().filter(|crawl| crawl.site == *site) {
            crawl.site = to.clone();
        }
        let records = std::mem::take(&mut self.records).into_iter();
        self.records = records
            .map(|((of, crawl, url), record)| {
                let record = PageRecord { site: named(record.site), ..record };
                ((named(of), crawl, url), record)
            })
            .collect();
        let shared = std::mem::take(&mut self.shared_changes).into_iter();
        self.shared_changes = shared.map(|((of, crawl), changes)| ((named(of), crawl), changes)).collect();
        let stumbles = std::mem::take(&mut self.stumbles).into_iter();
        self.stumbles = stumbles
            .map(|((of, crawl, url), mut stumbled)| {
                stumbled.kept.stumble.site = named(stumbled.kept.stumble.site);
                ((named(of), crawl, url), stumbled)
            })
            .collect();
        for announcement in &mut self.announcements {
            announcement.site = named(announcement.site.clone());
        }
        for request in &mut self.archive_requests {
            request.site = named(request.site.clone());
        }
    }

    /// Removes a content that no record names any more; tells whether it did.
    fn drop_unnamed(&mut self, content: &ContentRef) -> bool {
        let mut named = self.records.values().filter_map(|record| record.known.content.as_ref());
        let is_named = named.any(|other| other.hash == content.hash);
        !is_named && self.contents.remove(&content.hash).is_some()
    }
}

#[async_trait]
impl ArchiveStore for MemoryStore {
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError> {
        let mut state = self.locked();
        let record = state.records.get_mut(&key(site, crawl, url));
        let record = record.ok_or_else(|| StoreError::Absent(format!("record of {url} in {crawl}")))?;
        record.archive = Some(archive.clone());
        Ok(())
    }

    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.locked();
        let is_due =
            |record: &&PageRecord| record.archive.as_ref().is_some_and(|archive| archive.is_due(now));
        let mut due: Vec<PageRecord> = state.of_crawl(site, crawl).filter(is_due).cloned().collect();
        due.sort_by_key(|record| record.archive.as_ref().map(|archive| archive.requested_at));
        due.truncate(limit);
        Ok(due)
    }
}

#[async_trait]
impl Retention for MemoryStore {
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError> {
        let mut state = self.locked();
        if !state.expect_deletable(site, crawl)? {
            return Ok(Deletion { deleted: 0, finished: true });
        }
        let pages: Vec<PageUrl> = state.of_crawl(site, crawl).map(|record| record.url.clone()).collect();
        let mut deletion = Deletion::default();
        for url in &pages {
            if deletion.deleted >= limit {
                return Ok(deletion);
            }
            deletion.deleted += state.delete_record(site, crawl, url);
        }
        state.stumbles.retain(|(of, at, _), _| (of, *at) != (site, crawl));
        state.shared_changes.remove(&(site.clone(), crawl));
        state.entries.remove(StateKey::review(site, crawl).as_str());
        state.crawls.retain(|other| other.site != *site || other.id != crawl);
        deletion.finished = true;
        Ok(deletion)
    }

    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
    ) -> Result<Deletion, StoreError> {
        let mut state = self.locked();
        let deletable = state.expect_deletable(site, crawl)?;
        let pages = if deletable { pages } else { &[] };
        let deleted = pages.iter().map(|url| state.delete_record(site, crawl, url)).sum();
        Ok(Deletion { deleted, finished: true })
    }

    async fn forget_site(&self, site: &SiteId) -> Result<(), StoreError> {
        let mut state = self.locked();
        if !state.crawls.iter().any(|crawl| crawl.site == *site) {
            state.sites.remove(site);
            state.plans.remove(site);
        }
        Ok(())
    }

    async fn rename_site(&self, site: &SiteId, to: &SiteId) -> Result<Recorded, StoreError> {
        let mut state = self.locked();
        state.expect_site(site)?;
        if state.crawls.iter().any(|crawl| crawl.site == *site && crawl.is_open()) {
            return Err(StoreError::Absent(format!("site {site} without an open crawl")));
        }
        if state.sites.contains_key(to) {
            return Ok(Recorded::Already);
        }
        state.rename(site, to);
        Ok(Recorded::First)
    }

    async fn size(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    async fn reclaim(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
