//! Which pages come first, and what is left for later: budgets, and pages that are due.

use std::collections::BTreeSet;

use recrawl_testkit::site::{Page, Site};
use serde_json::Value;

use crate::harness::{Harness, html, path, plant, visits};

fn asked(site: &Site) -> BTreeSet<String> {
    visits(site).into_iter().map(|request| request.path).collect()
}

/// Returns the paths that `recrawl plan` names.
fn planned(harness: &Harness, flags: &[&str]) -> Vec<String> {
    let json = harness.expect(0, &[&["plan", "--format", "json"], flags].concat());
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    let path = |url: &str| format!("/{}", url.splitn(4, '/').nth(3).unwrap());
    rows.iter().map(|row| path(row["url"].as_str().unwrap())).collect()
}

#[test]
fn a_budget_visits_the_best_pages_and_all_of_them_over_some_crawls() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    harness.crawl_in_order(&site, &[]);
    site.remove("/page-29");
    let mut all = BTreeSet::new();
    for crawl in 1..=4 {
        harness.wait_days(7);
        site.clear_log();
        let found = harness.crawl_in_order(&site, &["--budget", "10", "--check-share", "0"]);
        assert!(found.contains("partial: the budget of 10 requests was spent"), "{found}");
        assert_eq!(visits(&site).len(), 10, "crawl {crawl}");
        assert_eq!(harness.pages_found("gone"), Vec::<String>::new(), "a partial crawl makes no page gone");
        all.extend(asked(&site));
    }
    assert_eq!(all.len(), 30, "what waited longest came first: {all:?}");
    harness.crawl_in_order(&site, &[]);
    assert_eq!(harness.pages_found("gone"), ["/page-29"]);
}

#[test]
fn a_budget_counts_every_request_and_one_that_suffices_leaves_a_whole_crawl() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 6, 400);
    let found = harness.crawl_in_order(&site, &["--budget", "6"]);
    assert!(!found.contains("partial"), "{found}");
    site.clear_log();
    let found = harness.crawl_in_order(&site, &["--budget", "5", "--check-share", "1"]);
    assert!(found.contains("partial"), "a check is a request: {found}");
    assert_eq!(visits(&site).len(), 5);
    site.page("/page-1", Page::html("x").after(1, Page::status(503)));
    site.clear_log();
    let flags = ["--budget", "6", "--check-share", "0", "--back-off", "0.001"];
    let found = harness.crawl_in_order(&site, &flags);
    assert!(found.contains("partial"), "a retry is a request: {found}");
    assert_eq!(visits(&site).len(), 6);
}

#[test]
fn a_budget_prefers_what_was_never_seen_and_what_changes_often() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    harness.crawl_in_order(&site, &[]);
    for week in 0..4 {
        harness.wait_days(7);
        site.page("/page-28", Page::html(html(28, 30, 400, &format!("week {week}"))));
        harness.crawl_in_order(&site, &["--check-share", "0"]);
    }
    harness.wait_days(7);
    let with_news = html(0, 30, 400, "as ever").replace("</h1>", "</h1><a href=/new>new</a>");
    site.page("/", Page::html(with_news)).page("/new", Page::html("<p>new</p>"));
    site.clear_log();
    harness.crawl_in_order(&site, &["--budget", "3", "--check-share", "0"]);
    let paths: Vec<String> = visits(&site).into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/page-28", "/", "/new"]);
}

#[test]
fn pages_that_are_due_are_named_and_visited() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 13, 400);
    harness.crawl_in_order(&site, &[]);
    assert_eq!(planned(&harness, &[]), Vec::<String>::new());
    assert_eq!(planned(&harness, &["--budget", "3"]).len(), 3);
    site.page("/", Page::html(html(0, 13, 400, "as ever").replace("</h1>", "</h1><a href=/new>new</a>")));
    site.page("/new", Page::html("<p>new</p><a href=/page-5>5</a>"));
    site.clear_log();
    let found = harness.crawl_in_order(&site, &["--due", "--check-share", "0"]);
    assert!(found.contains("partial: only pages that were due were visited"), "{found}");
    assert_eq!(asked(&site), BTreeSet::from(["/".to_owned(), "/new".to_owned()]));
    assert_eq!(harness.verdicts().len(), 2, "pages that are not due have no record");

    harness.wait_days(40);
    assert_eq!(planned(&harness, &[]).len(), 14);
    site.remove("/page-3");
    site.clear_log();
    harness.crawl_in_order(&site, &["--due", "--check-share", "0"]);
    assert_eq!(asked(&site).len(), 14);
    assert_eq!(
        harness.pages_found("gone"),
        Vec::<String>::new(),
        "it is left to the next crawl of all pages"
    );
    assert_eq!(planned(&harness, &[]), ["/page-3"]);
    harness.crawl_in_order(&site, &[]);
    assert_eq!(harness.pages_found("gone"), ["/page-3"]);
    assert_eq!(planned(&harness, &[]), Vec::<String>::new());
}

#[test]
fn lively_pages_are_due_before_quiet_ones() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 13, 400);
    harness.crawl_in_order(&site, &[]);
    for day in 0..8 {
        harness.wait_days(1);
        let days = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
        // A page that gains a line; one whose only line is replaced each day is lively, which is noise.
        let news = days[..=day].join("</p><p>On day ");
        site.page("/page-9", Page::html(html(9, 13, 400, &format!("day {news}"))));
        harness.crawl_in_order(&site, &["--check-share", "0"]);
    }
    harness.wait_days(2);
    assert_eq!(planned(&harness, &[]), ["/page-9"]);
    site.clear_log();
    harness.crawl_in_order(&site, &["--due", "--check-share", "0"]);
    assert_eq!(asked(&site), BTreeSet::from(["/".to_owned(), path(9)]));
    let table = harness.expect(0, &["plan", "--budget", "2", "--format", "markdown"]);
    assert_eq!(table.lines().count(), 4, "{table}");
    let csv = harness.expect(0, &["plan", "--budget", "2", "--format", "csv"]);
    assert!(csv.starts_with("url,last_seen,changes_a_day,interval_seconds,due_since"), "{csv}");
}
