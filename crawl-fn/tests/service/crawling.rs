//! Whole crawls, driven by pushes alone.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::record::FoundBy;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Change;
use recrawl_core::ports::{PullFrontier, Store};
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::lines::Lines;
use crate::stage::{Stage, asked, config, delivery, linked, site_id};

async fn small_site() -> Site {
    let site = Site::start().await;
    let listed = format!("<urlset><url><loc>{}</loc></url></urlset>", site.at("/listed"));
    let robots = format!("User-agent: *\nDisallow: /private\nSitemap: {}\n", site.at("/sitemap.xml"));
    site.page("/robots.txt", Page::text(robots))
        .page("/sitemap.xml", Page::xml(listed))
        .page("/", Page::html("<title>Root</title><a href=/a>a</a><a href=/b>b</a><a href=/private>p</a>"))
        .page("/a", Page::html("<title>A</title>one<a href=/b>b</a><a href=/old>old</a>"))
        .page("/b", Page::html("<title>B</title><a href=/>root</a><a href=/missing>gone</a>"))
        .page("/listed", Page::html("<title>Listed</title>"))
        .page("/new", Page::html("<title>New</title>"))
        .redirect("/old", "/new", 301);
    site
}

fn sorted(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> =
        pairs.iter().map(|(path, word)| ((*path).to_owned(), (*word).to_owned())).collect();
    pairs.sort();
    pairs
}

#[tokio::test]
async fn a_seed_leads_to_every_page_and_each_is_fetched_once() {
    let site = small_site().await;
    let stage = Stage::start(&site).await;
    let lines = Lines::default();
    let _capturing = lines.capture();
    let crawl = stage.crawl(&site.url(), "weekly").await;
    assert_eq!(crawl.opened_by.as_deref(), Some("weekly"));
    let expected = sorted(&[
        ("/", "new"),
        ("/a", "new"),
        ("/b", "new"),
        ("/listed", "new"),
        ("/missing", "missing"),
        ("/new", "new"),
        ("/old", "new"),
        ("/private", "excluded"),
    ]);
    assert_eq!(stage.verdicts(crawl.id).await, expected);
    assert!(asked(&site).iter().all(|(_, times)| *times == 1), "{:?}", asked(&site));
    assert_eq!(lines.pushes().iter().filter(|line| line["outcome"] == "recorded").count(), 8);
    assert_eq!(lines.pushes().len(), 8, "each page is one message: {}", lines.text());
    assert_eq!(stage.store.announcements().len(), 0, "what is found is told when the crawl is closed");
    stage.close(crawl.id).await;
    assert_eq!(stage.store.announcements().len(), 0, "what is new to a first crawl is not told one by one");
    assert_eq!(stage.store.archive_requests().len(), 0, "a first crawl asks for nothing");
    let records = stage.records(crawl.id).await;
    let found = |path: &str| records.iter().find(|record| record.url.path() == path).unwrap().found.by;
    assert_eq!(
        [found("/"), found("/a"), found("/listed"), found("/new")],
        [FoundBy::Seed, FoundBy::Link, FoundBy::Sitemap, FoundBy::Redirect]
    );
}

