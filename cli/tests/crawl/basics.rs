//! Planted truth, interruptions, faults, politeness.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recrawl_testkit::site::{Page, Site, assert_spaced};

use crate::harness::{Harness, html, path, plant, visits};

#[test]
fn a_second_crawl_reports_exactly_the_planted_changes() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 40, 400);
    site.page("/page-20", Page::html("<p>noise</p><p>Updated 3 minutes ago</p>").without_validators());
    let summary = harness.crawl(&site, &[]);
    assert!(summary.contains("first crawl, 40 pages"), "{summary}");

    site.page("/page-3", Page::html(html(3, 40, 400, "something else")));
    site.page(
        "/page-4",
        Page::html(html(4, 41, 400, "as ever").replace("</h1>", "</h1><a href=/page-40>40</a>")),
    );
    site.page("/page-40", Page::html("<p>hello</p>"));
    site.remove("/page-39");
    site.redirect("/page-38", "/page-37", 301);
    site.page("/page-20", Page::html("<p>noise</p><p>Updated 9 minutes ago</p>").without_validators());
    harness.crawl(&site, &[]);
    let mut verdicts = harness.verdicts();
    verdicts.retain(|_, verdict| verdict != "unchanged");
    let expected = [
        ("/page-3", "changed"),
        ("/page-4", "changed"),
        ("/page-40", "new"),
        ("/page-39", "gone"),
        ("/page-38", "moved"),
        ("/page-20", "touched"),
    ];
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(path, verdict)| ((*path).to_owned(), (*verdict).to_owned())).collect();
    assert_eq!(verdicts, expected);

    let diff = harness.expect(0, &["diff", site.at("/page-3").as_str()]);
    assert!(diff.contains("-as ever") && diff.contains("+something else"), "{diff}");
}

#[test]
fn an_unchanged_site_costs_next_to_nothing_and_every_page_is_visited() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 60, 50_000);
    harness.crawl(&site, &[]);
    let first = site.bytes_sent();
    site.clear_log();
    harness.crawl(&site, &["--check-share", "0"]);
    let log = site.log();
    assert_eq!(log.len(), 61, "60 pages and robots.txt; the sitemap was read today");
    assert!(log.iter().all(|request| request.status == Some(304)), "{log:?}");
    let second = site.bytes_sent();
    assert!(second * 50 < first, "{second} bytes after {first}");
    assert!(harness.verdicts().values().all(|verdict| verdict == "unchanged"));
}

#[test]
fn a_crawl_killed_ten_times_ends_with_the_same_records() {
    const PAGES: usize = 500;
    let site = Site::start_blocking();
    plant(&site, PAGES, 400);
    let whole = Harness::new();
    whole.crawl(&site, &[]);
    site.clear_log();

    let harness = Harness::new();
    let flags = ["crawl", &site.url(), "--delay", "0.004"];
    for kill in 0..10_u64 {
        let mut child: Child =
            harness.command(&flags).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Spread over start, recall and the crawl itself; the last digits vary from run to run.
        let moment = 60 + kill * 37 % 240 + u64::from(std::process::id() % 50);
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    harness.expect(0, &flags);
    let query =
        "select url, verdict, status, content_hash, found_by, depth, referrer from visits order by url";
    let records = |harness: &Harness| harness.expect(0, &["sql", query, "--format", "json"]);
    assert_eq!(records(&harness), records(&whole));
    assert!(records(&harness).matches("\"verdict\"").count() == PAGES);

    let mut fetched: BTreeMap<String, usize> = BTreeMap::new();
    for request in visits(&site) {
        *fetched.entry(request.path.clone()).or_default() += 1;
    }
    assert_eq!(fetched.len(), PAGES);
    let again: usize = fetched.values().map(|times| times - 1).sum();
    assert!(again <= 10, "one request at a time, ten kills: {again} pages were fetched twice");
}

#[test]
fn requests_start_a_second_apart_and_the_rate_is_used() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 6, 400);
    harness.expect(0, &["crawl", &site.url()]);
    assert_eq!(site.log().len(), 9, "robots.txt, sitemap, six pages, and a page that nobody has");
    assert_spaced(&site.log(), Duration::from_secs(1));
    let agent = site.log()[0].header("user-agent").unwrap().to_owned();
    assert!(agent.starts_with("recrawl/") && agent.contains("(+http"), "{agent}");
}

