//! Servers that ask to be left alone for days.

use recrawl_testkit::site::{Page, Site};

use crate::harness::Harness;

const WEEK: &str = "604800";

/// The exit status of a crawl that goes on later.
const BROKEN_OFF: i32 = 1;

#[test]
fn told_to_stay_away_for_a_week_the_same_command_asks_for_nothing_before() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/robots.txt", Page::text("User-agent: *\nAllow: /\n"));
    site.page("/", Page::status(503).with_retry_after(WEEK));
    let (status, _, said) = harness.outcome(&site, &[]);
    assert_eq!(status, BROKEN_OFF, "{said}");
    assert!(said.contains("asked to be left alone until"), "{said}");
    assert_eq!(site.requests_for("/").len(), 1);

    site.clear_log();
    site.page("/", Page::html("<p>Well again"));
    for flags in [&[][..], &["--dry-run"], &["--no-robots", "--i-own-this-site"]] {
        let (status, found, said) = harness.outcome(&site, flags);
        assert_eq!(status == BROKEN_OFF, flags != ["--dry-run"], "{flags:?}: {said}");
        assert!(
            format!("{found}{said}").contains("asked to be left alone until"),
            "{flags:?}: {found}{said}"
        );
    }
    let (_, _, said) = harness.outcome(&site, &[]);
    assert!(said.contains("The crawl stays open; run the same command after that"), "{said}");
    assert!(site.log().is_empty(), "not even robots.txt: {:?}", site.log());

    harness.wait_days(8);
    let (status, found, said) = harness.outcome(&site, &[]);
    assert_eq!(status, 0, "{found}{said}");
    assert_eq!(harness.pages_found("new"), ["/"]);
}

#[test]
fn a_robots_txt_that_asks_to_be_left_alone_is_not_asked_for_again_either() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/robots.txt", Page::status(429).with_retry_after(WEEK)).page("/", Page::html("x"));
    for requests in [1, 0] {
        site.clear_log();
        let (status, _, said) = harness.outcome(&site, &[]);
        assert_eq!(status, BROKEN_OFF, "{said}");
        assert!(said.contains("asked to be left alone until"), "{said}");
        assert_eq!(site.log().len(), requests);
    }
}

#[test]
fn a_page_that_always_asks_to_be_left_alone_fails_after_three_runs_and_the_crawl_ends() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html("<a href=/a>a</a><a href=/b>b</a>"))
        .page("/a", Page::html("a"))
        .page("/b", Page::status(503).with_retry_after("172800"));
    for run in 1..=3 {
        let (status, found, said) = harness.outcome(&site, &[]);
        assert_eq!(status, if run < 3 { BROKEN_OFF } else { 3 }, "run {run}: {found}{said}");
        // Without a request, a run does not count.
        let (status, _, said) = if run < 3 { harness.outcome(&site, &[]) } else { (BROKEN_OFF, found, said) };
        assert_eq!(status, BROKEN_OFF, "{said}");
        assert_eq!(site.requests_for("/b").len(), run);
        harness.wait_days(3);
    }
    assert_eq!((harness.pages_found("failed"), harness.pages_found("new").len()), (vec!["/b".to_owned()], 2));
    let query = "select reason from visits where url like '%/b'";
    let reason = harness.expect(0, &["sql", query, "--format", "csv"]);
    assert!(reason.contains("no good answer in 3 runs"), "{reason}");
}
