//! Crawls that have ended, and the tick.

use std::sync::Arc;
use std::time::Duration;

use crawl_fn::Deps;
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Closed, Ending, Operations};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::Store;
use recrawl_testkit::site::{Gate, Page, Site};
use reqwest::StatusCode;

use crate::lines::Lines;
use crate::stage::{Counter, Stage, Told, config, deps, linked, site_id};

#[tokio::test]
async fn a_message_for_a_crawl_that_is_not_open_is_passed_over() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/a", Page::html("a"));
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let (at, statistics) = (Timestamp::now(), Statistics::default());
    let closed = Closed { at, ending: Ending::Complete, suspicion: None, state: None, statistics };
    stage.store.close_crawl(&site_id(), crawl, &closed).await.unwrap();
    let fresh = Stage::with(config(&site), stage.store.clone()).await;
    site.clear_log();
    let lines = Lines::default();
    let _capturing = lines.capture();
    for id in [crawl, "crawl-1999-01-01".parse().unwrap()] {
        for _ in 0..2 {
            assert_eq!(fresh.pusher.page(&linked(&site, id, "/a")).await, StatusCode::NO_CONTENT);
        }
    }
    // The message that opened it comes late once more: it opens no second one.
    fresh.pusher.seed(&site.url(), "weekly").await;
    assert_eq!(lines.pushes().len(), 5);
    assert!(lines.pushes().iter().all(|line| line["outcome"] == "passed"), "{}", lines.text());
    assert!(site.log().is_empty());
    assert_eq!(fresh.store.crawls(&site_id()).await.unwrap().len(), 1);
    // Another message does, and the name of the closed crawl is not in its way.
    fresh.pusher.seed(&site.url(), "next").await;
    assert_eq!(fresh.under_way().await.unwrap().id, crawl.following());
}

#[tokio::test]
async fn the_tick_closes_a_quiet_crawl_and_saves_what_it_cost() {
    let site = Site::start().await;
    site.page("/", Page::html("<a href=/a>a</a>")).page("/a", Page::html("a"));
    let store: Arc<MemoryStore> = Arc::default();
    let (counter, told) = (Arc::new(Counter::default()), Arc::new(Told::default()));
    let deps = Deps { meter: counter.clone(), summaries: told.clone(), ..deps(&store) };
    let stage = Stage::over(config(&site), store, deps).await;
    let crawl = stage.crawl(&site.url(), "weekly").await.id;
    let used = Operations { reads: 7, writes: 5, messages: 2, ..Operations::default() };
    *counter.counted.lock().unwrap() = used;
    for _ in 0..2 {
        assert_eq!(stage.pusher.post("/pubsub/tick", "tick").await.status(), StatusCode::NO_CONTENT);
    }
    assert!(stage.under_way().await.is_none());
    assert_eq!(*told.0.lock().unwrap(), [crawl]);
    let saved = counter.saved.lock().unwrap().clone();
    let busy_ms = saved.iter().map(|(_, _, used)| used.busy_ms).sum();
    assert!(busy_ms > 0, "the time of the pushes is saved, too");
    assert_eq!(
        saved.iter().map(|(id, _, used)| (*id, *used)).collect::<Vec<_>>(),
        [(crawl, Operations { busy_ms, ..used })]
    );
    // Its session is gone from memory: what comes for it is passed over.
    site.clear_log();
    assert_eq!(stage.pusher.page(&linked(&site, crawl, "/late")).await, StatusCode::NO_CONTENT);
    assert!(site.log().is_empty());
}

#[tokio::test]
async fn a_crawl_with_a_page_under_way_is_not_closed() {
    let (site, gate) = (Site::start().await, Gate::shut());
    site.page("/", Page::html("root")).page("/slow", Page::html("slow").behind(&gate));
    let mut restless = config(&site);
    restless.process.quiet = Duration::ZERO;
    let stage = Stage::with(restless, Arc::default()).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let page = linked(&site, crawl, "/slow");
    let (pushed, ()) = tokio::join!(stage.pusher.page(&page), async {
        site.asked_for("/slow", 1).await;
        assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
        assert!(stage.under_way().await.is_some());
        gate.open();
    });
    assert_eq!(pushed, StatusCode::NO_CONTENT);
    assert_eq!(stage.records(crawl).await.len(), 2);
}
