//! The service on a free port, and somebody who pushes to it as Pub/Sub does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use crawl_fn::{Config, DeadLetters, Deps, Service, UsageMeter, router};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Closed, Crawl, Operations, Site as Crawled};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{
    NoDocuments, Priority, PullFrontier, QueueError, QueuedPage, Store, StoreError, Summaries,
};
use recrawl_queue_pubsub::message::{CrawlMessage, Delivery, Envelope};
use recrawl_testkit::site::Site;
use reqwest::{Client, Response, StatusCode};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// What a crawl of the fixture site is about.
pub(crate) fn config(site: &Site) -> Config {
    config_with(site, &[])
}

/// What a crawl of the fixture site is about where further variables are set.
pub(crate) fn config_with(site: &Site, further: &[(&str, &str)]) -> Config {
    let further = further.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let variables = [
        ("GOOGLE_CLOUD_PROJECT", "demo-service".to_owned()),
        ("RECRAWL_ROOT", site.at("/").to_string()),
        ("RECRAWL_DELAY", "0".to_owned()),
        ("RECRAWL_QUIET", "0".to_owned()),
        // Which pages are checked depends on the day.
        ("RECRAWL_CHECK_SHARE", "0".to_owned()),
    ];
    let variables: HashMap<String, String> =
        variables.into_iter().chain(further).map(|(name, value)| (name.to_owned(), value)).collect();
    let mut config = Config::read(&variables).unwrap();
    config.hold = Duration::from_millis(100);
    config.site.crawl.back_off = Duration::from_millis(20);
    config
}

/// Everything outside, in memory.
pub(crate) fn deps(store: &Arc<MemoryStore>) -> Deps {
    Deps {
        store: store.clone(),
        frontier: store.clone(),
        announcer: store.clone(),
        archive_queue: store.clone(),
        summaries: Arc::new(Told::default()),
        dead_letters: Arc::new(Buried::default()),
        stumbles: store.clone(),
        meter: Arc::new(Counter::default()),
        archive_worker: None,
        extractor: None,
        documents: Arc::new(NoDocuments),
    }
}

/// Counts by the book, and remembers what was saved.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    pub(crate) counted: Mutex<Operations>,
    pub(crate) saved: Mutex<Vec<(CrawlId, String, Operations)>>,
}

#[async_trait]
impl UsageMeter for Counter {
    fn counted(&self) -> Operations {
        *self.counted.lock().unwrap()
    }

    async fn save(
        &self,
        _: &SiteId,
        crawl: CrawlId,
        instance: &str,
        used: Operations,
    ) -> Result<(), StoreError> {
        self.saved.lock().unwrap().push((crawl, instance.to_owned(), used));
        Ok(())
    }
}

/// Remembers what was kept as a dead letter, and why.
#[derive(Debug, Default)]
pub(crate) struct Buried(pub(crate) Mutex<Vec<(String, String)>>);

#[async_trait]
impl DeadLetters for Buried {
    async fn bury(&self, message: &Delivery, reason: &str) -> Result<(), QueueError> {
        let text = String::from_utf8_lossy(&message.data).into_owned();
        self.0.lock().unwrap().push((text, reason.to_owned()));
        Ok(())
    }
}

/// Remembers which crawls were said to have ended.
#[derive(Debug, Default)]
pub(crate) struct Told(pub(crate) Mutex<Vec<CrawlId>>);

#[async_trait]
impl Summaries for Told {
    async fn summarise(&self, _: &Crawled, crawl: CrawlId, _: &Closed) -> Result<(), QueueError> {
        self.0.lock().unwrap().push(crawl);
        Ok(())
    }
}

/// A running service with its store.
pub(crate) struct Stage {
    pub(crate) service: Arc<Service>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) pusher: Pusher,
}

impl Stage {
    /// Starts a service for the site, with a store of its own.
    pub(crate) async fn start(site: &Site) -> Self {
        Self::with(config(site), Arc::default()).await
    }

    /// Starts a service over a store.
    pub(crate) async fn with(config: Config, store: Arc<MemoryStore>) -> Self {
        let deps = deps(&store);
        Self::over(config, store, deps).await
    }

