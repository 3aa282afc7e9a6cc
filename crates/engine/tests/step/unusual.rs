//! The week after an unusual crawl: it is told in any case, and fetches nothing again.

use recrawl_core::model::crawl::{Closed, Crawl};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;

use crate::harness::Harness;

const PAGES: usize = 10;

fn path(number: usize) -> String {
    format!("/{number}")
}

/// A site of ten pages that was crawled once.
async fn known_site() -> Harness {
    let harness = Harness::new().await;
    let paths: Vec<String> = (0..PAGES).map(path).collect();
    harness.web.page("/", &format!("home {}", paths.join(" ")));
    for path in &paths {
        harness.web.page(path, path);
    }
    harness.crawl().await;
    harness
}

/// Crawls, and returns how that ended and what was told, as paths.
async fn week(harness: &Harness) -> (Crawl, Closed, Vec<String>) {
    let before = harness.store.announcements().len();
    let crawl = harness.crawl().await;
    let told =
        harness.store.announcements()[before..].iter().map(|told| told.page.path().to_owned()).collect();
    let closed = closed(harness, &crawl).await;
    (crawl, closed, told)
}

async fn closed(harness: &Harness, crawl: &Crawl) -> Closed {
    let crawls = harness.store.crawls(&harness.site.id).await.unwrap();
    crawls.into_iter().find(|stored| stored.id == crawl.id).and_then(|stored| stored.closed).unwrap()
}

fn lose(harness: &Harness, pages: std::ops::Range<usize>) {
    for number in pages {
        harness.web.status(&path(number), 404);
    }
}

fn restore(harness: &Harness, pages: std::ops::Range<usize>) {
    for number in pages {
        harness.web.page(&path(number), &path(number));
    }
}

#[tokio::test]
async fn what_is_found_twice_is_told_with_all_since_the_believed_crawl() {
    let harness = known_site().await;
    lose(&harness, 0..6);
    harness.web.page("/8", "edited in the unusual week");
    let (unusual, unusual_closed, told) = week(&harness).await;
    assert!(!unusual_closed.is_trusted() && told.is_empty(), "{told:?}");

    restore(&harness, 5..6);
    harness.web.page("/9", "edited a week later");
    let (confirming, confirming_closed, told) = week(&harness).await;
    assert_eq!(told, ["/0", "/1", "/2", "/3", "/4", "/8", "/9"]);
    assert_eq!(confirming_closed.suspicion, None, "five of six are as then");
    let suspicion = closed(&harness, &unusual).await.suspicion.unwrap();
    assert_eq!((suspicion.confirmed_by, suspicion.accepted_at), (Some(confirming.id), None));

    let (_, closed, told) = week(&harness).await;
    assert!(
        closed.suspicion.is_none() && told.is_empty(),
        "it is what later crawls are compared with: {told:?}"
    );
}

#[tokio::test]
async fn a_site_that_is_back_is_told_as_if_nothing_had_been() {
    let harness = known_site().await;
    lose(&harness, 0..6);
    let (unusual, ..) = week(&harness).await;
    restore(&harness, 0..6);
    harness.web.page("/9", "edited");
    let (_, back, told) = week(&harness).await;
    assert_eq!((told, back.suspicion), (vec!["/9".to_owned()], None));
    let suspicion = closed(&harness, &unusual).await.suspicion.unwrap();
    assert_eq!((suspicion.confirmed_by, suspicion.accepted_at), (None, None));
}

#[tokio::test]
async fn a_second_unusual_week_of_another_kind_is_told_as_unusual() {
    let harness = known_site().await;
    lose(&harness, 0..6);
    let (_, silent, told) = week(&harness).await;
    assert!(told.is_empty() && silent.told_as_unusual().is_none());
    restore(&harness, 0..6);
    lose(&harness, 4..9);
    let (_, loud, told) = week(&harness).await;
    assert_eq!(told, ["/4", "/5", "/6", "/7", "/8"]);
    assert_eq!(loud.told_as_unusual().unwrap().reason, "5 of 11 pages are gone");
    let (_, ordinary, told) = week(&harness).await;
    assert!(ordinary.suspicion.is_none() && told.is_empty(), "what was told is known: {told:?}");
    lose(&harness, 0..4);
    harness.web.status("/9", 404);
    let (_, silent, told) = week(&harness).await;
    assert!(told.is_empty() && !silent.is_trusted(), "the next one is doubted again");
}

#[tokio::test]
async fn failed_pages_confirm_nothing_and_the_site_is_never_silent_twice() {
    let harness = known_site().await;
    for number in 0..8 {
        harness.web.status(&path(number), 403);
    }
    let (_, first, told) = week(&harness).await;
    assert!(told.is_empty() && !first.is_trusted());
    harness.web.page("/9", "edited");
    let (_, second, told) = week(&harness).await;
    assert_eq!(told, ["/9"]);
    let reason = &second.told_as_unusual().unwrap().reason;
    assert_eq!(reason, "8 of 11 pages failed or were refused");
    restore(&harness, 0..8);
    let (_, third, told) = week(&harness).await;
    assert!(third.suspicion.is_none() && told.is_empty(), "they are what they were: {told:?}");
}

#[tokio::test]
async fn what_an_unusual_crawl_fetched_is_not_fetched_again_and_says_the_same() {
    let harness = known_site().await;
    lose(&harness, 0..5);
    harness.web.page("/", "home /0 /1 /2 /3 /4 /5 /6 /7 /8 /9 /new");
    harness.web.page("/new", "a new page");
    harness.web.page("/8", "edited");
    harness.web.page("/9", "/9 ~touched");
    let (unusual, ..) = week(&harness).await;
    let (next, closed, told) = week(&harness).await;
    assert_eq!(closed.statistics.not_modified, 7, "of twelve pages, five are gone");
    for (path, verdict) in [
        ("/new", Verdict::New),
        ("/8", Verdict::Changed),
        ("/9", Verdict::Touched),
        ("/7", Verdict::Unchanged),
    ] {
        let then = harness.record(unusual.id, path).await.unwrap();
        let now = harness.record(next.id, path).await.unwrap();
        assert_eq!((then.visit.verdict, now.visit.verdict), (verdict, verdict), "{path}");
        assert!(now.visit.not_modified && now.visit.saved_bytes > 0, "{path}");
        assert_eq!(now.known.content, then.known.content, "{path}");
        assert_eq!(now.visit.aspects, then.visit.aspects, "{path}");
        assert_eq!(now.known.changes_detected, then.known.changes_detected, "{path} is counted once");
        assert_eq!(now.archive.is_some(), then.archive.is_some(), "{path}");
    }
    assert_eq!(told, ["/", "/0", "/1", "/2", "/3", "/4", "/8", "/new"]);
    let (last, closed, told) = week(&harness).await;
    assert_eq!((told, closed.statistics.not_modified), (vec![], 7));
    assert_eq!(harness.record(last.id, "/8").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_page_that_is_back_after_an_unusual_crawl_is_compared_with_what_is_believed() {
    let harness = known_site().await;
    lose(&harness, 0..5);
    harness.web.page("/8", "edited");
    harness.web.page("/9", "edited, too");
    week(&harness).await;
    restore(&harness, 0..5);
    harness.web.page("/8", "/8");
    harness.web.page("/9", "edited once more");
    let (next, _, told) = week(&harness).await;
    assert_eq!(told, ["/9"]);
    let record = harness.record(next.id, "/8").await.unwrap();
    assert_eq!((record.visit.verdict, record.known.changes_detected), (Verdict::Unchanged, 0));
    assert_eq!(harness.record(next.id, "/9").await.unwrap().known.changes_detected, 1);
}
