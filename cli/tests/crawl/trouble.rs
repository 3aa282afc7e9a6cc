//! A site in trouble never looks like a site that changed.

use recrawl_testkit::site::{Page, Site};

use crate::harness::{Harness, html, path, plant, visits};

/// What a firewall answers in place of a page, with status 200.
const BLOCKED: &str = "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>\
    <h1>Sorry, you have been blocked</h1><p>You are unable to access example.org</p>\
    <p>Cloudflare Ray ID: <strong>7f1d2c3b4a596871</strong></p></body></html>";

const PAGES: usize = 21;

#[test]
fn a_site_in_trouble_has_no_page_gone_and_none_changed_and_says_so() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.fallback(Page::html("<h1>Oh no</h1><p>We looked everywhere and found nothing."));
    plant(&site, PAGES, 400);
    let whole = format!("<html><body>{}</body></html>", html(10, PAGES, 400, "as ever"));
    site.page("/page-10", Page::html(whole.clone()));
    harness.crawl_in_order(&site, &[]);
    let announced = harness.announced();

    for number in (1..PAGES).step_by(2) {
        site.page(&path(number), Page::status(503));
    }
    site.page("/page-2", Page::html(BLOCKED));
    site.page("/page-4", Page::html(""));
    site.redirect("/page-6", "/user/login?destination=/page-6", 302);
    site.remove("/page-8");
    site.page("/page-10", Page::html(&whole[..whole.len() / 2]));
    let flags = ["--back-off", "0.001", "--retries", "1"];
    let (status, found, said) = harness.outcome(&site, &flags);
    assert_eq!(status, 4, "{found}\n{said}");
    let verdicts = harness.verdicts();
    for (page, reason) in [
        ("/page-1", "status 503"),
        ("/page-2", "a block page (Cloudflare)"),
        ("/page-4", "an empty body"),
        ("/page-6", "asks for a login at"),
        ("/page-8", "a soft 404"),
        ("/page-10", "the page breaks off"),
    ] {
        assert_eq!(verdicts[page], "failed", "{page}");
        let query = format!("select reason from visits where crawl like '%-2' and url like '%{page}'");
        let known = harness.expect(0, &["sql", &query, "--format", "csv"]);
        assert!(known.contains(reason), "{page}: {known}");
    }
    let failed = verdicts.values().filter(|verdict| *verdict == "failed").count();
    let unchanged = verdicts.values().filter(|verdict| *verdict == "unchanged").count();
    assert_eq!((failed, unchanged), (15, PAGES - 15), "{verdicts:?}");
    assert!(
        found.contains("failed, 15 of 21 pages failed or were refused. No change was sent yet"),
        "{found}"
    );
    assert!(found.contains("No change was sent yet") && found.contains("recrawl accept"), "{found}");
    assert!(found.contains("warning: 10 pages could not be read: status 503"), "{found}");
    assert_eq!(harness.announced(), announced);

    plant(&site, PAGES, 400);
    site.page("/page-10", Page::html(whole));
    let found = harness.crawl_in_order(&site, &[]);
    assert!(found.contains("nothing changed in 21 pages"), "{found}");
}

#[test]
fn a_page_is_gone_if_it_is_absent_twice_the_second_time_at_the_end() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    site.page("/page-1", Page::html(html(1, PAGES, 400, "as ever")).after(1, Page::status(404)));
    site.remove("/page-20");
    site.clear_log();
    let (status, found, said) = harness.outcome(&site, &["--check-share", "0"]);
    assert_eq!(status, 0, "{found}\n{said}");
    assert!(said.contains("visiting 2 pages again that seem to be gone or empty"), "{said}");
    assert_eq!(harness.pages_found("gone"), ["/page-20"]);
    assert_eq!(harness.pages_found("unchanged").len(), PAGES - 1);
    let paths: Vec<String> = visits(&site).into_iter().map(|request| request.path).collect();
    assert_eq!(paths.len(), PAGES + 2, "{paths:?}");
    let mut last: Vec<&str> = paths[PAGES..].iter().map(String::as_str).collect();
    last.sort_unstable();
    assert_eq!(last, ["/page-1", "/page-20"]);
    let query = "select sum(requests) as requests from visits where crawl like '%-2'";
    let counted = harness.expect(0, &["sql", query, "--format", "csv"]);
    assert!(counted.contains("23"), "both visits count: {counted}");
}

