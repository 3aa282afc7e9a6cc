//! More pushes than the pace of a host takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crawl_fn::Config;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::FoundBy;
use recrawl_core::ports::QueuedPage;
use recrawl_testkit::site::{Gate, Page, Site};
use reqwest::StatusCode;

use crate::stage::{Pusher, Stage, config, linked, queued, wrapped};

fn at_pace(site: &Site, delay: Duration, ack_deadline: Duration) -> Config {
    let mut config = config(site);
    config.site.crawl.delay = Some(delay);
    config.process.ack_deadline = ack_deadline;
    config
}

#[tokio::test]
async fn a_host_with_enough_waiting_keeps_the_rest_for_later_and_sends_nobody_away() {
    let (site, gate) = (Site::start().await, Gate::shut());
    let pages: Vec<String> = (0..8).map(|number| format!("/{number}")).collect();
    site.page("/", Page::html("root"));
    for path in &pages {
        site.page(path, Page::html(path.clone()).behind(&gate));
    }
    // Four fifths of a second and a half at 0.4 s: three wait.
    let crowded = at_pace(&site, Duration::from_millis(400), Duration::from_millis(1_500));
    let stage = Stage::with(crowded, Arc::default()).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let pushes = pages.iter().map(|path| {
        let body = wrapped(&queued(&linked(&site, crawl, path)));
        stage.pusher.post("/pubsub/crawl", body)
    });
    let mut answers: FuturesUnordered<_> = pushes.collect();
    // No page is answered yet, so the first answers are those of pages that are kept.
    for _ in 0..5 {
        assert_eq!(answers.next().await.unwrap().status(), StatusCode::NO_CONTENT);
    }
    assert_eq!(stage.records(crawl).await.len(), 1);
    // Nobody finds again what a person published: its message is the only place where it stands.
    let mut asked_by_a_person = linked(&site, crawl, "/0?person");
    asked_by_a_person.found.by = FoundBy::Seed;
    let response = stage.pusher.post("/pubsub/crawl", wrapped(&queued(&asked_by_a_person))).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(response.headers().contains_key("retry-after"));
    gate.open();
    while let Some(response) = answers.next().await {
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
    }
    while stage.pusher.page(&asked_by_a_person).await != StatusCode::NO_CONTENT {}
    while stage.records(crawl).await.len() < 10 {
        stage.pusher.work_off(&stage.store, crawl).await;
    }
    assert!(pages.iter().all(|path| site.requests_for(path).len() == 1));
}

/// Delivers a page until it is taken, and hangs up at each deadline.
async fn deliver(pusher: Pusher, page: QueuedPage, deadline: Duration, deliveries: Arc<AtomicUsize>) {
    let url = format!("{}/pubsub/crawl", pusher.url);
    loop {
        deliveries.fetch_add(1, Ordering::Relaxed);
        let request = pusher.client.post(&url).body(wrapped(&queued(&page))).timeout(deadline);
        match request.send().await {
            Ok(response) if response.status() == StatusCode::NO_CONTENT => return,
            Ok(_) | Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

fn plant(site: &Site, pages: usize) {
    let links: Vec<String> = (0..pages).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(links.concat()));
    for number in 0..pages {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}")));
    }
}

fn page(site: &Site, crawl: CrawlId, number: usize) -> QueuedPage {
    linked(site, crawl, &format!("/{number}"))
}

#[tokio::test]
async fn five_hundred_at_once_are_visited_once_each_at_the_pace_of_the_host() {
    const PAGES: usize = 500;
    let (delay, deadline) = (Duration::from_millis(20), Duration::from_secs(3));
    let site = Site::start().await;
    plant(&site, PAGES);
    let stage = Stage::with(at_pace(&site, delay, deadline), Arc::default()).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let deliveries = Arc::new(AtomicUsize::new(0));
    let pushes = (0..PAGES).map(|number| {
        let page = page(&site, crawl, number);
        // Some hang up long before their turn.
        let deadline = if number % 5 == 0 { deadline / 6 } else { deadline };
        tokio::spawn(deliver(stage.pusher.clone(), page, deadline, deliveries.clone()))
    });
    for push in join_all(pushes).await {
        push.unwrap();
    }
    assert!(deliveries.load(Ordering::Relaxed) > PAGES, "some were delivered again");
    while stage.records(crawl).await.len() < PAGES + 1 {
        stage.pusher.work_off(&stage.store, crawl).await;
    }
    let log = site.log();
    for number in 0..PAGES {
        assert_eq!(site.requests_for(&format!("/{number}")).len(), 1, "/{number}");
    }
    // A request may be held up on its way, so the pace is that of all, give or take a few.
    let took = log.last().unwrap().arrival.duration_since(log[0].arrival);
    assert!(took >= delay * u32::try_from(PAGES - 20).unwrap(), "{PAGES} requests in {took:?}");
}
