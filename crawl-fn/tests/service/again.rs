//! Pages that are asked for again when a crawl is quiet: by messages that come twice, and after the end of a process.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use crawl_fn::Deps;
use futures_util::future::join_all;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Frontier, QueueError, QueuedPage, Store};
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, config_with, deps, linked, site_id};

const STORY: [&str; 6] =
    ["The council", "Meets weekly", "In the hall", "Bring papers", "Ring twice", "The end"];

fn story(line: &str) -> Page {
    let lines = STORY.iter().chain([&line]).map(|line| format!("<p>{line}</p>"));
    Page::html(format!("<main>{}</main>", lines.collect::<String>()))
}

/// Queues as Pub/Sub does, also what is recorded.
struct Topic {
    store: Arc<MemoryStore>,
    sent: Arc<Mutex<Vec<QueuedPage>>>,
}

#[async_trait]
impl Frontier for Topic {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        self.sent.lock().unwrap().extend_from_slice(pages);
        self.store.queue(pages).await
    }
}

/// A site with a story, crawled once, and the stage for its next week.
struct NextWeek {
    site: Site,
    store: Arc<MemoryStore>,
    sent: Arc<Mutex<Vec<QueuedPage>>>,
}

impl NextWeek {
    async fn of(line: &str) -> Self {
        let (site, store) = (Site::start().await, Arc::new(MemoryStore::default()));
        site.page("/", Page::html("<a href=/a>a</a>")).page("/a", story(line));
        let stage = Stage::with(config(&site), store.clone()).await;
        let crawl = stage.crawl(&site.url(), "week 1").await;
        stage.close(crawl.id).await;
        site.clear_log();
        Self { site, store, sent: Arc::default() }
    }

    /// Starts a process.
    async fn process(&self) -> Stage {
        let frontier = Arc::new(Topic { store: self.store.clone(), sent: self.sent.clone() });
        let deps = Deps { frontier, ..deps(&self.store) };
        Stage::over(config(&self.site), self.store.clone(), deps).await
    }

    /// Ticks; returns the pages that it queued.
    async fn tick(&self, stage: &Stage) -> Vec<String> {
        self.sent.lock().unwrap().clear();
        assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
        self.sent.lock().unwrap().iter().map(|page| page.url.path().to_owned()).collect()
    }

    async fn found(&self, crawl: CrawlId) -> (Verdict, usize) {
        let record = self.store.page(&site_id(), crawl, &self.site.at("/a")).await.unwrap().unwrap();
        (record.visit.verdict, self.site.requests_for("/a").len())
    }
}

#[tokio::test]
async fn a_message_for_a_page_that_is_asked_again_may_come_thrice() {
    let week = NextWeek::of("Seen by 5 people").await;
    week.site.page("/a", story("Seen by 7 people").after(1, story("Seen by 6 people")));
    let stage = week.process().await;
    let crawl = stage.crawl(&week.site.url(), "week 2").await.id;
    let page = linked(&week.site, crawl, "/a");
    // The message of the first visit, once more.
    assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    assert_eq!(week.found(crawl).await, (Verdict::Changed, 1));
    assert_eq!(week.tick(&stage).await, ["/a"]);
    assert!(stage.under_way().await.is_some(), "the crawl waits for it");
    let answers = join_all((0..3).map(|_| stage.pusher.page(&page))).await;
    assert_eq!(answers, [StatusCode::NO_CONTENT; 3]);
    assert_eq!(week.found(crawl).await, (Verdict::Touched, 2));
    assert!(week.site.requests_for("/a")[1].header("if-none-match").is_none(), "without conditions");
    assert!(week.tick(&stage).await.is_empty());
    assert!(stage.under_way().await.is_none());
    let crawls = week.store.crawls(&site_id()).await.unwrap();
    let closed = crawls.iter().find(|it| it.id == crawl).unwrap().closed.clone().unwrap();
    assert_eq!((closed.statistics.counts[Verdict::Changed], closed.statistics.requests), (0, 3));
}

#[tokio::test]
async fn a_process_that_ends_before_the_second_request_leaves_it_to_the_next() {
    let week = NextWeek::of("Seen by 5 people").await;
    week.site.page("/a", story("Seen by 7 people").after(1, story("Seen by 6 people")));
    let stage = week.process().await;
    let crawl = stage.crawl(&week.site.url(), "week 2").await.id;
    assert_eq!(week.tick(&stage).await, ["/a"]);
    drop(stage);
    let (stage, page) = (week.process().await, linked(&week.site, crawl, "/a"));
    // The message of the first process is nothing to this one.
    assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    assert_eq!(week.found(crawl).await, (Verdict::Changed, 1));
    assert_eq!(week.tick(&stage).await, ["/a"]);
    assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    assert_eq!(week.found(crawl).await, (Verdict::Touched, 2));
    stage.close(crawl).await;
}

#[tokio::test]
async fn a_message_that_is_lost_keeps_no_crawl_open() {
    let week = NextWeek::of("Seen by 5 people").await;
    week.site.page("/a", story("Seen by 6 people"));
    let stage = week.process().await;
    let crawl = stage.crawl(&week.site.url(), "week 2").await.id;
    assert_eq!(week.tick(&stage).await, ["/a"]);
    assert!(week.tick(&stage).await.is_empty());
    assert!(stage.under_way().await.is_none());
    assert_eq!(week.found(crawl).await, (Verdict::Changed, 1));
}

#[tokio::test]
async fn lost_content_is_believed_when_the_audit_brings_the_page_once_more() {
    let busy = || Page::html("<main><p>We are busy</p></main>");
    for (second, expected) in [(busy(), Verdict::Changed), (story("Open"), Verdict::Unchanged)] {
        let week = NextWeek::of("Open").await;
        week.site.page("/a", second.after(1, busy()));
        let stage = week.process().await;
        let crawl = stage.crawl(&week.site.url(), "week 2").await.id;
        assert!(week.store.page(&site_id(), crawl, &week.site.at("/a")).await.unwrap().is_none());
        stage.close(crawl).await;
        assert_eq!(week.found(crawl).await, (expected, 2));
    }
}

#[tokio::test]
async fn a_message_that_comes_twice_confirms_no_lost_content_and_another_process_does() {
    let week = NextWeek::of("Open").await;
    week.site.page("/a", Page::html("<main><p>We are busy</p></main>"));
    let patient = Stage::with(config_with(&week.site, &[("RECRAWL_QUIET", "600")]), week.store.clone()).await;
    let crawl = patient.crawl(&week.site.url(), "week 2").await.id;
    let page = linked(&week.site, crawl, "/a");
    assert_eq!(patient.pusher.page(&page).await, StatusCode::NO_CONTENT);
    assert_eq!(week.site.requests_for("/a").len(), 1);
    drop(patient);
    let stage = week.process().await;
    assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    assert_eq!(week.found(crawl).await, (Verdict::Changed, 2));
}
