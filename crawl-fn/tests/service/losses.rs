//! Messages that are lost, and processes that die with pages that they kept.

use std::sync::Arc;

use crawl_fn::{Config, Deps};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::CrawlId;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::mail::{Dice, Mail};
use crate::stage::{Stage, config, config_with, deps, site_id};

async fn start(config: Config, store: &Arc<MemoryStore>, mail: &Arc<Mail>) -> Stage {
    Stage::over(config, store.clone(), Deps { frontier: mail.clone(), ..deps(store) }).await
}

async fn tick(stage: &Stage) {
    assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
}

/// Delivers what waits, and ticks, until the crawl is closed.
async fn finish(stage: &Stage, mail: &Mail, dice: &mut Dice) {
    loop {
        while let Some(page) = mail.next(dice) {
            while stage.pusher.page(&page).await != StatusCode::NO_CONTENT {}
        }
        tick(stage).await;
        if stage.under_way().await.is_none() {
            return;
        }
        assert_ne!(mail.paths(), [] as [&str; 0], "a tick closes the crawl or publishes what is missing");
    }
}

async fn paths(stage: &Stage, crawl: CrawlId) -> Vec<String> {
    let mut paths: Vec<String> =
        stage.records(crawl).await.iter().map(|record| record.url.path().to_owned()).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn a_page_that_only_a_sitemap_knows_is_visited_although_its_message_was_lost() {
    for restarts in [false, true] {
        let site = Site::start().await;
        site.page("/", Page::html("nothing leads anywhere"));
        site.page("/only", Page::html("listed"));
        let entry = format!("<url><loc>{}</loc></url>", site.at("/only"));
        site.page("/sitemap.xml", Page::xml(format!("<urlset>{entry}</urlset>")));
        let (store, mail): (Arc<MemoryStore>, Arc<Mail>) = Default::default();
        let mut stage = start(config(&site), &store, &mail).await;
        stage.pusher.seed(&site.url(), "weekly").await;
        let crawl = stage.under_way().await.unwrap().id;
        assert_eq!(mail.take().len(), 1, "its message is on its way, and does not arrive");
        if restarts {
            stage = start(config(&site), &store, &mail).await;
        }
        tick(&stage).await;
        assert_eq!(mail.paths(), ["/only"], "restarted: {restarts}");
        finish(&stage, &mail, &mut Dice(1)).await;
        assert_eq!(paths(&stage, crawl).await, ["/", "/only"]);
        let crawls = recrawl_core::ports::Store::crawls(&*store, &site_id()).await.unwrap();
        assert_eq!(crawls[0].closed.as_ref().unwrap().ending, Ending::Complete);
        assert_eq!(site.requests_for("/only").len(), 1);
    }
}

#[tokio::test]
async fn an_image_whose_message_died_with_a_process_is_asked_for() {
    let site = Site::start().await;
    site.page("/", Page::html("<p>A picture<img src=/picture.png>"));
    site.page("/picture.png", Page::bytes("image/png", "first"));
    let watching = || config_with(&site, &[("RECRAWL_WATCH_IMAGES", "true")]);
    let (store, mail): (Arc<MemoryStore>, Arc<Mail>) = Default::default();
    let stage = start(watching(), &store, &mail).await;
    stage.pusher.seed(&site.url(), "weekly").await;
    let crawl = stage.under_way().await.unwrap().id;
    assert_eq!(mail.take().len(), 1);
    let stage = start(watching(), &store, &mail).await;
    // A stray message: the process takes up the crawl.
    stage.pusher.seed(&site.url(), "again").await;
    tick(&stage).await;
    assert_eq!(mail.paths(), ["/picture.png"]);
    finish(&stage, &mail, &mut Dice(1)).await;
    assert_eq!(paths(&stage, crawl).await, ["/", "/picture.png"]);
}

/// A site whose pages are found one behind the other, and too many of them at once to be messages.
fn put_up(site: &Site, pages: usize) {
    let links = |from: usize| {
        let links = (from..pages.min(from + 60)).map(|number| format!("<a href=/{number}>{number}</a>"));
        links.collect::<String>()
    };
    site.page("/", Page::html(links(0)));
    for number in 0..pages {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}</p>{}", links(number + 1))));
    }
}

#[tokio::test]
async fn no_page_is_lost_with_processes_that_kept_it_and_messages_that_were_dropped() {
    const PAGES: usize = 150;
    let narrow = |site: &Site| {
        let mut config = config(site);
        // As it is, some twenty messages are on their way at a time.
        config.site.crawl.delay = Some(std::time::Duration::from_millis(5));
        config.process.ack_deadline = std::time::Duration::from_millis(500);
        config
    };
    for order in 0..4 {
        let site = Site::start().await;
        put_up(&site, PAGES);
        let (store, mail): (Arc<MemoryStore>, Arc<Mail>) = Default::default();
        let mut dice = Dice(order);
        let mut stage = start(narrow(&site), &store, &mail).await;
        stage.pusher.seed(&site.url(), "weekly").await;
        let crawl = stage.under_way().await.unwrap().id;
        loop {
            match mail.next(&mut dice) {
                // One in thirty is dropped, and one in thirty is the last that the process does.
                Some(_) if dice.below(30) == 0 => {}
                Some(page) => {
                    while stage.pusher.page(&page).await != StatusCode::NO_CONTENT {}
                    if dice.below(30) == 0 {
                        stage = start(narrow(&site), &store, &mail).await;
                    }
                }
                None => tick(&stage).await,
            }
            if stage.under_way().await.is_none() {
                break;
            }
        }
        assert_eq!(stage.records(crawl).await.len(), PAGES + 1, "order {order}");
        let crawls = recrawl_core::ports::Store::crawls(&*store, &site_id()).await.unwrap();
        assert_eq!(crawls[0].closed.as_ref().unwrap().ending, Ending::Complete, "order {order}");
    }
}
