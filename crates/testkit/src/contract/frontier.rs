//! The contract of [`Frontier`] and [`PullFrontier`], on a frontier that shares its store.

use std::collections::HashSet;
use std::sync::Arc;

use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::ports::{Frontier, Priority, PullFrontier, QueueError, QueuedPage, Store};
use recrawl_core::url::PageUrl;
use tokio::task::JoinSet;

use super::Subject;
use super::samples::{FIRST, SECOND, crawl_id, open, page, queued, record, site_id};

async fn queue_paths(pull_frontier: &impl Frontier, paths: &[&str]) {
    let pages: Vec<QueuedPage> = paths.iter().map(|path| queued("a", FIRST, path)).collect();
    pull_frontier.queue(&pages).await.unwrap();
}

async fn queue_path(pull_frontier: &impl Frontier, path: &str, priority: i64) {
    let page = QueuedPage { priority: Priority(priority), ..queued("a", FIRST, path) };
    pull_frontier.queue(&[page]).await.unwrap();
}

async fn take_paths(pull_frontier: &impl PullFrontier, limit: usize) -> Vec<String> {
    let taken = pull_frontier.take(&site_id("a"), crawl_id(FIRST), limit).await.unwrap();
    taken.iter().map(|page| page.url.path().to_owned()).collect()
}

async fn waiting(pull_frontier: &impl PullFrontier) -> u64 {
    pull_frontier.waiting(&site_id("a"), crawl_id(FIRST)).await.unwrap()
}

pub async fn pages_are_taken_in_the_order_in_which_they_were_queued<
    S: Subject<Port: Store + PullFrontier>,
>(
    subject: S,
) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    assert_eq!(take_paths(pull_frontier, 9).await, [""; 0]);
    queue_paths(pull_frontier, &["/c", "/a"]).await;
    queue_paths(pull_frontier, &["/b", "/d"]).await;
    assert_eq!(take_paths(pull_frontier, 3).await, ["/c", "/a", "/b"]);
    assert_eq!(take_paths(pull_frontier, 3).await, ["/d"]);
    assert_eq!(take_paths(pull_frontier, 3).await, [""; 0]);
    queue_paths(pull_frontier, &["/0"]).await;
    assert_eq!(take_paths(pull_frontier, 3).await, ["/0"]);
}

pub async fn the_highest_priority_is_taken_first<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    let waiting = [("/3", 5), ("/1", i64::MAX), ("/6", i64::MIN), ("/4", 5), ("/2", 6), ("/5", -1)];
    for (path, priority) in waiting {
        queue_path(pull_frontier, path, priority).await;
    }
    assert_eq!(take_paths(pull_frontier, 2).await, ["/1", "/2"]);
    assert_eq!(take_paths(pull_frontier, 3).await, ["/3", "/4", "/5"]);
    queue_path(pull_frontier, "/late", 0).await;
    assert_eq!(
        take_paths(pull_frontier, 9).await,
        ["/late", "/6"],
        "a page that comes late has its place, too"
    );
}

pub async fn a_page_queued_again_keeps_its_place<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    queue_path(pull_frontier, "/low", 1).await;
    queue_path(pull_frontier, "/high", 2).await;
    queue_path(pull_frontier, "/low", 3).await;
    assert_eq!(take_paths(pull_frontier, 1).await, ["/high"]);
    queue_path(pull_frontier, "/high", 9).await;
    assert_eq!(take_paths(pull_frontier, 9).await, ["/low"]);
}

pub async fn a_recorded_page_takes_no_place<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    for (path, priority) in [("/a", 4), ("/b", 3), ("/c", 2), ("/d", 1)] {
        queue_path(pull_frontier, path, priority).await;
    }
    assert_eq!(take_paths(pull_frontier, 1).await, ["/a"]);
    pull_frontier.record(&record("a", FIRST, "/b"), None).await.unwrap();
    assert_eq!(take_paths(pull_frontier, 2).await, ["/c", "/d"], "as many as were asked for");
}

pub async fn a_page_is_taken_as_it_was_queued<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    let ways = [FoundBy::Seed, FoundBy::Link, FoundBy::Redirect, FoundBy::Sitemap, FoundBy::Memory];
    let mut pages = Vec::new();
    for (depth, by) in (0..).zip(ways) {
        let mut one = queued("a", FIRST, &format!("/{depth}"));
        let referrer = (by == FoundBy::Link).then(|| page("/referrer"));
        one.found = Found { by, depth, referrer };
        one.priority = Priority(-i64::from(depth));
        pages.push(one);
    }
    pull_frontier.queue(&pages).await.unwrap();
    assert_eq!(pull_frontier.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap(), pages);
}

pub async fn a_page_queued_twice_is_handed_out_once<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    queue_paths(pull_frontier, &["/a", "/a", "/b"]).await;
    queue_paths(pull_frontier, &["/b", "/c"]).await;
    assert_eq!(waiting(pull_frontier).await, 3);
    assert_eq!(take_paths(pull_frontier, 9).await, ["/a", "/b", "/c"]);
    queue_paths(pull_frontier, &["/a", "/b", "/c"]).await;
    assert_eq!(take_paths(pull_frontier, 9).await, [""; 0]);
}

