//! Crawls of pages that are due.

use jiff::ToSpan;
use recrawl_core::model::crawl::{CrawlKind, Ending, Site};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_engine::{DueCrawl, DueError, open_due};
use recrawl_testkit::contract::samples;

use crate::harness::{CRAWL, Harness, id, minute};

const BEFORE: &str = "crawl-2026-11-14";

/// A site with a page that changes daily, one that never did, and one that has gone; last seen two days ago.
async fn known_site() -> (Harness, Site) {
    let harness = Harness::new().await;
    harness.open(BEFORE).await;
    for (path, changes, presence) in [
        ("/news", 50, recrawl_core::model::record::Presence::Present),
        ("/archive", 0, recrawl_core::model::record::Presence::Present),
        ("/gone", 50, recrawl_core::model::record::Presence::Gone),
    ] {
        let mut record = samples::record("default", BEFORE, path);
        record.known.presence = presence;
        record.known.last_seen = minute(-2 * 24 * 60);
        record.known.first_seen = record.known.last_seen - (100 * 24).hours();
        (record.known.observations, record.known.changes_detected) = (100, changes);
        harness.store.inner.record(&record, None).await.unwrap();
    }
    harness.close(BEFORE, Ending::Complete).await;
    let site = harness.store.inner.site(&harness.site).await.unwrap().unwrap();
    (harness, site)
}

#[tokio::test]
async fn exactly_the_pages_that_are_due_are_asked_for_as_they_were_found_before() {
    for (budget, expected) in
        [(None, vec!["/news"]), (Some(1), vec!["/news"]), (Some(9), vec!["/archive", "/news"])]
    {
        let (harness, site) = known_site().await;
        let store = &*harness.store;
        let opened = open_due(store, store, &site, budget, minute(0)).await.unwrap();
        assert_eq!(opened, Some(DueCrawl { crawl: id(CRAWL), pages: expected.len() }), "{budget:?}");
        let mut waiting = harness.waiting(CRAWL).await;
        waiting.sort();
        assert_eq!(waiting, expected, "{budget:?}");
    }
}

#[tokio::test]
async fn a_crawl_of_due_pages_is_partial_and_lacks_nothing() {
    let (harness, site) = known_site().await;
    let store = &*harness.store;
    open_due(store, store, &site, None, minute(0)).await.unwrap();
    let crawl = store.crawl_under_way(&harness.site).await.unwrap().unwrap();
    assert_eq!(crawl.kind, CrawlKind::Due);
    let again = open_due(store, store, &site, None, minute(1)).await;
    assert!(matches!(again, Err(DueError::Busy(busy)) if busy == crawl.id), "{again:?}");
    harness.find(CRAWL, Verdict::Changed, &["/news"]).await;
    let report = harness.tick(minute(15)).await;
    assert_eq!(
        (report.requeued, report.announced),
        (0, 1),
        "no link is followed, and no other page is missing"
    );
    let ending = Ending::Partial("only pages that were due".to_owned());
    assert_eq!(harness.ending(CRAWL).await, Some(ending));
}

#[tokio::test]
async fn no_crawl_is_opened_where_nothing_is_due() {
    let harness = Harness::new().await;
    let site = harness.store.inner.site(&harness.site).await.unwrap().unwrap();
    let store = &*harness.store;
    assert_eq!(open_due(store, store, &site, None, minute(0)).await.unwrap(), None);
    assert_eq!(harness.crawls().await, Vec::<String>::new());
}

#[tokio::test]
async fn due_pages_whose_messages_were_lost_keep_nobody_waiting() {
    let (harness, site) = known_site().await;
    let store = &*harness.store;
    open_due(store, store, &site, None, minute(0)).await.unwrap();
    let report = harness.tick(minute(15)).await;
    assert_eq!((report.closed.len(), report.closed[0].pages), (1, 0));
    let opened = open_due(store, store, &site, None, minute(20)).await.unwrap();
    assert_eq!(opened.map(|opened| opened.pages), Some(1), "it is still due");
}
