//! The other home: the service in this process, with memory for a cloud, and messages as a bad day brings them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use async_trait::async_trait;
use crawl_fn::{Config, DeadLetters, Deps, Service, UsageMeter, router};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Closed, Operations, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{
    NoDocuments, PullFrontier as _, QueueError, QueuedPage, Store as _, StoreError, Summaries,
};
use recrawl_queue_pubsub::message::{CrawlMessage, Delivery, Envelope};
use tokio::task::JoinSet;

use super::report::Row;
use super::weeks::Weeks;
use crate::listener::Listener;
use crate::site::Random;

const PAGES: usize = 150;
const AT_ONCE: usize = 20;
/// Ticks after which a crawl must be closed, with messages delivered between them.
const TICKS: usize = 20;

/// How messages are brought.
#[derive(Clone, Copy)]
struct Manner {
    times: usize,
    lost_percent: usize,
}

/// Brings every message twice, in disorder, and loses some: the records are those of a good day.
pub(crate) fn torture(seed: u64, tries: usize) -> Result<Row> {
    let mut row = Row::new("messages", "in the cloud: every message twice, in disorder, 1 % lost");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let site = Weeks::new(PAGES);
    let week = site.week();
    let server = Listener::start(site)?;
    let mut random = Random::new(seed);
    let mut crawl = |manner: Manner| -> Result<(BTreeSet<String>, usize)> {
        runtime.block_on(async {
            let cloud = Cloud::start(&server.url()).await?;
            let mut most = 0;
            for number in 0..2 {
                week.store(number, Ordering::Relaxed);
                most = most.max(cloud.crawl(&server.url(), number, manner, &mut random).await?);
            }
            Ok((cloud.records().await?, most))
        })
    };
    let (expected, _) = crawl(Manner { times: 1, lost_percent: 0 })?;
    ensure!(expected.len() > PAGES, "a good day recorded {} pages", expected.len());
    let mut most = 0;
    for _ in 0..tries {
        let (found, ticks) = crawl(Manner { times: 2, lost_percent: 1 })?;
        most = most.max(ticks);
        let lost = expected.difference(&found).map(|record| format!("lost: {record}"));
        let other = found.difference(&expected).map(|record| format!("not there on a good day: {record}"));
        row.tried(lost.take(3).chain(other.take(3)).collect());
    }
    row.worst = format!("{most} ticks until a crawl was closed");
    Ok(row)
}

/// The service on a free port, over memory.
struct Cloud {
    store: Arc<MemoryStore>,
    address: String,
    client: reqwest::Client,
    site: SiteId,
}

