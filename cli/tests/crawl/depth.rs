//! `--max-depth`: what is near by any way is visited, whichever way was found first.

use recrawl_testkit::site::{Page, Site};

use crate::harness::Harness;

/// Plants pages with links, each named by its path.
fn put_up(site: &Site, pages: &[(&str, &[&str])]) {
    for (path, links) in pages {
        let links: Vec<String> = links.iter().map(|link| format!("<a href={link}>{link}</a>")).collect();
        site.page(path, Page::html(format!("<h1>{path}</h1>{}", links.concat())));
    }
}

fn visited(harness: &Harness) -> Vec<String> {
    harness.verdicts().into_keys().collect()
}

#[test]
fn a_recrawl_visits_what_is_near_by_a_way_that_it_finds_late() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    let quiet: [(&str, &[&str]); 4] = [("/", &["/a", "/m", "/z"]), ("/a", &[]), ("/m", &[]), ("/z", &[])];
    put_up(&site, &quiet);
    harness.crawl_in_order(&site, &["--max-depth", "3"]);
    // New pages come first, so /far is found over /a and /way before /z is asked for, which links to it directly. Where
    // requests are counted, pages are taken from the queue one by one.
    put_up(&site, &[("/a", &["/way"]), ("/way", &["/far"]), ("/z", &["/far"]), ("/far", &["/behind"])]);
    put_up(&site, &[("/behind", &["/too-deep"]), ("/too-deep", &[])]);
    let found = harness.crawl_in_order(&site, &["--max-depth", "3", "--budget", "100"]);
    assert!(!found.contains("partial"), "{found}");
    assert_eq!(visited(&harness), ["/", "/a", "/behind", "/far", "/m", "/way", "/z"]);
    let depths =
        "SELECT v.depth FROM visits v WHERE v.url LIKE '%/far' OR v.url LIKE '%/behind' ORDER BY v.url";
    let printed = harness.expect(0, &["sql", depths, "--format", "csv"]);
    assert_eq!(printed.lines().skip(1).collect::<Vec<_>>(), ["3", "2"], "the shortest way is recorded");
}

#[test]
fn any_number_of_visits_at_a_time_comes_to_the_same_pages() {
    let site = Site::start_blocking();
    put_up(&site, &[("/", &["/a", "/b", "/c"]), ("/a", &["/d"]), ("/d", &["/e"]), ("/e", &["/f"])]);
    put_up(&site, &[("/b", &["/e"]), ("/f", &["/g"]), ("/g", &[]), ("/c", &["/h"]), ("/h", &["/g"])]);
    for parallel in ["1", "2", "8"] {
        let harness = Harness::new();
        for _ in 0..2 {
            harness.crawl(&site, &["--max-depth", "3", "--parallel", parallel]);
            assert_eq!(
                visited(&harness),
                ["/", "/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"],
                "{parallel}"
            );
        }
    }
}
