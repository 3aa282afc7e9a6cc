//! Messages that come more than once, at once, and from somebody who does not wait.

use std::time::Duration;

use futures_util::future::join_all;
use recrawl_core::ports::{QueuedPage, Store};
use recrawl_testkit::site::{Gate, Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, asked, linked, site_id};

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
            let recorded = stage.store.page(&site_id(), page.crawl, &page.url).await.unwrap();
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
    let (site, gate, stage, page) = hung_up().await;
    // Redelivery joins the visit that is under way.
    let (answer, ()) = tokio::join!(stage.pusher.page(&page), async { gate.open() });
    assert_eq!(answer, StatusCode::NO_CONTENT);
    assert!(stage.store.page(&site_id(), page.crawl, &page.url).await.unwrap().is_some());
    assert_eq!(site.requests_for("/slow").len(), 1);
}

#[tokio::test]
async fn a_visit_that_nobody_waits_for_any_more_is_recorded() {
    let (_site, gate, stage, page) = hung_up().await;
    gate.open();
    while stage.store.page(&site_id(), page.crawl, &page.url).await.unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Delivers a page that answers when the gate opens, and hangs up once its site was asked for it.
async fn hung_up() -> (Site, Gate, Stage, QueuedPage) {
    let (site, gate) = (Site::start().await, Gate::shut());
    site.page("/", Page::html("root")).page("/slow", Page::html("slow").behind(&gate));
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let page = linked(&site, stage.under_way().await.unwrap().id, "/slow");
    tokio::select! {
        answer = stage.pusher.page(&page) => panic!("{answer} came before the page"),
        () = site.asked_for("/slow", 1) => {}
    }
    (site, gate, stage, page)
}
