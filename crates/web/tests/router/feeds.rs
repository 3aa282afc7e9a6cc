use std::collections::BTreeSet;

use axum::http::StatusCode;
use feed_rs::model::Feed;

use super::{BRIDGE, get, town};

async fn feed(address: &str) -> (Feed, String) {
    let answer = get(&town().await, address).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/atom+xml; charset=utf-8");
    (feed_rs::parser::parse(answer.body.as_bytes()).unwrap(), answer.body)
}

/// What RFC 4287 demands of feeds, as far as a parser forgives it.
fn check(feed: &Feed, address: &str) {
    assert!(feed.id.starts_with("urn:uuid:"), "{}", feed.id);
    assert!(feed.title.as_ref().is_some_and(|title| !title.content.is_empty()));
    assert!(!feed.authors.is_empty(), "section 4.1.1: an author of the feed, or of every entry");
    let newest = feed.entries.iter().filter_map(|entry| entry.updated).max();
    assert_eq!(feed.updated, newest.or(feed.updated));
    assert!(feed.updated.is_some());
    let own = feed.links.iter().find(|link| link.rel.as_deref() == Some("self")).unwrap();
    assert_eq!(own.href, format!("http://recrawl.test{address}"));
    let ids: BTreeSet<&str> = feed.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids.len(), feed.entries.len(), "section 4.1.1: ids differ");
    for entry in &feed.entries {
        assert!(entry.id.starts_with("urn:uuid:") && entry.updated.is_some());
        assert!(
            entry.links.iter().any(|link| link.rel.as_deref() == Some("alternate")
                && link.href.starts_with("http://recrawl.test/"))
        );
        let content = entry.content.as_ref().unwrap();
        assert_eq!(content.content_type.to_string(), "text/html");
    }
}

#[tokio::test]
async fn feeds_of_site_section_and_page_are_valid_and_tell_what_changed() {
    for (address, titles) in [
        (
            "/feeds/example.org-town/section/services.atom".to_owned(),
            vec![
                "Bridge opening hours: The bridge is open from 9 → 10 to 18, except on public holidays.",
                "Mobility: links, media changed",
                "Moved: Parking, now at /town/services/mobility",
                "Bridge opening hours: The bridge is open from 9 to 17 → 18, except on public holidays.",
            ],
        ),
        (
            format!("/feeds/example.org-town/page.atom?{BRIDGE}"),
            vec![
                "Bridge opening hours: The bridge is open from 9 → 10 to 18, except on public holidays.",
                "Bridge opening hours: The bridge is open from 9 to 17 → 18, except on public holidays.",
                "New: Bridge opening hours",
            ],
        ),
        ("/feeds/example.org-town/section/nothing.atom".to_owned(), vec![]),
    ] {
        let (feed, _) = feed(&address).await;
        check(&feed, &address);
        let shown: Vec<&str> =
            feed.entries.iter().map(|entry| entry.title.as_ref().unwrap().content.as_str()).collect();
        assert_eq!(shown, titles, "{address}");
    }
    let (feed, _) = feed("/feeds/example.org-town.atom").await;
    check(&feed, "/feeds/example.org-town.atom");
    // Neither the first crawl nor the one that nobody believes is told.
    let told: Vec<String> =
        feed.entries.iter().map(|entry| entry.updated.unwrap().to_rfc3339()[..10].to_owned()).collect();
    assert_eq!(told.iter().filter(|day| *day == "2026-11-16").count(), 7);
    assert!(told.iter().all(|day| day != "2026-10-19" && day != "2026-11-12"), "{told:?}");
}

#[tokio::test]
async fn an_entry_holds_the_difference() {
    let (feed, _) = feed(&format!("/feeds/example.org-town/page.atom?{BRIDGE}")).await;
    let content = feed.entries[0].content.as_ref().unwrap().body.clone().unwrap();
    assert!(content.contains(">9</del>") && content.contains(">10</ins>"), "{content}");
}

#[tokio::test]
async fn ids_of_entries_last() {
    let ids = |feed: Feed| feed.entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>();
    let address = "/feeds/example.org-town.atom";
    let (first, second) = (feed(address).await.0, feed(address).await.0);
    // As it was told since there are feeds.
    let lasting = "urn:uuid:648ec4eb-fc44-8601-bd98-99076936fcab";
    assert!(first.entries.iter().any(|entry| entry.id == lasting));
    assert_eq!(ids(first), ids(second));
}