#[test]
fn a_crawl_delay_in_robots_is_obeyed_also_without_a_limit_of_ours() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 4, 400);
    site.page("/robots.txt", Page::text("User-agent: recrawl\nCrawl-delay: 0.3\nDisallow: /page-3\n"));
    harness.crawl(&site, &["--sitemaps", "false"]);
    let log = site.log();
    assert_eq!(log.len(), 5, "robots.txt, three pages, and a page that nobody has");
    assert_spaced(&log[1..], Duration::from_millis(300));
    assert!(site.requests_for("/page-3").is_empty());
    assert_eq!(harness.verdicts()["/page-3"], "excluded");
}

#[test]
fn a_server_in_trouble_never_turns_a_page_into_gone() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 12, 400);
    harness.crawl(&site, &[]);
    site.clear_log();
    let flags = ["--back-off", "0.01", "--time-out", "2", "--retries", "1", "--mode", "full"];
    site.page("/page-1", Page::status(503));
    site.page("/page-2", Page::status(500));
    site.page("/page-3", Page::html("x".repeat(10_000)).reset_after(100));
    site.page("/page-4", Page::closed());
    site.page("/page-5", Page::silent());
    site.page("/page-6", Page::html("y".repeat(10_000)).dripping(10, Duration::from_millis(100)));
    site.page("/page-7", Page::status(403));
    let after = html(8, 12, 400, "as ever");
    site.page("/page-8", Page::html(after.clone()).after(1, Page::status(429).with_retry_after("1")));
    // The silent pages take some seconds; on a slow machine the time may have come before it is told.
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(12);
    let date = soon.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    site.page(
        "/page-9",
        Page::html(html(9, 12, 400, "as ever")).after(1, Page::status(503).with_retry_after(&date)),
    );
    let url = site.url();
    let arguments = [&["crawl", &url, "--rate", "unlimited"], &flags[..]].concat();
    harness.expect(4, &arguments);
    let verdicts = harness.verdicts();
    for number in 1..=7 {
        assert_eq!(verdicts[&path(number)], "failed", "page {number}");
    }
    for number in [0, 8, 9, 10, 11] {
        assert_eq!(verdicts[&path(number)], "unchanged", "page {number}");
    }
    let waited = site.requests_for("/page-8");
    assert!(waited[1].arrival - waited[0].arrival >= Duration::from_secs(1));
    let since = jiff::SignedDuration::try_from(site.requests_for("/page-9")[1].arrival.elapsed()).unwrap();
    // Dates of HTTP have no parts of a second.
    assert!(jiff::Timestamp::now() - since >= soon - jiff::SignedDuration::from_secs(1));

    plant(&site, 12, 400);
    harness.crawl(&site, &[]);
    assert!(harness.verdicts().values().all(|verdict| verdict == "unchanged"), "{:?}", harness.verdicts());
}

#[test]
fn an_unreachable_robots_txt_forbids_everything_until_it_recovers() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 3, 400);
    site.page("/robots.txt", Page::status(503));
    let url = site.url();
    let flags = ["crawl", &url, "--rate", "unlimited", "--back-off", "0.01"];
    harness.expect(1, &flags);
    assert!(site.log().iter().all(|request| request.path == "/robots.txt"));
    site.page("/robots.txt", Page::text(""));
    harness.expect(0, &flags);
    assert_eq!(harness.verdicts().len(), 3);
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_and_the_same_command_goes_on() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    let url = site.url();
    let flags = ["crawl", url.as_str(), "--delay", "0.05"];
    let child = harness.command(&flags).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    while site.log().len() < 8 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the same command goes on"), "{said}");
    let status = harness.expect(0, &["status"]);
    assert!(status.contains("open"), "{status}");
    harness.expect(0, &flags);
    assert_eq!(visits(&site).len(), 30, "no page is fetched twice");
}

