//! Archiving at the pace that Save Page Now allows, in virtual time: its own pace, and Pub/Sub's deadlines.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::Body;
use axum::http::Request;
use crawl_fn::{Config, Deps, Service, router};
use recrawl_archive::answer::Raw;
use recrawl_archive::{ArchiveWorker, SavePageNow, SavePageNowSettings, ServiceError, Wire};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::crawl::{Closed, Crawl, Ending};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{ArchiveQueue, ArchiveRequest, QueueError, Store};
use recrawl_queue_pubsub::message::ArchiveMessage;
use recrawl_testkit::contract::samples::bare_record;
use recrawl_testkit::save_page_now::SavePageNow as Wayback;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, timeout};
use tower::ServiceExt as _;

use crate::stage::{delivery, deps, site_id, wrapped};

const PAGES: u32 = 500;
const CRAWL: &str = "crawl-2026-11-16";

/// How long a message is on its way, and how long Pub/Sub waits before it delivers one again.
const ON_ITS_WAY: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_secs(10);
const DEADLINE: Duration = Duration::from_mins(10);

/// A wire without sockets: time in tests does not go on while an answer is made.
#[derive(Debug)]
struct NoSocket(Arc<Wayback>);

#[async_trait]
impl Wire for NoSocket {
    async fn send(&self, request: reqwest::Request) -> Result<Raw, ServiceError> {
        sleep(Duration::from_millis(700)).await;
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let authorization = request.headers().get("authorization").and_then(|value| value.to_str().ok());
        let answer = self.0.exchange(request.method().as_str(), request.url(), body, authorization);
        let (status, retry_after, body) = answer.expect("it always answers here");
        Ok(Raw { status, retry_after: retry_after.map(Duration::from_secs), body: body.into_bytes() })
    }
}

/// Hands what is asked for to whoever delivers it.
struct Topic(UnboundedSender<ArchiveRequest>);

#[async_trait]
impl ArchiveQueue for Topic {
    async fn request(&self, requests: &[ArchiveRequest]) -> Result<(), QueueError> {
        let send = |request: &ArchiveRequest| self.0.send(request.clone());
        requests.iter().try_for_each(send).map_err(|error| QueueError::Unavailable(error.into()))
    }
}

fn config() -> Config {
    let variables = [("GOOGLE_CLOUD_PROJECT", "demo"), ("RECRAWL_ROOT", "https://example.org/")];
    Config::read(&variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()).unwrap()
}

/// A closed crawl whose changes wait to be archived.
async fn changed() -> Arc<MemoryStore> {
    let store: Arc<MemoryStore> = Arc::default();
    recrawl_testkit::contract::samples::open(&*store, "default").await;
    let id = CRAWL.parse().unwrap();
    let seen = jiff::Timestamp::now() - jiff::SignedDuration::from_mins(30);
    store.open_crawl(&Crawl::new(site_id(), id, seen)).await.unwrap();
    for number in 0..PAGES {
        let mut record = bare_record("default", CRAWL, &format!("/{number:03}"));
        record.archive = Some(Archive::queued(seen));
        store.record(&record, None).await.unwrap();
    }
    let statistics = Statistics { total: u64::from(PAGES), ..Statistics::default() };
    let closed = Closed { at: seen, ending: Ending::Complete, suspicion: None, state: None, statistics };
    store.close_crawl(&site_id(), id, &closed).await.unwrap();
    store
}

/// Archives all of it, with a reminder for each page as closing sends them, all at once; returns how long it took from the
/// first submission to the last.
async fn archive_all(keys: Option<&str>) -> Duration {
    let (store, wayback) = (changed().await, Arc::new(Wayback::start()));
    // So that a capture takes some 25 seconds.
    wayback.pending(3);
    let settings = SavePageNowSettings {
        keys: keys.map(|keys| keys.parse().unwrap()),
        ..SavePageNowSettings::new("recrawl/test")
    };
    let service = SavePageNow::over(Box::new(NoSocket(wayback.clone())), settings).unwrap();
    let archive_worker = Some(Arc::new(ArchiveWorker::new(store.clone(), service)));
    let (topic, mut messages) = unbounded_channel();
    let deps = Deps { archive_worker, archive_queue: Arc::new(Topic(topic.clone())), ..deps(&store) };
    let service = Service::new(config()).unwrap();
    service.connect(|| std::future::ready(Ok(deps.clone()))).await;
    let routes = router(service);
    remember_crawl(&store).await;
    for number in 0..PAGES {
        let requested_at = jiff::Timestamp::now();
        let (page, crawl) =
            (format!("https://example.org/{number:03}").parse().unwrap(), CRAWL.parse().unwrap());
        let id = recrawl_core::model::ids::EventId::new(crawl, &page);
        topic.send(ArchiveRequest { id, site: site_id(), crawl, page, requested_at }).unwrap();
    }
    let begun = Instant::now();
    while wayback.captures().len() < PAGES as usize || has_unfinished(&store).await {
        assert!(begun.elapsed() < Duration::from_hours(24), "{} captures", wayback.captures().len());
        let Ok(Some(request)) = timeout(Duration::from_secs(10), messages.recv()).await else { continue };
        let (routes, topic) = (routes.clone(), topic.clone());
        tokio::spawn(async move {
            sleep(ON_ITS_WAY).await;
            let body = wrapped(&delivery(&ArchiveMessage::from(&request).to_json(), "archive"));
            let push = Request::post("/pubsub/archive").body(Body::from(body)).unwrap();
            let answer = timeout(DEADLINE, routes.oneshot(push)).await;
            let answer = answer.expect("nothing is cut by the deadline").unwrap();
            if !answer.status().is_success() {
                sleep(AGAIN).await;
                topic.send(request).unwrap();
            }
        });
    }
    let submissions = wayback.submissions();
    assert!(submissions.iter().all(|asked| asked.status == Some(200)), "its limits are kept");
    assert!(wayback.captures().values().all(|captures| *captures == 1));
    submissions.last().unwrap().arrival - submissions[0].arrival
}

/// Notes the crawl as one with requests, as the tick does that sees it open.
async fn remember_crawl(store: &MemoryStore) {
    use recrawl_core::ports::{StateEntry, StateKey, StateStore};
    let now = jiff::Timestamp::now();
    let value = format!(r#"{{"crawls":["{CRAWL}"],"due_at":"{now}"}}"#);
    let key = StateKey::unarchived_crawls(&site_id());
    store.save_state(&key, &StateEntry { saved_at: now, value }).await.unwrap();
}

async fn has_unfinished(store: &MemoryStore) -> bool {
    use recrawl_core::ports::ArchiveStore;
    let crawl = CRAWL.parse().unwrap();
    !store.unarchived(&site_id(), crawl, jiff::Timestamp::MAX, 1).await.unwrap().is_empty()
}

#[tokio::test(start_paused = true)]
async fn five_hundred_pages_are_archived_at_95_percent_of_the_pace_that_is_allowed() {
    for (keys, a_minute) in [(None, 4), (Some(Wayback::KEYS), 12)] {
        let took = archive_all(keys).await;
        let allowed = Duration::from_mins(1) / a_minute;
        let share = (allowed * (PAGES - 1)).as_secs_f64() / took.as_secs_f64();
        assert!((0.95..=1.0).contains(&share), "{share:.3} of {a_minute} a minute");
    }
}
