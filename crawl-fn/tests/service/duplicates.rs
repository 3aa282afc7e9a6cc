//! Messages that come more than once, at once, and from somebody who does not wait.

use std::time::Duration;

use futures_util::future::join_all;
use recrawl_core::ports::Store;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, asked, linked, queued, site_id, wrapped};

#[tokio::test]
async fn a_message_that_comes_thrice_at_once_is_one_visit_with_three_answers() {
    let site = Site::start().await;
    let slow =
        |title: &str| Page::html(format!("<title>{title}</title>")).delayed(Duration::from_millis(200));
    site.page("/", Page::html("root"));
    let paths = ["/a", "/b", "/c"];
    for path in paths {
        site.page(path, slow(path));
    }
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let pushes = paths.iter().cycle().take(9).map(|path| {
        let (stage, page) = (&stage, linked(&site, crawl, path));
        async move {
            let status = stage.pusher.page(&page).await;
            let recorded = stage.store.page(&site_id(), crawl, &page.url).await.unwrap();
            (status, recorded.is_some())
        }
    });
    // Nobody is told that a page is done before it is recorded.
    assert_eq!(join_all(pushes).await, [(StatusCode::NO_CONTENT, true); 9]);
    // And once more when everything is done.
    for path in paths {
        assert_eq!(stage.pusher.page(&linked(&site, crawl, path)).await, StatusCode::NO_CONTENT);
    }
    assert!(asked(&site).iter().filter(|(path, _)| paths.contains(&&**path)).all(|(_, times)| *times == 1));
}

#[tokio::test]
async fn a_visit_goes_on_when_the_pusher_hangs_up() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/slow", Page::html("slow").delayed(Duration::from_millis(500)));
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let page = linked(&site, crawl, "/slow");
    let url = format!("{}/pubsub/crawl", stage.pusher.url);
    let body = wrapped(&queued(&page));
    let hasty = stage.pusher.client.post(url).body(body).timeout(Duration::from_millis(150)).send().await;
    assert!(hasty.unwrap_err().is_timeout());
    // Redelivery joins the visit that is under way.
    assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    assert!(stage.store.page(&site_id(), crawl, &page.url).await.unwrap().is_some());
    assert_eq!(site.requests_for("/slow").len(), 1);
}

#[tokio::test]
async fn a_visit_that_nobody_waits_for_any_more_is_recorded() {
    let site = Site::start().await;
    site.page("/", Page::html("root")).page("/slow", Page::html("slow").delayed(Duration::from_millis(300)));
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    let page = linked(&site, crawl, "/slow");
    let url = format!("{}/pubsub/crawl", stage.pusher.url);
    let request = stage.pusher.client.post(url).body(wrapped(&queued(&page)));
    assert!(request.timeout(Duration::from_millis(100)).send().await.is_err());
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(stage.store.page(&site_id(), crawl, &page.url).await.unwrap().is_some());
}