#[test]
fn a_page_limit_makes_a_partial_crawl_that_removes_nothing() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 20, 400);
    harness.crawl(&site, &[]);
    let summary = harness.crawl(&site, &["--max-pages", "5"]);
    assert!(summary.contains("partial: the limit of 5 pages was reached"), "{summary}");
    assert!(harness.verdicts().len() == 5);
    let summary = harness.crawl(&site, &[]);
    assert!(summary.contains("nothing changed in 20 pages"), "{summary}");
}

#[test]
fn depth_and_patterns_limit_what_is_visited() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 20, 400);
    harness.crawl(&site, &["--max-depth", "1", "--exclude", "*/page-2"]);
    let pages: Vec<String> = harness.verdicts().into_keys().collect();
    assert_eq!(pages, ["/", "/page-1", "/page-3"]);
}

#[test]
fn an_ignored_part_of_a_page_never_counts_as_a_change() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    let page = |ad: u32, visitors: u32| {
        Page::html(format!("<p>news</p><div class=ad>{ad}</div><p>visitor no. {visitors}</p>"))
    };
    site.page("/", page(1, 1));
    let flags = ["--ignore-selector", ".ad", "--ignore-regex", r"visitor no\. \d+"];
    harness.crawl(&site, &flags);
    site.page("/", page(2, 2));
    harness.crawl(&site, &flags);
    assert_eq!(harness.verdicts()["/"], "touched");
    harness.crawl(&site, &[]);
    assert_eq!(harness.verdicts()["/"], "unchanged", "other rules are not another page");
}

#[test]
fn a_host_that_cannot_be_found_is_said_at_once_and_nothing_is_written() {
    let harness = Harness::new();
    let output = harness.run(&["crawl", "http://no-such-host.invalid/"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no-such-host.invalid cannot be found"), "{said}");
    assert_eq!(harness.files(), Vec::<PathBuf>::new());
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_be_crawled() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 5, 400);
    let said = harness.crawl(&site, &["--dry-run"]);
    assert!(said.contains("allows the root") && said.contains("3 of them in scope"), "{said}");
    assert_eq!(harness.files(), Vec::<PathBuf>::new());
}

#[test]
fn two_crawlers_do_not_share_a_store() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 30, 400);
    let url = site.url();
    let mut child = harness
        .command(&["crawl", &url, "--delay", "0.05"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while site.log().len() < 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = harness.run(&["crawl", &url]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("another recrawl"), "{said}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_public_page_cannot_lead_us_inside() {
    let (harness, site, inside) = (Harness::new(), Site::start_blocking(), Site::start_blocking());
    site.page("/", Page::html(format!("<a href={}>in</a>", inside.at("/secret"))));
    site.redirect("/secret", &inside.url(), 302);
    harness.crawl(&site, &["--sitemaps", "false", "--extra-host", "169.254.169.254"]);
    assert!(inside.log().is_empty());
}

#[test]
fn the_demo_finds_what_it_planted() {
    let harness = Harness::new();
    let began = Instant::now();
    let said = harness.expect(0, &["demo", "--store", "sqlite:demo.db"]);
    assert!(began.elapsed() < Duration::from_secs(10));
    for expected in ["reopen on 30 April", "bike-lane", "/fair", "/parking"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let query = "select verdict, count(*) as pages from visits where crawl like '%-2' group by verdict order by verdict";
    let counts = harness.expect(0, &["sql", query, "--format", "csv", "--store", "sqlite:demo.db"]);
    let expected = "verdict,pages\nchanged,2\nexcluded,1\ngone,1\nmoved,1\nnew,1\ntouched,1\nunchanged,5\n";
    assert_eq!(counts.replace('\r', ""), expected);
}
