//! Everything outside that the service uses.

use std::sync::Arc;

use async_trait::async_trait;
use recrawl_archive::ArchiveWorker;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Announcer, ArchiveQueue, Frontier, StoreError, Stumbles, Summaries};
use recrawl_engine::CloudStore;

/// Everything outside that the service uses.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Deps {
    pub store: Arc<dyn CloudStore>,
    pub frontier: Arc<dyn Frontier>,
    pub announcer: Arc<dyn Announcer>,
    pub archive_queue: Arc<dyn ArchiveQueue>,
    pub summaries: Arc<dyn Summaries>,
    pub stumbles: Arc<dyn Stumbles>,
    pub meter: Arc<dyn UsageMeter>,
    /// Carries out archive requests; `None` where nothing is archived.
    pub archive_worker: Option<Arc<ArchiveWorker>>,
    /// Reads bodies; `None` where the reader of HTML does, by the rules of the configuration.
    pub extractor: Option<Arc<dyn Extractor>>,
}

/// Counts the operations that a provider bills.
#[async_trait]
pub trait UsageMeter: Send + Sync {
    /// Returns what this process has used since it started.
    fn counted(&self) -> Operations;

    /// Adds to what `instance` has used for a crawl.
    async fn save(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        instance: &str,
        used: Operations,
    ) -> Result<(), StoreError>;
}
