//! What sitemaps say of pages, and how far it is believed.

use jiff::{SignedDuration, Timestamp};
use recrawl_testkit::site::{Page, Site};

use crate::harness::{Harness, path, plant, visits};

/// Plants a sitemap that lists pages with their dates.
fn list(site: &Site, pages: impl IntoIterator<Item = (usize, Timestamp)>) {
    let entry = |(number, changed): (usize, Timestamp)| {
        format!("<url><loc>{}</loc><lastmod>{changed}</lastmod></url>", path(number))
    };
    let entries: Vec<String> = pages.into_iter().map(entry).collect();
    site.page("/sitemap.xml", Page::xml(format!("<urlset>{}</urlset>", entries.concat())));
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::now() - SignedDuration::from_hours(24 * days)
}

fn paths(site: &Site) -> Vec<String> {
    visits(site).into_iter().map(|request| request.path).collect()
}

#[test]
fn a_page_that_the_sitemap_calls_changed_is_visited_first() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    list(&site, (0..30).map(|number| (number, days_ago(100))));
    harness.crawl_in_order(&site, &[]);
    harness.wait_days(7);
    list(&site, (0..30).map(|number| (number, days_ago(if number == 25 { 1 } else { 100 }))));
    site.clear_log();
    harness.crawl_in_order(&site, &["--budget", "3", "--check-share", "0"]);
    assert_eq!(paths(&site)[0], "/page-25");
}

#[test]
fn a_date_that_always_says_now_is_ignored() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    let list_as_now = || list(&site, (1..29).map(|number| (number, Timestamp::now())));
    list_as_now();
    harness.crawl_in_order(&site, &[]);
    harness.wait_days(6);
    list_as_now();
    site.clear_log();
    harness.crawl_in_order(&site, &["--budget", "3", "--check-share", "0"]);
    assert_eq!(
        paths(&site)[0],
        "/",
        "as if the sitemap said nothing, the page nearest to the root comes first"
    );
}

#[test]
fn a_reliable_sitemap_lets_a_smart_crawl_skip_pages() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    list(&site, (0..30).map(|number| (number, days_ago(100))));
    let smart = ["--mode", "smart", "--smart-sample", "5", "--check-share", "0"];
    harness.crawl_in_order(&site, &[]);
    harness.wait_days(7);
    site.clear_log();
    harness.crawl_in_order(&site, &["--check-share", "0"]);
    assert_eq!(paths(&site).len(), 30, "the sitemap proves itself, and only a smart crawl relies on it");
    harness.wait_days(7);
    list(&site, (0..30).map(|number| (number, days_ago(if number == 25 { 1 } else { 100 }))));
    site.clear_log();
    harness.crawl_in_order(&site, &smart);
    let asked = paths(&site);
    assert!((5..=7).contains(&asked.len()), "the root, the sample, and the page called changed: {asked:?}");
    assert!(asked.contains(&"/page-25".to_owned()), "{asked:?}");
    assert_eq!(harness.pages_found("unchanged").len(), 30);
}

#[test]
fn a_page_that_only_the_sitemap_knows_is_found() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 3, 400);
    site.page("/hidden", Page::html("<p>hidden</p>"));
    site.page("/sitemap.xml", Page::xml("<urlset><url><loc>/hidden</loc></url></urlset>"));
    harness.crawl_in_order(&site, &[]);
    assert_eq!(harness.verdicts()["/hidden"], "new");
    site.clear_log();
    harness.crawl_in_order(&site, &["--check-share", "0"]);
    assert_eq!(harness.verdicts()["/hidden"], "unchanged");
    assert!(site.requests_for("/sitemap.xml").is_empty(), "it was read today");
    harness.crawl_in_order(&site, &["--sitemap-cache", "0"]);
    assert_eq!(site.requests_for("/sitemap.xml")[0].status, Some(304));
}
