//! Where depth is limited, the same pages are visited in whatever order messages are delivered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use crawl_fn::{Config, Deps};
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{Frontier, QueueError, QueuedPage};
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config_with, deps, linked};

/// Messages that wait to be delivered, in any order.
#[derive(Debug, Default)]
struct Mail(Mutex<Vec<QueuedPage>>);

#[async_trait]
impl Frontier for Mail {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        self.0.lock().unwrap().extend_from_slice(pages);
        Ok(())
    }
}

impl Mail {
    /// Takes one of the messages, which the dice choose; one in five comes again.
    fn next(&self, dice: &mut Dice) -> Option<QueuedPage> {
        let mut waiting = self.0.lock().unwrap();
        if waiting.is_empty() {
            return None;
        }
        let place = dice.below(waiting.len());
        Some(if dice.below(5) == 0 { waiting[place].clone() } else { waiting.remove(place) })
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

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
    let start =
        || Stage::over(limited(site, 3), store.clone(), Deps { frontier: mail.clone(), ..deps(store) });
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
        assert!(!mail.0.lock().unwrap().is_empty(), "a tick closes the crawl or publishes what is missing");
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
    let waiting: Vec<String> = mail.0.lock().unwrap().iter().map(|page| page.url.path().to_owned()).collect();
    assert_eq!(waiting, ["/behind"]);
}
