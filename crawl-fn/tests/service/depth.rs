//! Where depth is limited, the same pages are visited in whatever order messages are delivered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crawl_fn::{Config, Deps};
use recrawl_core::memory::MemoryStore;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::mail::{Dice, Mail};
use crate::stage::{Stage, config_with, deps, linked};

fn put_up(site: &Site, pages: &[(&str, &[&str])]) {
    for (path, links) in pages {
        let links: Vec<String> = links.iter().map(|link| format!("<a href={link}>{link}</a>")).collect();
        site.page(path, Page::html(format!("<h1>{path}</h1>{}", links.concat())));
    }
}

fn limited(site: &Site, max_depth: u32) -> Config {
    config_with(site, &[("RECRAWL_MAX_DEPTH", &max_depth.to_string())])
}

/// Crawls to the end, and returns how far from the root the pages are that were visited. The instance is started anew
/// on the way.
async fn crawl(site: &Site, store: &Arc<MemoryStore>, dice: &mut Dice) -> BTreeMap<String, u32> {
    let mail: Arc<Mail> = Arc::default();
    let mut config = limited(site, 3);
    if dice.0.is_multiple_of(2) {
        // Two of the pages are messages at a time, and the others wait with the crawl.
        config.site.crawl.delay = Some(Duration::from_millis(5));
        config.process.ack_deadline = Duration::from_millis(50);
    }
    let start = || Stage::over(config.clone(), store.clone(), Deps { frontier: mail.clone(), ..deps(store) });
    let mut stage = start().await;
    stage.pusher.seed(&site.url(), &format!("{}", dice.0)).await;
    let crawl = stage.under_way().await.unwrap().id;
    loop {
        while let Some(page) = mail.next(dice) {
            while stage.pusher.page(&page).await != StatusCode::NO_CONTENT {}
            if dice.below(6) == 0 {
                stage = start().await;
            }
        }
        assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
        if stage.under_way().await.is_none() {
            break;
        }
        assert!(!mail.paths().is_empty(), "a tick closes the crawl or publishes what is missing");
    }
    let records = stage.records(crawl).await;
    records.iter().map(|record| (record.url.path().to_owned(), record.found.depth)).collect()
}

#[tokio::test]
async fn the_same_pages_are_visited_in_whatever_order_messages_come() {
    for order in 0..12 {
        let site = Site::start().await;
        let listed = format!("<urlset><url><loc>{}</loc></url></urlset>", site.at("/listed"));
        site.page("/robots.txt", Page::text(format!("Sitemap: {}\n", site.at("/sitemap.xml"))));
        site.page("/sitemap.xml", Page::xml(listed));
        put_up(&site, &[("/", &["/a", "/m", "/z"]), ("/a", &[]), ("/m", &[]), ("/z", &[])]);
        put_up(&site, &[("/listed", &["/l2"]), ("/l2", &["/l3"]), ("/l3", &["/l4"]), ("/l4", &[])]);
        let store: Arc<MemoryStore> = Arc::default();
        let mut dice = Dice(order);
        crawl(&site, &store, &mut dice).await;
        put_up(&site, &[("/a", &["/way"]), ("/way", &["/far", "/listed"]), ("/z", &["/far"])]);
        put_up(&site, &[("/far", &["/behind"]), ("/behind", &["/too-deep"]), ("/too-deep", &[])]);
        let visited = crawl(&site, &store, &mut dice).await;
        let expected = [
            ("/", 0),
            ("/a", 1),
            ("/behind", 3),
            ("/far", 2),
            ("/l2", 2),
            ("/l3", 3),
            ("/listed", 1),
            ("/m", 1),
            ("/way", 2),
            ("/z", 1),
        ];
        let expected = expected.map(|(path, depth)| (path.to_owned(), depth));
        assert_eq!(visited, BTreeMap::from(expected), "order {order}");
    }
}

#[tokio::test]
async fn a_second_message_for_a_page_by_a_shorter_way_is_heeded() {
    let site = Site::start().await;
    put_up(&site, &[("/", &[]), ("/far", &["/behind"]), ("/behind", &[])]);
    let (store, mail): (Arc<MemoryStore>, Arc<Mail>) = Default::default();
    let stage =
        Stage::over(limited(&site, 2), store.clone(), Deps { frontier: mail.clone(), ..deps(&store) });
    let stage = stage.await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    for depth in [3, 2, 1] {
        let mut page = linked(&site, crawl, "/far");
        page.found.depth = depth;
        assert_eq!(stage.pusher.page(&page).await, StatusCode::NO_CONTENT);
    }
    let far = stage.records(crawl).await.into_iter().find(|record| record.url.path() == "/far").unwrap();
    assert_eq!((far.visit.requests, far.found.depth), (1, 1), "a message from too far away is passed over");
    assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
    assert_eq!(mail.paths(), ["/behind"]);
}
