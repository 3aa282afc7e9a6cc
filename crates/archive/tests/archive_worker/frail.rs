//! A store that fails at one save: before it wrote, or after.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::model::record::{ContentRef, PageRecord, PageState, PageSummary};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{ArchiveStore, Choice, Recorded, Store, StoreError};
use recrawl_core::url::PageUrl;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Fails {
    BeforeWriting,
    AfterWriting,
}

pub(crate) struct Frail {
    inner: Arc<MemoryStore>,
    fails: Fails,
    at: u32,
    saves: AtomicU32,
}

impl Frail {
    pub(crate) fn new(inner: Arc<MemoryStore>, fails: Fails, at: u32) -> Self {
        Self { inner, fails, at, saves: AtomicU32::new(0) }
    }
}

#[async_trait]
impl ArchiveStore for Frail {
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError> {
        let failing = self.saves.fetch_add(1, Ordering::Relaxed) == self.at;
        if failing && matches!(self.fails, Fails::BeforeWriting) {
            return Err(StoreError::Unavailable("on purpose".into()));
        }
        self.inner.save_archive(site, crawl, url, archive).await?;
        if failing { Err(StoreError::Unavailable("on purpose".into())) } else { Ok(()) }
    }

    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.inner.unarchived(site, crawl, now, limit).await
    }
}

#[async_trait]
impl Store for Frail {
    async fn save_site(&self, site: &Site) -> Result<(), StoreError> {
        self.inner.save_site(site).await
    }

    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError> {
        self.inner.site(id).await
    }

    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        self.inner.open_crawl(crawl).await
    }

    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        self.inner.close_crawl(site, crawl, closed).await
    }

    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError> {
        self.inner.accept_crawl(site, crawl, at).await
    }

    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        self.inner.crawls(site).await
    }

    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        self.inner.crawl_under_way(site).await
    }

    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        self.inner.record(record, content).await
    }

    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        self.inner.lower_depth(site, crawl, pages, depth).await
    }

    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        self.inner.page(site, crawl, url).await
    }

    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        self.inner.latest_before(site, crawl, url).await
    }

    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError> {
        self.inner.page_state_before(site, crawl, url).await
    }

    async fn links(&self, content: &ContentHash) -> Result<Option<Vec<PageUrl>>, StoreError> {
        self.inner.links(content).await
    }

    async fn links_where(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        content: &ContentHash,
        wanted: &Choice<'_>,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        self.inner.links_where(site, crawl, content, wanted).await
    }

    async fn links_of(&self, contents: &[ContentHash]) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        self.inner.links_of(contents).await
    }

    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.inner.records(site, crawl, verdicts, after, limit).await
    }

    async fn pages(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageUrl>, StoreError> {
        self.inner.pages(site, crawl, after, limit).await
    }

    async fn records_where(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        wanted: &Choice<'_>,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.inner.records_where(site, crawl, wanted).await
    }

    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        self.inner.page_summaries(site, before, each).await
    }

    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError> {
        self.inner.last_visit(site, crawl).await
    }

    async fn text(&self, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        self.inner.text(semantic).await
    }

    async fn body(&self, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.body(content).await
    }
}
