//! Servers, stores and queues in trouble, and code that panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use crawl_fn::Deps;
use futures_util::future::join;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Frontier, QueueError, QueuedPage, Store};
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, deps, linked, queued, site_id, wrapped};

/// Fails the first times in this way, then passes pages on.
struct Failing {
    store: Arc<MemoryStore>,
    failures: AtomicU32,
    pause: Duration,
    how: fn(),
    refuses: bool,
}

impl Failing {
    fn fails(&self) -> bool {
        self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }
}

#[async_trait]
impl Frontier for Failing {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        if self.fails() {
            // So that somebody can join in the meantime.
            tokio::time::sleep(self.pause).await;
            (self.how)();
            let reason = "on purpose".into();
            return Err(if self.refuses {
                QueueError::Refused(reason)
            } else {
                QueueError::Unavailable(reason)
            });
        }
        self.store.queue(pages).await
    }
}

fn failing(store: &Arc<MemoryStore>, failures: u32, how: fn(), refuses: bool) -> Arc<Failing> {
    Arc::new(Failing {
        store: store.clone(),
        failures: AtomicU32::new(failures),
        pause: Duration::ZERO,
        how,
        refuses,
    })
}

#[tokio::test]
async fn a_queue_that_fails_delays_a_page_and_loses_none() {
    for refuses in [false, true] {
        let site = Site::start().await;
        site.page("/", Page::html("<a href=/a>a</a>")).page("/a", Page::html("a"));
        let store: Arc<MemoryStore> = Arc::default();
        let queue = failing(&store, 3, || (), refuses);
        let deps = Deps { frontier: queue, ..deps(&store) };
        let stage = Stage::over(config(&site), store, deps).await;
        let seed = crate::stage::delivery(&site.url(), "weekly");
        let mut answers = Vec::new();
        while answers.last() != Some(&StatusCode::NO_CONTENT) {
            answers.push(stage.pusher.push(&seed).await);
        }
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert!(answers[..3].iter().all(|status| *status == StatusCode::SERVICE_UNAVAILABLE));
        let crawl = stage.under_way().await.unwrap().id;
        stage.pusher.work_off(&stage.store, crawl).await;
        assert_eq!(stage.records(crawl).await.len(), 2);
    }
}

#[tokio::test]
async fn a_panic_costs_the_page_and_joiners_do_not_wait_for_ever() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/a", Page::html("<a href=/b>b</a>"));
    let store: Arc<MemoryStore> = Arc::default();
    let queue = Failing {
        store: store.clone(),
        failures: AtomicU32::new(0),
        pause: Duration::from_millis(300),
        how: || panic!("on purpose"),
        refuses: false,
    };
    let queue = Arc::new(queue);
    let deps = Deps { frontier: queue.clone(), ..deps(&store) };
    let stage = Stage::over(config(&site), store, deps).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    queue.failures.store(1, Ordering::SeqCst);
    let page = linked(&site, crawl, "/a");
    let (first, joined) = join(stage.pusher.page(&page), stage.pusher.page(&page)).await;
    assert_eq!((first, joined), (StatusCode::NO_CONTENT, StatusCode::NO_CONTENT));
    let record = stage.store.page(&site_id(), crawl, &site.at("/a")).await.unwrap().unwrap();
    assert!(record.visit.is_stumble(), "{:?}", record.visit);
}

#[tokio::test]
async fn a_server_in_trouble_is_asked_again_within_the_push() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/a", Page::html("well").after(2, Page::status(503)));
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    assert_eq!(stage.pusher.page(&linked(&site, crawl, "/a")).await, StatusCode::NO_CONTENT);
    let record = stage.store.page(&site_id(), crawl, &site.at("/a")).await.unwrap().unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::New, 3));
}

#[tokio::test]
async fn attempts_are_counted_over_deliveries_until_the_page_has_failed() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/a", Page::status(503));
    // The first pause is longer than a push waits.
    let mut impatient = config(&site);
    impatient.process.ack_deadline = Duration::from_millis(200);
    impatient.site.crawl.back_off = Duration::from_millis(150);
    impatient.site.crawl.retries = 2;
    let stage = Stage::with(impatient, Arc::default()).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let mut answers = Vec::new();
    while answers.last() != Some(&StatusCode::NO_CONTENT) {
        answers.push(stage.pusher.page(&linked(&site, crawl, "/a")).await);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(answers.len() > 1, "{answers:?}");
    let record = stage.store.page(&site_id(), crawl, &site.at("/a")).await.unwrap().unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Failed, 3));
    assert_eq!(site.requests_for("/a").len(), 3);
}

#[tokio::test]
async fn a_host_that_wants_to_be_left_alone_is() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/a", Page::status(429).with_retry_after("7200"));
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    for path in ["/a", "/b", "/a"] {
        let body = wrapped(&queued(&linked(&site, crawl, path)));
        let began = Instant::now();
        let response = stage.pusher.post("/pubsub/crawl", body).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 600);
        assert!(began.elapsed() < Duration::from_mins(5), "it is not waited for");
    }
    assert_eq!((site.requests_for("/a").len(), site.requests_for("/b").len()), (1, 0));
    assert_eq!(stage.records(crawl).await.len(), 1);
}

#[tokio::test]
async fn nothing_is_visited_while_robots_txt_cannot_be_read() {
    let site = Site::start().await;
    site.page("/robots.txt", Page::status(500)).page("/", Page::html("root"));
    let mut quick = config(&site);
    quick.site.crawl.back_off = Duration::from_millis(1);
    let stage = Stage::with(quick, Arc::default()).await;
    let seed = crate::stage::delivery(&site.url(), "weekly");
    assert_eq!(stage.pusher.push(&seed).await, StatusCode::SERVICE_UNAVAILABLE);
    assert!(site.log().iter().all(|logged| logged.path == "/robots.txt"), "{:?}", site.log());
    let crawl = stage.under_way().await.unwrap().id;
    assert_eq!(stage.records(crawl).await.len(), 0);
}

#[tokio::test]
async fn a_host_that_wants_to_be_left_alone_for_a_week_is_not_asked_by_the_next_instance() {
    let site = Site::start().await;
    site.page("/", Page::status(503).with_retry_after("604800"));
    let store: Arc<MemoryStore> = Arc::default();
    let seed = crate::stage::delivery(&site.url(), "weekly");
    let first = Stage::with(config(&site), store.clone()).await;
    assert_eq!(first.pusher.push(&seed).await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(site.requests_for("/").len(), 1);
    site.clear_log();
    let next = Stage::with(config(&site), store).await;
    assert_eq!(next.pusher.push(&seed).await, StatusCode::SERVICE_UNAVAILABLE);
    assert!(site.log().is_empty(), "{:?}", site.log());
}
