//! A town of any size, of whose pages every fiftieth changes each week.

use std::fmt::Write;

use recrawl_testkit::site::{Page, Site};

use crate::cloud::Cloud;

/// Sections have pages below them, so that nothing is far from the root.
const SECTIONS: usize = 50;

/// Plants the town as it is in a week.
pub fn plant(site: &Site, pages: usize, week: usize) {
    let link = |number: usize| format!("<li><a href=/{}/{number}>Page {number}</a>", number % SECTIONS);
    let sections: String = (0..SECTIONS.min(pages)).map(link).collect();
    site.page("/", article("Town", &format!("<ul>{sections}</ul>")));
    for number in 0..pages {
        let mut body = String::new();
        for sentence in 0..40 {
            let _ = write!(body, "<p>Sentence {sentence} of page {number} says what it has always said.");
        }
        if changes(number) {
            let _ = write!(body, "<p>In week {week} there is news about number {number}.");
        }
        let below: String = (SECTIONS..pages).filter(|page| page % SECTIONS == number).map(link).collect();
        site.page(
            &format!("/{}/{number}", number % SECTIONS),
            article(&format!("Page {number}"), &format!("{body}<ul>{below}</ul>")),
        );
    }
}

/// Tells whether a page changes each week.
pub fn changes(number: usize) -> bool {
    number % 50 == 7
}

/// Returns every kind of page that `recrawl serve` has, with what it is.
pub fn addresses(cloud: &Cloud, crawl: &str) -> Vec<(&'static str, String)> {
    let page = format!("url={}/7/7", cloud.site.url()).replace("://", "%3A%2F%2F");
    let of_crawl = format!("/sites/default/crawls/{crawl}");
    vec![
        ("start page", "/".to_owned()),
        ("sites", "/sites".to_owned()),
        ("site", "/sites/default".to_owned()),
        ("crawl", of_crawl.clone()),
        ("crawl, noise as well", format!("{of_crawl}?tier=3")),
        ("history of a page", format!("/sites/default/page?{page}")),
        ("difference", format!("/sites/default/diff?{page}")),
        ("version", format!("/sites/default/version?{page}")),
        ("search", "/search?q=/7/".to_owned()),
        ("list as a file", format!("/changes.csv?list={of_crawl}")),
        ("feed", "/feeds.atom".to_owned()),
        ("feed of the site", "/feeds/default.atom".to_owned()),
        ("API: changes", "/api/v1/changes".to_owned()),
        ("API: overview", "/api/v1/overview".to_owned()),
    ]
}

fn article(title: &str, body: &str) -> Page {
    Page::html(format!("<!doctype html><title>{title}</title><main><h1>{title}</h1>{body}</main>"))
}
