//! Requests to the Wayback Machine.

use std::sync::Arc;

use crawl_fn::Deps;
use futures_util::future::join_all;
use jiff::Timestamp;
use recrawl_archive::{ArchiveWorker, SavePageNow, SavePageNowSettings};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::ids::EventId;
use recrawl_core::ports::{ArchiveRequest, Store};
use recrawl_queue_pubsub::message::ArchiveMessage;
use recrawl_testkit::save_page_now::SavePageNow as Wayback;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, delivery, deps, site_id, wrapped};

fn body(request: &ArchiveRequest) -> Vec<u8> {
    wrapped(&delivery(&ArchiveMessage::from(request).to_json(), "archive"))
}

async fn stage(site: &Site, wayback: &Wayback) -> Stage {
    let store: Arc<MemoryStore> = Arc::default();
    let settings = SavePageNowSettings { base: wayback.url(), ..SavePageNowSettings::new("recrawl/test") };
    let archive_worker = ArchiveWorker::new(store.clone(), SavePageNow::new(settings).unwrap());
    let deps = Deps { archive_worker: Some(Arc::new(archive_worker)), ..deps(&store) };
    let mut eager = config(site);
    eager.site.crawl.archive = ArchivePolicy::All;
    Stage::over(eager, store, deps).await
}

#[tokio::test]
async fn a_request_that_comes_thrice_is_one_capture() {
    let (site, wayback) = (Site::start().await, Wayback::start());
    site.page("/", Page::html("root"));
    let stage = stage(&site, &wayback).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    assert!(stage.store.archive_requests().is_empty(), "the crawl is open");
    stage.close(crawl).await;
    let requests = stage.store.archive_requests();
    assert_eq!(requests.len(), 1);
    let pushes = (0..3).map(|_| stage.pusher.post("/pubsub/archive", body(&requests[0])));
    for response in join_all(pushes).await {
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
    }
    assert_eq!(wayback.captures().into_iter().collect::<Vec<_>>(), [(site.at("/").to_string(), 1)]);
    let record = stage.store.page(&site_id(), crawl, &site.at("/")).await.unwrap().unwrap();
    assert_eq!(record.archive.unwrap().state, ArchiveState::Captured);
}

#[tokio::test]
async fn a_request_for_a_page_that_nobody_knows_is_acknowledged() {
    let (site, wayback) = (Site::start().await, Wayback::start());
    site.page("/", Page::html("root"));
    let stage = stage(&site, &wayback).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let (page, requested_at) = (site.at("/unknown"), Timestamp::now());
    let unknown =
        ArchiveRequest { id: EventId::new(crawl, &page), site: site_id(), crawl, page, requested_at };
    let never = ArchiveRequest { crawl: "crawl-1999-12-31".parse().unwrap(), ..unknown.clone() };
    let elsewhere = ArchiveRequest { site: "elsewhere".parse().unwrap(), ..unknown.clone() };
    for request in [unknown, never, elsewhere] {
        let response = stage.pusher.post("/pubsub/archive", body(&request)).await;
        assert_eq!(response.status(), StatusCode::NO_CONTENT, "{request:?}");
    }
    assert!(wayback.submissions().is_empty(), "the crawl is open");
    stage.close(crawl).await;
    let request = &stage.store.archive_requests()[0];
    assert_eq!(stage.pusher.post("/pubsub/archive", body(request)).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(stage.pusher.post("/pubsub/archive", body(request)).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(wayback.submissions().len(), 1);
}

#[tokio::test]
async fn one_message_is_enough_for_every_page_that_waits() {
    let (site, wayback) = (Site::start().await, Wayback::start());
    site.page("/", Page::html("<a href=/a>a</a> <a href=/b>b</a>"));
    site.page("/a", Page::html("one")).page("/b", Page::html("two"));
    let stage = stage(&site, &wayback).await;
    let crawl = stage.crawl(&site.url(), "weekly").await.id;
    stage.close(crawl).await;
    let request = &stage.store.archive_requests()[0];
    assert_eq!(stage.pusher.post("/pubsub/archive", body(request)).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(wayback.captures().len(), 3);
}
