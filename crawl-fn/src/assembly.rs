//! Puts the real outside together: Firestore, Pub/Sub and the Wayback Machine.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use recrawl_archive::{ArchiveWorker, SavePageNow, SavePageNowSettings};
use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{DocumentReader, QueueError, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_engine::CloudStore;
use recrawl_queue_pubsub::message::Delivery;
use recrawl_queue_pubsub::{PubsubSettings, Topics};
use recrawl_stores::cloud::{self, BilledStore, CloudSettings};

use crate::config::Config;
use crate::deps::{DeadLetters, Deps, UsageMeter};
use crate::joining::epitaph;

/// How long publishing may take before a push is sent away.
const PUBLISHING: Duration = Duration::from_secs(30);

/// Connects what the configuration names.
pub async fn connect(config: Config) -> anyhow::Result<Deps> {
    let firestore = CloudSettings {
        project: config.project.clone(),
        emulator: config.firestore_emulator.clone(),
        bodies_bucket: config.process.bodies_bucket.clone(),
        all_bodies_in_bucket: config.process.all_bodies_in_bucket,
    };
    let pubsub = PubsubSettings {
        emulator: config.pubsub_emulator.clone(),
        web: config.process.public_url.as_ref().map(PageUrl::to_url),
        time_out: PUBLISHING,
        ..PubsubSettings::new(&config.project)
    };
    let (store, topics) = tokio::join!(cloud::connect(&firestore), Topics::connect(pubsub));
    let (store, topics) = (store.context("Firestore")?, Arc::new(topics.context("Pub/Sub")?));
    Ok(Deps {
        meter: Arc::new(CloudUsageMeter { store: store.clone(), topics: topics.clone() }),
        archive_worker: archive_worker(&config, store.clone())?,
        frontier: topics.clone(),
        announcer: topics.clone(),
        archive_queue: topics.clone(),
        summaries: topics.clone(),
        dead_letters: topics,
        stumbles: store.clone(),
        extractor: None,
        documents: documents(),
        store,
    })
}

/// Returns what reads documents.
fn documents() -> Arc<dyn DocumentReader> {
    #[cfg(feature = "documents")]
    let reader = recrawl_documents::DocumentProcess::of_this_program();
    #[cfg(not(feature = "documents"))]
    let reader = recrawl_core::ports::NoDocuments;
    Arc::new(reader)
}

fn archive_worker(config: &Config, store: Arc<dyn CloudStore>) -> anyhow::Result<Option<Arc<ArchiveWorker>>> {
    // Whether anything is archived is decided site by site.
    let usual = SavePageNowSettings::new(config.site.crawl.user_agent());
    let base = config.process.save_page_now.clone().unwrap_or_else(|| usual.base.clone());
    let service = SavePageNow::new(SavePageNowSettings { base, keys: config.archive_keys.clone(), ..usual });
    let archive_worker = ArchiveWorker::new(store.clone(), service.context("Save Page Now")?);
    Ok(Some(Arc::new(archive_worker.remember_in(store))))
}

#[async_trait]
impl DeadLetters for Topics {
    async fn bury(&self, message: &Delivery, reason: &str) -> Result<(), QueueError> {
        self.publish_dead(message.data.clone(), epitaph(message, reason)).await
    }
}

/// Counts what Firestore and Pub/Sub bill.
struct CloudUsageMeter {
    store: Arc<dyn BilledStore>,
    topics: Arc<Topics>,
}

#[async_trait]
impl UsageMeter for CloudUsageMeter {
    fn counted(&self) -> Operations {
        let messages = self.topics.counted();
        self.store.counted() + Operations { messages, ..Operations::default() }
    }

    async fn save(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        instance: &str,
        used: Operations,
    ) -> Result<(), StoreError> {
        self.store.save_operations(site, crawl, instance, used).await
    }
}
