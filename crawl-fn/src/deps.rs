//! Everything outside that the service uses.

use std::sync::Arc;

use async_trait::async_trait;
use recrawl_archive::ArchiveWorker;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{
    Announcer, ArchiveQueue, DocumentReader, Frontier, QueueError, StoreError, Stumbles, Summaries,
};
use recrawl_engine::CloudStore;
use recrawl_queue_pubsub::message::Delivery;

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
    pub dead_letters: Arc<dyn DeadLetters>,
    pub meter: Arc<dyn UsageMeter>,
    /// Carries out archive requests; `None` where nothing is archived.
    pub archive_worker: Option<Arc<ArchiveWorker>>,
    /// Reads bodies; `None` where the reader of HTML does, by the rules of the configuration.
    pub extractor: Option<Arc<dyn Extractor>>,
    /// Reads the bytes of documents.
    pub documents: Arc<dyn DocumentReader>,
}

/// Keeps messages that nobody can do anything with, for a person to look at.
#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Keeps a message, and why it is kept. One that is delivered twice may be kept twice.
    async fn bury(&self, message: &Delivery, reason: &str) -> Result<(), QueueError>;
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
