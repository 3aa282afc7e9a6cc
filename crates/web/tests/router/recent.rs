use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use jiff::{Timestamp, ToSpan};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::Store;
use recrawl_web::{App, Reader, router};
use scraper::Html;

use super::pages::select;
use super::{app, get, history};

/// The pages, the store behind them, and how many minutes have passed.
async fn world() -> (Router, Arc<MemoryStore>, Arc<AtomicI64>) {
    let store = Arc::new(history::town().await);
    let minutes = Arc::new(AtomicI64::new(0));
    let passed = Arc::clone(&minutes);
    let begun: Timestamp = "2026-11-16T04:00:00Z".parse().unwrap();
    let clock = Arc::new(move || begun + passed.load(Ordering::Relaxed).minutes());
    let app = App { library: store.clone(), clock, ..app(MemoryStore::default()) };
    (router(app), store, minutes)
}

/// Records a page where no crawl would: so one sees whether the store was read.
async fn add(store: &MemoryStore, site: &str, crawl: &str, path: &str) {
    let (site, crawl): (SiteId, CrawlId) = (site.parse().unwrap(), crawl.parse().unwrap());
    let mut record = store.records(&site, crawl, &[], None, 1).await.unwrap().remove(0);
    record.url = record.url.to_url().join(path).unwrap().as_str().parse().unwrap();
    record.visit.verdict = recrawl_core::model::verdict::Verdict::New;
    store.record(&record, None).await.unwrap();
}

async fn shown(router: &Router, site: &str, crawl: &str) -> usize {
    let answer = get(router, &format!("/sites/{site}/crawls/{crawl}?all=1")).await;
    select(&Html::parse_document(&answer.body), ".row").len()
}

#[tokio::test]
async fn a_closed_crawl_is_read_once_in_ten_minutes() {
    let (router, store, minutes) = world().await;
    let (site, crawl) = ("example.org-town", "crawl-2026-11-16");
    let before = shown(&router, site, crawl).await;
    add(&store, site, crawl, "/town/later").await;
    assert_eq!(shown(&router, site, crawl).await, before);
    minutes.store(9, Ordering::Relaxed);
    assert_eq!(shown(&router, site, crawl).await, before);
    minutes.store(10, Ordering::Relaxed);
    assert_eq!(shown(&router, site, crawl).await, before + 1);
}

#[tokio::test]
async fn an_open_crawl_and_one_that_was_accepted_are_read_again() {
    let (router, store, _) = world().await;
    let before = shown(&router, "park.example", "crawl-2026-11-16").await;
    add(&store, "park.example", "crawl-2026-11-16", "/later").await;
    assert_eq!(shown(&router, "park.example", "crawl-2026-11-16").await, before + 1);
    let (site, suspect) = ("example.org-town", "crawl-2026-11-12");
    let before = shown(&router, site, suspect).await;
    add(&store, site, suspect, "/town/later").await;
    assert_eq!(shown(&router, site, suspect).await, before);
    let now = "2026-11-16T04:00:00Z".parse().unwrap();
    store.accept_crawl(&site.parse().unwrap(), suspect.parse().unwrap(), now).await.unwrap();
    assert_eq!(shown(&router, site, suspect).await, before + 1);
}

#[tokio::test]
async fn a_difference_is_worked_out_once_and_by_the_rules_of_its_site() {
    let read = Arc::new(Mutex::new(Vec::new()));
    let asked = Arc::clone(&read);
    let reader: Reader = Arc::new(move |site: &Site| {
        asked.lock().unwrap().push(site.id.to_string());
        Arc::new(history::extractor())
    });
    let router = router(App { reader, ..app(history::town().await) });
    let address = "/sites/example.org-town/diff?url=https%3A%2F%2Fexample.org%2Ftown%2Fservices%2Fmobility";
    let first = get(&router, address).await;
    assert!(first.status.is_success(), "{}", first.body);
    assert_eq!(get(&router, address).await.body, first.body);
    get(&router, &format!("{address}&view=side")).await;
    assert_eq!(*read.lock().unwrap(), ["example.org-town"], "the same difference, shown otherwise");
    get(&router, &format!("{address}&view=raw")).await;
    assert_eq!(read.lock().unwrap().len(), 2, "another difference");
}

#[tokio::test]
async fn a_latest_crawl_that_is_dated_ahead_of_the_clock_is_told() {
    let (router, _, minutes) = world().await;
    let notices = async || {
        let answer = get(&router, "/sites/example.org-town").await;
        select(&Html::parse_document(&answer.body), ".notice").join(" ")
    };
    assert!(!notices().await.contains("ahead of"));
    minutes.store(-20 * 24 * 60, Ordering::Relaxed);
    let told = notices().await;
    assert!(
        told.contains("The latest crawl is dated 2026-11-16, ahead of this machine's clock (2026-10-27)"),
        "{told}"
    );
}