impl Cloud {
    async fn start(root: &str) -> Result<Self> {
        let variables = [
            ("GOOGLE_CLOUD_PROJECT", "demo-torture"),
            ("RECRAWL_ROOT", root),
            ("RECRAWL_DELAY", "0"),
            ("RECRAWL_QUIET", "0"),
            ("RECRAWL_CHECK_SHARE", "0"),
        ];
        let variables: HashMap<String, String> =
            variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut config = Config::read(&variables).map_err(|error| anyhow::anyhow!("{error}"))?;
        config.hold = Duration::from_millis(100);
        config.site.crawl.back_off = Duration::from_millis(20);
        let store = Arc::<MemoryStore>::default();
        let deps = Deps {
            store: store.clone(),
            frontier: store.clone(),
            announcer: store.clone(),
            archive_queue: store.clone(),
            summaries: Arc::new(Nobody),
            dead_letters: Arc::new(Nobody),
            stumbles: store.clone(),
            meter: Arc::new(Nobody),
            archive_worker: None,
            extractor: None,
            documents: Arc::new(NoDocuments),
        };
        let service = Service::new(config)?;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let routes = router(service.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        service.connect(|| std::future::ready(Ok(deps.clone()))).await;
        Ok(Self { store, address, client: reqwest::Client::new(), site: "default".parse()? })
    }

    /// Crawls one week to its end, and returns after how many ticks it was closed.
    async fn crawl(&self, root: &str, week: usize, manner: Manner, random: &mut Random) -> Result<usize> {
        let seed =
            Delivery { data: root.into(), message_id: Some(format!("week-{week}")), ..Delivery::default() };
        ensure!(self.push(&seed).await?, "the root was not taken");
        let crawl = self.store.crawl_under_way(&self.site).await?.context("no crawl was opened")?.id;
        let mut store = self.store.clone();
        for tick in 1..=TICKS {
            self.bring_all(&store, crawl, manner, random).await?;
            let answer = self.client.post(format!("{}/pubsub/tick", self.address)).send().await?;
            ensure!(answer.status().is_success(), "a tick was answered with {}", answer.status());
            if self.store.crawl_under_way(&self.site).await?.is_none() {
                return Ok(tick);
            }
            // What was lost is handed out again once the audit has found it.
            store = Arc::new(self.store.reopened());
        }
        bail!("the crawl of week {} is not closed after {TICKS} ticks", week + 1)
    }

    /// Delivers what is queued until nothing waits.
    async fn bring_all(
        &self,
        store: &MemoryStore,
        crawl: CrawlId,
        manner: Manner,
        random: &mut Random,
    ) -> Result<()> {
        let mut waiting: Vec<QueuedPage> = Vec::new();
        let mut under_way = JoinSet::new();
        let begun = Instant::now();
        loop {
            for page in store.take(&self.site, crawl, 100).await? {
                if random.below(100) >= manner.lost_percent {
                    waiting.extend(vec![page; manner.times]);
                }
            }
            while under_way.len() < AT_ONCE && !waiting.is_empty() {
                let message = CrawlMessage::from(&waiting.swap_remove(random.below(waiting.len())));
                let delivery = Delivery {
                    attributes: message.attributes(),
                    data: message.to_json().into(),
                    message_id: Some(format!("message-{}", random.next())),
                    ..Delivery::default()
                };
                let (client, address) = (self.client.clone(), self.address.clone());
                under_way.spawn(async move {
                    while !push(&client, &address, &delivery).await? {}
                    anyhow::Ok(())
                });
            }
            match under_way.join_next().await {
                Some(pushed) => pushed??,
                None => return Ok(()),
            }
            ensure!(begun.elapsed() < Duration::from_mins(1), "messages are refused for ever");
        }
    }

    async fn push(&self, delivery: &Delivery) -> Result<bool> {
        push(&self.client, &self.address, delivery).await
    }

    /// Returns what all crawls found.
    async fn records(&self) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for (number, crawl) in self.store.crawls(&self.site).await?.iter().enumerate() {
            for record in self.store.records(&self.site, crawl.id, &[], None, 10_000).await? {
                let visit = &record.visit;
                let semantic = record.known.content.as_ref().map(|content| content.semantic.to_string());
                found.insert(format!(
                    "crawl {}: {} {} {:?} {semantic:?}",
                    number + 1,
                    record.url.path(),
                    visit.verdict,
                    visit.status
                ));
            }
        }
        Ok(found)
    }
}

async fn push(client: &reqwest::Client, address: &str, delivery: &Delivery) -> Result<bool> {
    let body = serde_json::to_vec(&Envelope::of(delivery))?;
    let answer = client.post(format!("{address}/pubsub/crawl")).body(body).send().await?;
    Ok(answer.status().is_success())
}

/// Hears summaries, and bills nothing.
struct Nobody;

#[async_trait]
impl Summaries for Nobody {
    async fn summarise(&self, _: &Site, _: CrawlId, _: &Closed) -> Result<(), QueueError> {
        Ok(())
    }
}

#[async_trait]
impl DeadLetters for Nobody {
    async fn bury(&self, _: &Delivery, _: &str) -> Result<(), QueueError> {
        Ok(())
    }
}

#[async_trait]
impl UsageMeter for Nobody {
    fn counted(&self) -> Operations {
        Operations::default()
    }

    async fn save(&self, _: &SiteId, _: CrawlId, _: &str, _: Operations) -> Result<(), StoreError> {
        Ok(())
    }
}
