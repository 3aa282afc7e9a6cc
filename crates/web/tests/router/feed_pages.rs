//! Feeds in pages: nothing is left untold, whoever comes rarely, and nothing is told twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use feed_rs::model::{Entry, Feed};
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::Ending;
use recrawl_core::ports::Store;
use recrawl_web::{App, router};

use super::county::{Week, county};
use super::history::{Answer, Recorder, page};
use super::{app, get, get_with};

async fn fetched(router: &Router, address: &str) -> Feed {
    let answer = get(router, address).await;
    assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.body);
    feed_rs::parser::parse(answer.body.as_bytes()).unwrap()
}

fn link(feed: &Feed, relation: &str) -> Option<String> {
    let found = feed.links.iter().find(|link| link.rel.as_deref() == Some(relation));
    found.map(|link| link.href.strip_prefix("http://recrawl.test").unwrap().to_owned())
}

/// Reads a feed as a reader does that follows `next`; returns the entries of each page.
async fn read(router: &Router, address: &str) -> Vec<Vec<Entry>> {
    let (mut pages, mut next) = (Vec::new(), Some(address.to_owned()));
    while let Some(address) = next {
        let feed = fetched(router, &address).await;
        assert_eq!(link(&feed, "self"), Some(address.clone()));
        assert_eq!(link(&feed, "first").map(|first| first.starts_with("/feeds")), Some(true));
        next = link(&feed, "next");
        pages.push(feed.entries);
    }
    pages
}

fn titles(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.title.as_ref().unwrap().content.as_str()).collect()
}

#[tokio::test]
async fn who_follows_the_pages_is_told_each_of_392_changes_once() {
    let router = router(app(county(Week::Second).await));
    for address in ["/feeds/county.atom", "/feeds.atom"] {
        let pages = read(&router, address).await;
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 100, 92], "{address}");
        let entries: BTreeMap<&str, &Entry> =
            pages.iter().flatten().map(|entry| (entry.id.as_str(), entry)).collect();
        assert_eq!(entries.len(), 392, "{address}: no id comes twice");
        let told = |number: usize| format!("Page {number}: Fee 10 → 11 dollars for service {number}");
        for number in 0..392 {
            let expected = told(number);
            let count =
                pages.iter().flatten().filter(|entry| titles(std::slice::from_ref(entry)) == [&*expected]);
            assert_eq!(count.count(), 1, "{expected}");
        }
        // The newest crawl stands first: the one that was stopped after 54 pages.
        let days: Vec<String> = pages
            .iter()
            .flatten()
            .map(|entry| entry.updated.unwrap().to_rfc3339()[..10].to_owned())
            .collect();
        assert_eq!(days.iter().filter(|day| *day == "2026-11-16").count(), 54);
        assert!(days.iter().is_sorted_by(|one, other| one >= other), "{days:?}");
    }
}