    /// Starts a service over a store and whatever else it uses.
    pub(crate) async fn over(config: Config, store: Arc<MemoryStore>, deps: Deps) -> Self {
        let service = Service::new(config).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let pusher = Pusher::to(&listener);
        let routes = router(service.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        service.connect(|| std::future::ready(Ok(deps.clone()))).await;
        Self { service, store, pusher }
    }

    /// Seeds the root, and pushes what is queued until nothing waits.
    pub(crate) async fn crawl(&self, root: &str, message: &str) -> Crawl {
        self.pusher.seed(root, message).await;
        let crawl = self.under_way().await.unwrap();
        self.pusher.work_off(&self.store, crawl.id).await;
        crawl
    }

    /// Ticks, as often as it takes to close the crawl, and delivers what is queued between.
    pub(crate) async fn close(&self, crawl: CrawlId) {
        for _ in 0..10 {
            assert_eq!(self.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
            if self.under_way().await.is_none() {
                return;
            }
            // A message that was acknowledged is queued anew by the audit.
            self.pusher.work_off(&Arc::new(self.store.reopened()), crawl).await;
        }
        panic!("{crawl} is not closed");
    }

    /// Returns the open crawl.
    pub(crate) async fn under_way(&self) -> Option<Crawl> {
        self.store.crawl_under_way(&site_id()).await.unwrap()
    }

    /// Returns what a crawl recorded.
    pub(crate) async fn records(&self, crawl: CrawlId) -> Vec<PageRecord> {
        self.store.records(&site_id(), crawl, &[], None, 10_000).await.unwrap()
    }

    /// Returns the paths that a crawl recorded, with the verdicts.
    pub(crate) async fn verdicts(&self, crawl: CrawlId) -> Vec<(String, String)> {
        let records = self.records(crawl).await;
        let told = |record: &PageRecord| (record.url.path().to_owned(), record.visit.verdict.to_string());
        records.iter().map(told).collect()
    }
}

/// Returns the site that is crawled.
pub(crate) fn site_id() -> SiteId {
    "default".parse().unwrap()
}

/// Pushes as Pub/Sub does.
#[derive(Clone)]
pub(crate) struct Pusher {
    pub(crate) url: String,
    pub(crate) client: Client,
}

impl Pusher {
    /// Pushes to whoever listens.
    pub(crate) fn to(listener: &TcpListener) -> Self {
        Self { url: format!("http://{}", listener.local_addr().unwrap()), client: Client::new() }
    }

    /// Asks for a path.
    pub(crate) async fn get(&self, path: &str) -> (StatusCode, String) {
        let response = self.client.get(format!("{}{path}", self.url)).send().await.unwrap();
        (response.status(), response.text().await.unwrap())
    }

    /// Posts a body as it is.
    pub(crate) async fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> Response {
        self.client.post(format!("{}{path}", self.url)).body(body).send().await.unwrap()
    }

    /// Publishes an address as a person does; it must be taken in the end.
    pub(crate) async fn seed(&self, url: &str, message: &str) {
        let delivery = delivery(url, message);
        assert_eq!(self.push(&delivery).await, StatusCode::NO_CONTENT);
    }

    /// Delivers a message once.
    pub(crate) async fn push(&self, delivery: &Delivery) -> StatusCode {
        self.post("/pubsub/crawl", wrapped(delivery)).await.status()
    }

    /// Delivers a queued page once.
    pub(crate) async fn page(&self, page: &QueuedPage) -> StatusCode {
        self.push(&queued(page)).await
    }

    /// Delivers what is queued, ten at a time, again and again until it is taken.
    pub(crate) async fn work_off(&self, store: &Arc<MemoryStore>, crawl: CrawlId) {
        let mut under_way = JoinSet::new();
        loop {
            while under_way.len() < 10 {
                let Some(page) = store.take(&site_id(), crawl, 1).await.unwrap().pop() else { break };
                let pusher = self.clone();
                under_way.spawn(async move { while pusher.page(&page).await != StatusCode::NO_CONTENT {} });
            }
            match under_way.join_next().await {
                Some(pushed) => pushed.unwrap(),
                None => return,
            }
        }
    }
}

/// Returns a message with this text.
pub(crate) fn delivery(text: &str, message: &str) -> Delivery {
    Delivery { data: text.into(), message_id: Some(message.to_owned()), ..Delivery::default() }
}

/// Returns the message of a queued page.
pub(crate) fn queued(page: &QueuedPage) -> Delivery {
    let message = CrawlMessage::from(page);
    Delivery { attributes: message.attributes(), ..delivery(&message.to_json(), page.url.as_str()) }
}

/// Returns the body of the push that delivers a message.
pub(crate) fn wrapped(delivery: &Delivery) -> Vec<u8> {
    serde_json::to_vec(&Envelope::of(delivery)).unwrap()
}

/// Returns the page at `path`, found by a link in this crawl.
pub(crate) fn linked(site: &Site, crawl: CrawlId, path: &str) -> QueuedPage {
    use recrawl_core::model::record::{Found, FoundBy};
    let found = Found { by: FoundBy::Link, depth: 1, referrer: Some(site.at("/")) };
    QueuedPage { site: site_id(), crawl, url: site.at(path), found, priority: Priority::default() }
}

/// Returns how often each path was asked for, in order of paths.
pub(crate) fn asked(site: &Site) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for logged in site.log() {
        *counts.entry(logged.path).or_default() += 1;
    }
    counts.into_iter().collect()
}
