//! Pages are visited in the order of their priority, in whatever order their messages come.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use crawl_fn::Deps;
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use tokio::task::JoinSet;

use crate::mail::{Dice, Mail};
use crate::stage::{Stage, config, deps};

const PAGES: usize = 400;

/// Tells whether the sitemap says that a page changed.
fn is_newer(number: usize) -> bool {
    number.is_multiple_of(5)
}

fn plant(site: &Site, newer: &str) {
    let links: Vec<String> = (0..PAGES).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(links.concat()));
    let mut robots = String::new();
    for part in 0..4 {
        let mut entries = String::new();
        for number in (0..PAGES).filter(|number| number % 4 == part) {
            let (page, lastmod) =
                (site.at(&format!("/{number}")), if is_newer(number) { newer } else { "2020-01-01" });
            let _ = write!(entries, "<url><loc>{page}</loc><lastmod>{lastmod}</lastmod></url>");
        }
        let path = format!("/sitemap-{part}.xml");
        site.page(&path, Page::xml(format!("<urlset>{entries}</urlset>")));
        let _ = writeln!(robots, "Sitemap: {}", site.at(&path));
    }
    site.page("/robots.txt", Page::text(robots));
    for number in 0..PAGES {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}</p>")));
    }
}

/// Delivers all messages at once, and what is published meanwhile; returns how many there were at most.
async fn deliver(stage: &Stage, mail: &Mail) -> usize {
    let (mut under_way, mut most, mut dice) = (JoinSet::new(), 0, Dice(1));
    loop {
        while let Some(page) = mail.next(&mut dice) {
            let pusher = stage.pusher.clone();
            under_way.spawn(async move { pusher.page(&page).await });
        }
        most = most.max(under_way.len());
        match under_way.join_next().await {
            Some(status) => assert_eq!(status.unwrap(), StatusCode::NO_CONTENT, "nobody is sent away"),
            None => return most,
        }
    }
}

#[tokio::test]
async fn what_the_sitemaps_call_newer_is_visited_first_although_all_of_it_waits() {
    let site = Site::start().await;
    plant(&site, "2020-01-01");
    let store: Arc<MemoryStore> = Arc::default();
    let first = Stage::with(config(&site), store.clone()).await;
    let crawl = first.crawl(&site.url(), "week 1").await;
    first.close(crawl.id).await;
    plant(&site, &Timestamp::now().to_string());
    site.clear_log();
    let mail: Arc<Mail> = Arc::default();
    let mut config = config(&site);
    config.site.crawl.delay = Some(Duration::from_millis(15));
    config.site.crawl.sitemap_cache = Duration::ZERO;
    config.process.ack_deadline = Duration::from_secs(10);
    let stage = Stage::over(config, store.clone(), Deps { frontier: mail.clone(), ..deps(&store) }).await;
    stage.pusher.seed(&site.url(), "week 2").await;
    let most = deliver(&stage, &mail).await;
    // A fifth of them comes twice.
    assert!(most <= 300, "{most} messages were on their way at once");
    let asked: Vec<usize> = site.log().iter().filter_map(|request| request.path[1..].parse().ok()).collect();
    assert_eq!(asked.len(), PAGES, "every page is asked for, once");
    // Those that arrive first begin before the others are there.
    let newer = (0..PAGES).filter(|number| is_newer(*number)).count();
    let early = asked[..newer + 30].iter().filter(|number| is_newer(**number)).count();
    assert!(early >= newer - 2, "{early} of {newer}: {asked:?}");
}
