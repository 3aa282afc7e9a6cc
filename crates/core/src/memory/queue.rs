//! Frontier, announcements and archive requests in memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;

use super::{MemoryStore, State, key, lock};
use crate::model::ids::{CrawlId, SiteId};
use crate::ports::{
    Announcement, Announcer, ArchiveQueue, ArchiveRequest, Frontier, NotFoundAnswer, PullFrontier,
    QueueError, QueuedPage, SoftErrorProbe, StoreError,
};
use crate::url::PageUrl;

/// The waiting pages of one crawl, numbered in the order in which they were queued.
#[derive(Debug, Default)]
pub(super) struct Queue {
    last_number: u64,
    numbers: HashMap<PageUrl, u64>,
    waiting: BTreeMap<u64, QueuedPage>,
}

impl Queue {
    fn push(&mut self, page: &QueuedPage) {
        if !self.numbers.contains_key(&page.url) {
            self.last_number += 1;
            self.numbers.insert(page.url.clone(), self.last_number);
            self.waiting.insert(self.last_number, page.clone());
        }
    }

    pub(super) fn remove(&mut self, url: &PageUrl) {
        if let Some(number) = self.numbers.remove(url) {
            self.waiting.remove(&number);
        }
    }
}

impl State {
    fn expect_queue(&self, site: &SiteId, crawl: CrawlId) -> Result<(), QueueError> {
        self.expect_crawl(site, crawl).map_err(|absent: StoreError| QueueError::Refused(Box::new(absent)))
    }
}

#[async_trait]
impl Frontier for MemoryStore {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        let mut state = self.locked();
        for page in pages {
            state.expect_queue(&page.site, page.crawl)?;
        }
        for page in pages {
            if !state.records.contains_key(&key(&page.site, page.crawl, &page.url)) {
                state.queues.entry((page.site.clone(), page.crawl)).or_default().push(page);
            }
        }
        Ok(())
    }
}

#[async_trait]
impl PullFrontier for MemoryStore {
    async fn take(&self, site: &SiteId, crawl: CrawlId, limit: usize) -> Result<Vec<QueuedPage>, QueueError> {
        let queue_key = (site.clone(), crawl);
        let mut handed_out = lock(&self.handed_out);
        let state = self.locked();
        let Some(queue) = state.queues.get(&queue_key) else {
            return Ok(Vec::new());
        };
        let handed_out = handed_out.entry(queue_key).or_default();
        let mut waiting: Vec<(&u64, &QueuedPage)> =
            queue.waiting.iter().filter(|(number, _)| !handed_out.contains(number)).collect();
        waiting.sort_by_key(|(number, page)| (Reverse(page.priority), **number));
        waiting.truncate(limit);
        handed_out.extend(waiting.iter().map(|(number, _)| **number));
        Ok(waiting.into_iter().map(|(_, page)| page.clone()).collect())
    }

    async fn waiting(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, QueueError> {
        let state = self.locked();
        Ok(state.queues.get(&(site.clone(), crawl)).map_or(0, |queue| queue.waiting.len() as u64))
    }

    async fn waiting_pages(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<PageUrl>, QueueError> {
        let state = self.locked();
        let queue = state.queues.get(&(site.clone(), crawl));
        Ok(queue.into_iter().flat_map(|queue| queue.waiting.values()).map(|page| page.url.clone()).collect())
    }
}

#[async_trait]
impl Announcer for MemoryStore {
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError> {
        let mut state = self.locked();
        for told in announcements {
            state.expect_queue(&told.site, told.crawl)?;
            let is_same = |other: &Announcement| other.id == told.id && other.site == told.site;
            if !state.announcements.iter().any(is_same) {
                state.announcements.push(told.clone());
            }
        }
        Ok(())
    }
}

/// Every host is honest here.
#[async_trait]
impl SoftErrorProbe for MemoryStore {
    async fn absence(&self, _: &PageUrl) -> NotFoundAnswer {
        NotFoundAnswer::Honest
    }
}

#[async_trait]
impl ArchiveQueue for MemoryStore {
    async fn request(&self, requests: &[ArchiveRequest]) -> Result<(), QueueError> {
        let mut state = self.locked();
        for request in requests {
            state.expect_queue(&request.site, request.crawl)?;
            let is_same = |other: &ArchiveRequest| other.id == request.id && other.site == request.site;
            if !state.archive_requests.iter().any(is_same) {
                state.archive_requests.push(request.clone());
            }
        }
        Ok(())
    }
}
