//! A store that notes every call, and can fail at one of them.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Crawl, Operations, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::model::record::{ContentRef, PageRecord, PageState, PageSummary};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{
    Announcement, Announcer, ArchiveQueue, ArchiveRequest, ArchiveStore, Choice, Deletion, Frontier, History,
    Memo, MemoIndex, Memos, QueueError, QueuedPage, Recorded, Retention, Store, StoreError, Summaries,
};
use recrawl_core::url::PageUrl;

/// When the failing call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing of it is done.
    Before,
    /// It is done, and the caller is not told.
    After,
}

/// A memory store that notes every call, and can fail at one of them.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) inner: MemoryStore,
    calls: Mutex<Vec<&'static str>>,
    fails_at: Mutex<Option<(usize, Failure)>>,
    summaries: Mutex<Vec<(CrawlId, Closed)>>,
}

impl Watched {
    /// Returns the calls since the last time this was asked.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// Tells whether there was a call of this name since [`Watched::calls`] was asked.
    pub(crate) fn was_called(&self, name: &str) -> bool {
        self.calls.lock().unwrap().contains(&name)
    }

    /// Makes the call of this number fail, counted from 0 and from now.
    pub(crate) fn fail_at(&self, number: usize, failure: Failure) {
        self.calls();
        *self.fails_at.lock().unwrap() = Some((number, failure));
    }

    /// Lets calls succeed again; tells whether one had failed.
    pub(crate) fn heal(&self) -> bool {
        self.fails_at.lock().unwrap().take().is_some_and(|(number, _)| number < self.calls().len())
    }

    /// Returns the summaries told, doubles included.
    pub(crate) fn summaries(&self) -> Vec<(CrawlId, Closed)> {
        self.summaries.lock().unwrap().clone()
    }

    async fn pass<T, E>(
        &self,
        name: &'static str,
        error: impl FnOnce() -> E,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let number = {
            let mut calls = self.calls.lock().unwrap();
            calls.push(name);
            calls.len() - 1
        };
        // Others may run between any two calls.
        tokio::task::yield_now().await;
        let failure =
            self.fails_at.lock().unwrap().filter(|(at, _)| *at == number).map(|(_, failure)| failure);
        match failure {
            None => call.await,
            Some(Failure::Before) => Err(error()),
            Some(Failure::After) => call.await.and_then(|_| Err(error())),
        }
    }
}

fn store_error() -> StoreError {
    StoreError::Unavailable("planted".into())
}

fn queue_error() -> QueueError {
    QueueError::Unavailable("planted".into())
}

macro_rules! watched {
    ($self:ident.$name:ident($($argument:expr),*)) => {
        $self.pass(stringify!($name), store_error, $self.inner.$name($($argument),*)).await
    };
}

#[async_trait]
impl Store for Watched {
    async fn save_site(&self, site: &Site) -> Result<(), StoreError> {
        watched!(self.save_site(site))
    }
    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError> {
        watched!(self.site(id))
    }
    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        watched!(self.open_crawl(crawl))
    }
    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        watched!(self.close_crawl(site, crawl, closed))
    }
    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError> {
        watched!(self.accept_crawl(site, crawl, at))
    }
    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        watched!(self.crawls(site))
    }
    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        watched!(self.crawl_under_way(site))
    }
    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        watched!(self.record(record, content))
    }
    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        watched!(self.lower_depth(site, crawl, pages, depth))
    }
    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        watched!(self.page(site, crawl, url))
    }
    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        watched!(self.latest_before(site, crawl, url))
    }
    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError> {
        watched!(self.page_state_before(site, crawl, url))
    }
    async fn links(&self, content: &ContentHash) -> Result<Option<Vec<PageUrl>>, StoreError> {
        watched!(self.links(content))
    }
    async fn links_where(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        content: &ContentHash,
        wanted: &Choice<'_>,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        watched!(self.links_where(site, crawl, content, wanted))
    }
    async fn links_of(&self, contents: &[ContentHash]) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        watched!(self.links_of(contents))
    }
    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        watched!(self.records(site, crawl, verdicts, after, limit))
    }
    async fn pages(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageUrl>, StoreError> {
        watched!(self.pages(site, crawl, after, limit))
    }
    async fn records_where(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        wanted: &Choice<'_>,
    ) -> Result<Vec<PageRecord>, StoreError> {
        watched!(self.records_where(site, crawl, wanted))
    }
    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        watched!(self.page_summaries(site, before, each))
    }
    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError> {
        watched!(self.last_visit(site, crawl))
    }
    async fn text(&self, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        watched!(self.text(semantic))
    }
    async fn body(&self, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        watched!(self.body(content))
    }
}

#[async_trait]
impl History for Watched {
    async fn sites(&self) -> Result<Vec<Site>, StoreError> {
        watched!(self.sites())
    }
    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError> {
        watched!(self.visits(site, url))
    }
    async fn content(&self, hash: &ContentHash) -> Result<Option<Content>, StoreError> {
        watched!(self.content(hash))
    }
    async fn titles(&self, contents: &[ContentHash]) -> Result<HashMap<ContentHash, String>, StoreError> {
        watched!(self.titles(contents))
    }
    async fn operations(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Operations>, StoreError> {
        watched!(self.operations(site, crawl))
    }
}

#[async_trait]
impl ArchiveStore for Watched {
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError> {
        watched!(self.save_archive(site, crawl, url, archive))
    }
    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        watched!(self.unarchived(site, crawl, now, limit))
    }
}

#[async_trait]
impl Retention for Watched {
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError> {
        watched!(self.delete_crawl(site, crawl, limit))
    }
    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
    ) -> Result<Deletion, StoreError> {
        watched!(self.delete_records(site, crawl, pages))
    }
    async fn size(&self) -> Result<Option<u64>, StoreError> {
        watched!(self.size())
    }
    async fn reclaim(&self) -> Result<(), StoreError> {
        watched!(self.reclaim())
    }
}

#[async_trait]
impl Memos for Watched {
    async fn memo(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        watched!(self.memo(key))
    }
    async fn save_memo(&self, key: &str, memo: &Memo) -> Result<(), StoreError> {
        watched!(self.save_memo(key, memo))
    }
}

#[async_trait]
impl MemoIndex for Watched {
    async fn memos_with_prefix(&self, prefix: &str) -> Result<Vec<(String, Memo)>, StoreError> {
        watched!(self.memos_with_prefix(prefix))
    }
    async fn delete_memo(&self, key: &str) -> Result<(), StoreError> {
        watched!(self.delete_memo(key))
    }
}

#[async_trait]
impl Frontier for Watched {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        self.pass("queue", queue_error, self.inner.queue(pages)).await
    }
}

#[async_trait]
impl Announcer for Watched {
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError> {
        self.pass("announce", queue_error, self.inner.announce(announcements)).await
    }

    async fn announce_recorded(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        kinds: &[Verdict],
    ) -> Result<Option<u64>, QueueError> {
        self.pass("announce_recorded", queue_error, self.inner.announce_recorded(site, crawl, kinds)).await
    }
}

#[async_trait]
impl ArchiveQueue for Watched {
    async fn request(&self, request: &ArchiveRequest) -> Result<(), QueueError> {
        self.pass("request", queue_error, self.inner.request(request)).await
    }
}

#[async_trait]
impl Summaries for Watched {
    async fn summarise(&self, _: &Site, crawl: CrawlId, closed: &Closed) -> Result<(), QueueError> {
        let told = async {
            self.summaries.lock().unwrap().push((crawl, closed.clone()));
            Ok(())
        };
        self.pass("summarise", queue_error, told).await
    }
}