#[tokio::test]
async fn the_second_week_finds_what_changed_and_pays_for_nothing_else() {
    let site = small_site().await;
    let store: Arc<MemoryStore> = Arc::default();
    let first = Stage::with(config(&site), store.clone()).await;
    first.crawl(&site.url(), "week 1").await;
    assert_eq!(first.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
    assert!(first.under_way().await.is_none(), "the tick closes what is complete");
    site.page("/a", Page::html("<title>A</title>two<a href=/b>b</a><a href=/old>old</a>")).remove("/listed");
    site.clear_log();
    let second = Stage::with(config(&site), store.clone()).await;
    let crawl = second.crawl(&site.url(), "week 2").await;
    let page = second.store.page(&site_id(), crawl.id, &site.at("/listed")).await.unwrap();
    assert!(page.is_none(), "a page that is absent once is not recorded");
    assert_eq!(site.requests_for("/listed").len(), 1);
    second.close(crawl.id).await;
    assert_eq!(site.requests_for("/listed").len(), 2, "the second look makes it gone");
    let expected = sorted(&[
        ("/", "unchanged"),
        ("/a", "changed"),
        ("/b", "unchanged"),
        ("/listed", "gone"),
        ("/missing", "missing"),
        ("/new", "unchanged"),
        ("/old", "unchanged"),
        ("/private", "excluded"),
    ]);
    assert_eq!(second.verdicts(crawl.id).await, expected);
    let told: Vec<_> = store.announcements().into_iter().filter(|told| told.crawl == crawl.id).collect();
    let mut changes: Vec<_> =
        told.iter().map(|told| (told.page.path().to_owned(), told.change, told.diff.clone())).collect();
    changes.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(changes.len(), 2);
    assert_eq!((changes[0].0.as_str(), changes[0].1), ("/a", Change::Change));
    let diff = changes[0].2.as_deref().unwrap();
    assert!(diff.contains("one") && diff.contains("two"), "{diff}");
    assert_eq!((changes[1].0.as_str(), changes[1].1), ("/listed", Change::Delete));
    let wished: Vec<_> = store.archive_requests().into_iter().map(|request| request.page).collect();
    assert_eq!(wished, [site.at("/a")]);
    assert_eq!(site.requests_for("/b")[0].status, Some(304));
}

#[tokio::test]
async fn after_a_partial_crawl_the_rest_of_the_site_is_neither_announced_nor_archived() {
    let site = small_site().await;
    let store: Arc<MemoryStore> = Arc::default();
    let stage = Stage::with(config(&site), store.clone()).await;
    stage.pusher.seed(&site.url(), "week 1").await;
    let crawl = stage.under_way().await.unwrap().id;
    assert_eq!(stage.pusher.page(&linked(&site, crawl, "/a")).await, StatusCode::NO_CONTENT);
    let ending = Ending::Partial("the limit of 2 pages was reached".to_owned());
    let (at, statistics) = (Timestamp::now(), Statistics::default());
    let closed = Closed { at, ending, suspicion: None, state: None, statistics };
    store.close_crawl(&site_id(), crawl, &closed).await.unwrap();
    site.page("/a", Page::html("<title>A</title>two<a href=/b>b</a><a href=/old>old</a>"));
    let second = Stage::with(config(&site), store.clone()).await;
    let crawl = second.crawl(&site.url(), "week 2").await;
    second.close(crawl.id).await;
    let told: Vec<_> = store.announcements().into_iter().map(|told| (told.page, told.change)).collect();
    assert_eq!(told, [(site.at("/a"), Change::Change)], "what is new is a number in the summary");
    let wished: Vec<_> = store.archive_requests().into_iter().map(|request| request.page).collect();
    assert_eq!(wished, [site.at("/a")]);
}

#[tokio::test]
async fn a_crawl_that_another_page_opens_begins_at_the_root_too() {
    let site = small_site().await;
    let stage = Stage::start(&site).await;
    stage.pusher.seed(site.at("/b").as_str(), "by hand").await;
    let crawl = stage.under_way().await.unwrap();
    let waiting = stage.store.waiting_pages(&site_id(), crawl.id).await.unwrap();
    assert!(waiting.contains(&site.at("/")), "{waiting:?}");
    stage.pusher.work_off(&stage.store, crawl.id).await;
    assert_eq!(stage.verdicts(crawl.id).await.len(), 8);
    // Another seed joins, and what is done is not done again.
    stage.pusher.seed(site.at("/a").as_str(), "by hand again").await;
    assert_eq!(stage.under_way().await.unwrap().id, crawl.id);
    assert_eq!(site.requests_for("/a").len(), 1);
}

#[tokio::test]
async fn a_message_is_taken_in_every_form() {
    let site = small_site().await;
    let stage = Stage::start(&site).await;
    stage.pusher.seed(&format!("\u{feff} \"{}\"\n", site.at("/a")), "quoted").await;
    let crawl = stage.under_way().await.unwrap();
    let json = format!(r#"{{"url":"{}","crawl":"{}","depth":3,"extra":1}}"#, site.at("/b"), crawl.id);
    assert_eq!(stage.pusher.push(&delivery(&json, "json")).await, StatusCode::NO_CONTENT);
    let mut attributed = delivery(site.at("/new").as_str(), "attributes");
    attributed.attributes.insert("crawl".to_owned(), crawl.id.to_string());
    assert_eq!(stage.pusher.push(&attributed).await, StatusCode::NO_CONTENT);
    // A subscription without a wrapper sends the data alone.
    let bare = stage.pusher.post("/pubsub/crawl", site.at("/listed").to_string()).await;
    assert_eq!(bare.status(), StatusCode::NO_CONTENT);
    let records = stage.records(crawl.id).await;
    let paths: Vec<&str> = records.iter().map(|record| record.url.path()).collect();
    assert_eq!(paths, ["/a", "/b", "/listed", "/new"]);
    assert_eq!(records[1].found.depth, 3);
}

#[tokio::test]
async fn a_restarted_service_fetches_nothing_twice() {
    let site = small_site().await;
    let store: Arc<MemoryStore> = Arc::default();
    let before = Stage::with(config(&site), store.clone()).await;
    before.pusher.seed(&site.url(), "weekly").await;
    let crawl = before.under_way().await.unwrap().id;
    assert_eq!(before.pusher.page(&linked(&site, crawl, "/a")).await, StatusCode::NO_CONTENT);
    drop(before);
    let reopened = Arc::new(store.reopened());
    let after = Stage::with(config(&site), reopened).await;
    // Everything that was under way comes again, and with it what was done.
    for path in ["/", "/a"] {
        assert_eq!(after.pusher.page(&linked(&site, crawl, path)).await, StatusCode::NO_CONTENT);
    }
    after.pusher.seed(&site.url(), "weekly").await;
    after.pusher.work_off(&after.store, crawl).await;
    assert_eq!(after.verdicts(crawl).await.len(), 8);
    let pages = asked(&site).into_iter().filter(|(path, _)| path != "/robots.txt");
    assert!(pages.clone().all(|(_, times)| times == 1), "{:?}", asked(&site));
}
