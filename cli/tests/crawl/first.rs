//! What is new only because no crawl saw the whole site before is a number, and no news.

use recrawl_testkit::site::{Page, Site};

use crate::harness::{Harness, html, plant};

fn noted_for_archiving(harness: &Harness) -> i64 {
    let store = rusqlite::Connection::open(harness.path().join("recrawl.db")).unwrap();
    store.query_row("SELECT count(*) FROM archive_request", [], |row| row.get(0)).unwrap()
}

#[test]
fn after_a_crawl_that_was_limited_the_rest_of_the_site_is_counted() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    let first = harness.crawl(&site, &["--max-pages", "3"]);
    assert!(first.contains("Everything is new in a first crawl."), "{first}");
    site.page("/page-1", Page::html(html(1, 30, 400, "something else")));
    let second = harness.crawl(&site, &[]);
    assert!(!second.contains("partial") && second.contains("27 new"), "{second}");
    assert!(
        second.contains("27 new pages are not listed, because no crawl before saw the whole site."),
        "{second}"
    );
    assert!(!second.contains("/page-29"), "{second}");
    assert!(second.contains("/page-1"), "what changed is listed: {second}");
    assert_eq!(
        (harness.announced(), noted_for_archiving(&harness)),
        (1, 1),
        "the page that changed, and no other"
    );

    let root = html(0, 30, 400, "as ever").replace("</h1>", "</h1><a href=/news>news</a>");
    site.page("/", Page::html(root)).page("/news", Page::html("<h1>News</h1>"));
    let third = harness.crawl(&site, &[]);
    assert!(third.contains("/news"), "what is new after a whole crawl is news: {third}");
    assert_eq!((harness.announced(), noted_for_archiving(&harness)), (3, 3));
}

#[test]
fn of_a_site_that_is_only_seen_in_part_new_pages_are_told_after_three_crawls() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    for (crawl, told) in [(1, false), (2, false), (3, false), (4, true)] {
        let news = format!("/news-{crawl}");
        let root = html(0, 30, 400, "as ever").replace("</h1>", &format!("</h1><a href={news}>news</a>"));
        site.page("/", Page::html(root)).page(&news, Page::html(format!("<h1>News {crawl}</h1>")));
        let found = harness.crawl(&site, &["--max-pages", "3"]);
        assert!(found.contains("partial"), "{found}");
        assert!(harness.pages_found("new").contains(&news), "{found}");
        assert_eq!(found.contains(&news), told, "crawl {crawl}: {found}");
    }
}