#[test]
fn a_mass_loss_is_unusual_until_somebody_accepts_it() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    let announced = harness.announced();
    lose(&site);
    let (status, found, _) = harness.outcome(&site, &[]);
    assert_eq!(status, 4, "{found}");
    assert!(found.contains("unusual, 8 of 21 pages are gone. No change was sent yet"), "{found}");
    assert_eq!(harness.announced(), announced, "nothing is announced");

    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    assert_eq!(
        harness.pages_found("unchanged").len(),
        PAGES,
        "compared with the crawl before the unusual one"
    );

    lose(&site);
    assert_eq!(harness.outcome(&site, &[]).0, 4);
    for _ in 0..2 {
        harness.expect(0, &["accept"]);
        assert_eq!(harness.announced(), announced + 8, "what was held is announced, once");
    }
    let found = harness.crawl_in_order(&site, &[]);
    assert!(found.contains("nothing changed in"), "{found}");
    assert_eq!(harness.announced(), announced + 8);
}

#[test]
fn an_outage_is_told_from_news_by_the_line_that_stands_there_instead() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    let announced = harness.announced();
    let notice = "Live data is being updated. Please check back soon.";
    for number in 1..9 {
        site.page(&path(number), Page::html(format!("<html><body><p>{notice}</p></body></html>")));
    }
    site.page(
        "/page-12",
        Page::html(format!("<html><body>{}</body></html>", html(12, PAGES, 400, "new words"))),
    );
    let (status, found, _) = harness.outcome(&site, &[]);
    assert_eq!(status, 4, "{found}");
    assert!(found.contains("the same on 8 pages"), "{found}");
    assert!(found.contains(&format!("Outage?    recrawl noise --stand-in \"{notice}\"")), "{found}");
    assert_eq!(harness.announced(), announced, "nothing is announced");

    harness.expect(0, &["noise", "--stand-in", notice]);
    assert_eq!(harness.announced(), announced + 1, "what else changed is announced");
    let pages = harness.pages_found("failed");
    assert_eq!(pages.len(), 8, "the pages of the outage tell nothing: {pages:?}");
    harness.expect(0, &["noise", "--stand-in", notice]);
    assert_eq!(harness.announced(), announced + 1, "saying it twice is saying it once");

    plant(&site, PAGES, 400);
    site.page(
        "/page-12",
        Page::html(format!("<html><body>{}</body></html>", html(12, PAGES, 400, "new words"))),
    );
    let found = harness.crawl_in_order(&site, &[]);
    assert!(found.contains("nothing changed in"), "they are what they were before the outage: {found}");
}

#[test]
fn a_mass_loss_that_lasts_is_told_by_the_next_crawl() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    let announced = harness.announced();
    lose(&site);
    assert_eq!(harness.outcome(&site, &[]).0, 4);
    let found = harness.crawl_in_order(&site, &[]);
    assert!(found.contains("which was unusual: all changes since then were sent"), "{found}");
    assert_eq!(harness.announced(), announced + 8);
    let said = harness.expect(0, &["crawls"]);
    assert!(said.contains("unusual, confirmed by crawl-"), "{said}");
}

#[test]
fn new_words_on_every_page_are_no_reason_to_doubt() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    harness.crawl_in_order(&site, &[]);
    for number in 0..PAGES {
        site.page(&path(number), Page::html(html(number, PAGES, 400, "the new look")));
    }
    let found = harness.crawl_in_order(&site, &[]);
    assert!(!found.contains("unusual"), "{found}");
}

fn lose(site: &Site) {
    for number in 1..=8 {
        site.page(&path(number), Page::status(404));
    }
}

#[test]
fn a_first_crawl_is_never_doubted() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    for number in 1..PAGES {
        site.page(&path(number), Page::status(403));
    }
    let (status, found, _) = harness.outcome(&site, &[]);
    assert_eq!(status, 3, "{found}");
    assert!(!found.contains("unusual"), "{found}");
    assert!(found.contains("warning: 3 pages could not be read: status 403"), "{found}");
}