#[tokio::test]
async fn a_crawl_that_ends_while_pages_are_read_moves_nothing() {
    let before = router(app(county(Week::Second).await));
    let after = router(app(county(Week::Third).await));
    let mut told: Vec<Entry> = Vec::new();
    let first = fetched(&before, "/feeds/county.atom").await;
    let mut next = link(&first, "next");
    told.extend(first.entries);
    while let Some(address) = next {
        let page = fetched(&after, &address).await;
        assert!(link(&page, "previous").is_some());
        next = link(&page, "next");
        told.extend(page.entries);
    }
    let mut ids: Vec<&str> = told.iter().map(|entry| entry.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((told.len(), ids.len()), (392, 392));
    let newest = fetched(&after, "/feeds/county.atom").await;
    assert_eq!(newest.entries[0].title.as_ref().unwrap().content, "New: Town hall");
    assert_eq!(newest.entries[1].id, told[0].id);
}

#[tokio::test]
async fn a_feed_that_says_the_same_is_not_sent_again() {
    let router = router(app(county(Week::Second).await));
    for address in ["/feeds.atom", "/feeds/county.atom?kind=changed&path=/7"] {
        let first = get(&router, address).await;
        let tag = first.header("etag").to_owned();
        let again = get_with(&router, address, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{address}");
    }
    let tag = get(&router, "/feeds/county.atom").await.header("etag").to_owned();
    let later = recrawl_web::router(app(county(Week::Third).await));
    let changed = get_with(&later, "/feeds/county.atom", &[("if-none-match", &tag)]).await;
    assert_eq!(changed.status, StatusCode::OK);
}

#[tokio::test]
async fn a_feed_is_filtered_as_the_api_is_and_its_pages_keep_the_filter() {
    let router = router(app(county(Week::Third).await));
    for (query, count) in [
        ("kind=new", 1),
        ("kind=gone", 0),
        ("path=%2F39", 3),
        ("match-added=service+391%24", 1),
        ("match-removed=11+dollars", 0),
        ("exclude-match=dollars", 1),
        ("kind=changed", 392),
    ] {
        let address = format!("/feeds/county.atom?{query}");
        let pages = read(&router, &address).await;
        assert_eq!(pages.iter().map(Vec::len).sum::<usize>(), count, "{query}");
    }
    let ids = ["/feeds/county.atom", "/feeds/county.atom?kind=new", "/feeds.atom?kind=new"];
    let mut feeds = Vec::new();
    for address in ids {
        feeds.push(fetched(&router, address).await.id);
    }
    feeds.dedup();
    assert_eq!(feeds.len(), 3, "a feed with another filter is another feed");
    for (address, status) in [
        ("/feeds/county.atom?page=99", StatusCode::NOT_FOUND),
        ("/feeds/county.atom?page=0", StatusCode::BAD_REQUEST),
        ("/feeds/county.atom?until=yesterday", StatusCode::BAD_REQUEST),
        ("/feeds/county.atom?match=(", StatusCode::UNPROCESSABLE_ENTITY),
        ("/feeds/nowhere.atom", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(get(&router, address).await.status, status, "{address}");
    }
}

#[tokio::test]
async fn an_unusual_crawl_is_told_once_it_is_accepted_and_then_as_news() {
    let mut town = Recorder::new(MemoryStore::default(), "town", "https://example.org/").await;
    let week = |hours: &'static str| -> Vec<(&'static str, Answer)> { vec![("/", page("Hours", &[hours]))] };
    town.crawl("crawl-2026-11-02", &week("9 to 17"), Some(Ending::Complete)).await;
    town.suspect_crawl("crawl-2026-11-09", &week("9 to 18"), "half of the pages lost their text").await;
    let store = Arc::new(town.into_store());
    let router = router(App { library: store.clone(), ..app(MemoryStore::default()) });
    assert_eq!(fetched(&router, "/feeds/town.atom").await.entries.len(), 0);
    let of_page = "/feeds/town/page.atom?url=https%3A%2F%2Fexample.org%2F";
    assert_eq!(titles(&fetched(&router, of_page).await.entries), ["New: Hours"]);
    // Who names it is told what it is.
    let named = fetched(&router, &format!("{of_page}&crawl=crawl-2026-11-09")).await;
    let said = |entry: &Entry| entry.content.as_ref().unwrap().body.clone().unwrap();
    assert_eq!(titles(&named.entries)[0], "Hours: 9 to 17 → 18");
    assert!(said(&named.entries[0]).contains("Nobody has accepted it yet."));
    let accepted: Timestamp = "2026-11-14T08:00:00Z".parse().unwrap();
    let site = "town".parse().unwrap();
    store.accept_crawl(&site, "crawl-2026-11-09".parse().unwrap(), accepted).await.unwrap();
    for address in ["/feeds/town.atom", "/feeds.atom", of_page] {
        let feed = fetched(&router, address).await;
        let entry = &feed.entries[0];
        assert_eq!(entry.title.as_ref().unwrap().content, "Hours: 9 to 17 → 18", "{address}");
        assert!(said(entry).contains("unusual: half of the pages lost their text."), "{}", said(entry));
        // A reader that asks for what is newer than its last visit gets it.
        assert_eq!(entry.updated.unwrap().to_rfc3339(), "2026-11-14T08:00:00+00:00");
    }
}