pub async fn a_recorded_page_waits_no_more<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    queue_paths(pull_frontier, &["/a", "/b", "/c"]).await;
    assert_eq!(take_paths(pull_frontier, 1).await, ["/a"]);
    assert_eq!(waiting(pull_frontier).await, 3, "a page that was handed out still waits");
    pull_frontier.record(&record("a", FIRST, "/a"), None).await.unwrap();
    pull_frontier.record(&record("a", FIRST, "/b"), None).await.unwrap();
    assert_eq!(waiting(pull_frontier).await, 1);
    assert_eq!(pull_frontier.waiting_pages(&site_id("a"), crawl_id(FIRST)).await.unwrap(), [page("/c")]);
    assert_eq!(take_paths(pull_frontier, 9).await, ["/c"]);
}

pub async fn a_page_queued_after_all_others_were_recorded_is_handed_out<
    S: Subject<Port: Store + PullFrontier>,
>(
    subject: S,
) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    for path in ["/a", "/b", "/c"] {
        queue_paths(pull_frontier, &[path]).await;
        assert_eq!(take_paths(pull_frontier, 9).await, [path]);
        pull_frontier.record(&record("a", FIRST, path), None).await.unwrap();
        assert_eq!(waiting(pull_frontier).await, 0);
    }
}

pub async fn a_recorded_page_is_not_queued_again<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    pull_frontier.record(&record("a", FIRST, "/a"), None).await.unwrap();
    queue_paths(pull_frontier, &["/a", "/b"]).await;
    assert_eq!(take_paths(pull_frontier, 9).await, ["/b"]);
    assert_eq!(waiting(pull_frontier).await, 1);
}

pub async fn crawls_and_sites_have_their_own_backlogs<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    open(pull_frontier, "a").await;
    open(pull_frontier, "b").await;
    pull_frontier.record(&record("a", SECOND, "/x"), None).await.unwrap();
    let pages = [queued("a", FIRST, "/x"), queued("b", FIRST, "/x"), queued("b", SECOND, "/x")];
    pull_frontier.queue(&pages).await.unwrap();
    pull_frontier.record(&record("b", FIRST, "/x"), None).await.unwrap();
    let cases = [("a", FIRST, 1), ("a", SECOND, 0), ("b", FIRST, 0), ("b", SECOND, 1)];
    for (site, crawl, expected) in cases {
        let (site, crawl) = (site_id(site), crawl_id(crawl));
        assert_eq!(pull_frontier.waiting(&site, crawl).await.unwrap(), expected, "{site} {crawl}");
        assert_eq!(pull_frontier.waiting_pages(&site, crawl).await.unwrap().len() as u64, expected);
        assert_eq!(pull_frontier.take(&site, crawl, 9).await.unwrap().len() as u64, expected);
    }
}

pub async fn concurrent_takers_share_the_work<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    open(subject.port(), "a").await;
    let pages: Vec<QueuedPage> = (0..100).map(|number| queued("a", FIRST, &format!("/{number}"))).collect();
    subject.port().queue(&pages).await.unwrap();
    let subject = Arc::new(subject);
    let mut takers = JoinSet::new();
    for _ in 0..16 {
        let subject = Arc::clone(&subject);
        takers.spawn(async move { subject.port().take(&site_id("a"), crawl_id(FIRST), 7).await.unwrap() });
    }
    let taken: Vec<PageUrl> = takers.join_all().await.into_iter().flatten().map(|page| page.url).collect();
    assert_eq!(taken.len(), 100);
    assert_eq!(taken.iter().collect::<HashSet<_>>().len(), 100);
}

pub async fn queueing_for_an_absent_crawl_is_refused<S: Subject<Port: Store + PullFrontier>>(subject: S) {
    let pull_frontier = subject.port();
    let refused = pull_frontier.queue(&[queued("a", FIRST, "/")]).await;
    assert!(matches!(refused, Err(QueueError::Refused(_))), "{refused:?}");
    assert_eq!(pull_frontier.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap(), []);
    assert_eq!(waiting(pull_frontier).await, 0);
    pull_frontier.queue(&[]).await.unwrap();
}

/// Adds the tests of [`PullFrontier`] on the subject that the expression makes.
#[macro_export]
macro_rules! frontier_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { frontier, $fresh;
            pages_are_taken_in_the_order_in_which_they_were_queued
            the_highest_priority_is_taken_first
            a_page_queued_again_keeps_its_place
            a_recorded_page_takes_no_place
            a_page_is_taken_as_it_was_queued
            a_page_queued_twice_is_handed_out_once
            a_recorded_page_waits_no_more
            a_page_queued_after_all_others_were_recorded_is_handed_out
            a_recorded_page_is_not_queued_again
            crawls_and_sites_have_their_own_backlogs
            concurrent_takers_share_the_work
            queueing_for_an_absent_crawl_is_refused
        }
    };
}
