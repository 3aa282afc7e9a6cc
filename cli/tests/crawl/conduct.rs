//! How known pages are asked for: 304s that lie, samples, freshness, headers first.

use recrawl_testkit::site::{Logged, Page, Site};

use crate::harness::{Harness, html, path, plant, visits};

fn is_conditional(request: &Logged) -> bool {
    request.header("if-none-match").is_some() || request.header("if-modified-since").is_some()
}

#[test]
fn a_304_that_lies_is_caught_and_its_host_loses_trust() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 13, 400);
    let lying = |number: usize, news: &str| Page::html(html(number, 13, 400, news)).with_lying_validators();
    for number in 0..13 {
        site.page(&path(number), lying(number, "as ever"));
    }
    harness.crawl_in_order(&site, &[]);
    for number in [1, 12] {
        site.page(&path(number), lying(number, "something else"));
    }
    harness.crawl_in_order(&site, &["--check-share", "0"]);
    assert_eq!(harness.pages_found("changed"), Vec::<String>::new(), "without a check the lie is believed");

    site.clear_log();
    let (status, found, said) = harness.outcome(&site, &["--check-share", "1"]);
    assert_eq!(status, 0, "{found}\n{said}");
    assert_eq!(harness.pages_found("changed"), ["/page-1", "/page-12"]);
    let host = site.address().to_string();
    assert!(said.contains(&format!("warning: {host} said that")), "{said}");
    assert!(found.contains("1 was false"), "{found}");
    let requests = visits(&site);
    let caught = requests.iter().rposition(|request| request.path == "/page-1").unwrap();
    assert!(is_conditional(&requests[0]));
    assert!(!requests[caught..].iter().any(is_conditional), "{requests:?}");
}

#[test]
fn a_page_that_changed_by_a_few_words_is_asked_for_again_unless_nobody_wants_that() {
    for (share, requests, changed) in [("0.01", 2, 0), ("0", 1, 1)] {
        let (harness, site) = (Harness::new(), Site::start_blocking());
        let lamp = |number: u32| Page::html(html(7, 20, 400, &format!("lamp {number} of the day burns")));
        plant(&site, 20, 400);
        site.page("/page-7", lamp(5));
        harness.crawl_in_order(&site, &[]);
        site.page("/page-7", lamp(7).after(1, lamp(6)));
        site.clear_log();
        let (status, found, said) = harness.outcome(&site, &["--recheck-share", share]);
        assert_eq!(status, 0, "{found}\n{said}");
        assert_eq!(site.requests_for("/page-7").len(), requests, "{said}");
        assert_eq!(
            said.contains("asking again for 1 page that changed by a few words"),
            share != "0",
            "{said}"
        );
        assert_eq!(harness.pages_found("changed").len(), changed, "{found}");
    }
}

#[test]
fn a_smart_crawl_goes_full_where_much_of_the_sample_changed() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 60, 400);
    harness.crawl_in_order(&site, &[]);
    for number in (0..60).step_by(2) {
        site.page(&path(number), Page::html(html(number, 60, 400, "something else")));
    }
    site.clear_log();
    let flags = ["--mode", "smart", "--smart-sample", "20", "--check-share", "0"];
    let (status, found, said) = harness.outcome(&site, &flags);
    assert_eq!(status, 0, "{found}\n{said}");
    assert!(said.contains("of 20 sampled pages changed: full crawl"), "{said}");
    let (conditional, whole): (Vec<Logged>, Vec<Logged>) =
        visits(&site).into_iter().partition(is_conditional);
    assert!((5..=20).contains(&conditional.len()), "{}", conditional.len());
    assert_eq!(conditional.len() + whole.len(), 60);
    assert_eq!(harness.pages_found("shared").len(), 30, "the same on all of them");
}

#[test]
fn a_smart_crawl_stays_incremental_where_little_changed() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 60, 400);
    harness.crawl_in_order(&site, &[]);
    site.page("/page-7", Page::html(html(7, 60, 400, "something else")));
    site.clear_log();
    let flags = ["--mode", "smart", "--smart-sample", "20", "--check-share", "0"];
    let (status, found, said) = harness.outcome(&site, &flags);
    assert_eq!(status, 0, "{found}\n{said}");
    assert!(said.contains("of 20 sampled pages changed: incremental crawl"), "{said}");
    let requests = visits(&site);
    assert!(requests.len() == 60 && requests.iter().all(is_conditional));
    assert_eq!(harness.pages_found("changed"), ["/page-7"]);
}

#[test]
fn sampled_pages_come_first() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 60, 400);
    harness.crawl_in_order(&site, &[]);
    let new: Vec<String> = (0..9).map(|number| format!("<url><loc>/new-{number}</loc></url>")).collect();
    site.page("/sitemap.xml", Page::xml(format!("<urlset>{}</urlset>", new.concat())));
    site.clear_log();
    let flags = ["--mode", "smart", "--smart-sample", "5", "--max-pages", "5", "--sitemap-cache", "0"];
    let first = harness.crawl_in_order(&site, &flags);
    assert!(first.contains("partial: the limit of 5 pages"), "{first}");
    let new = visits(&site).iter().filter(|request| request.path.starts_with("/new-")).count();
    assert_eq!(new, 0, "before pages that were never seen");
    // Every depth has its share, so one of them is far from the root.
    let number = |request: &Logged| request.path.strip_prefix("/page-").map_or(0, |n| n.parse().unwrap());
    assert!(visits(&site).iter().any(|request| number(request) >= 13), "{:?}", visits(&site));
}

#[cfg(unix)]
#[test]
fn a_smart_crawl_that_was_stopped_goes_on_with_the_sample_it_drew() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 40, 400);
    harness.crawl_in_order(&site, &[]);
    for number in 0..20 {
        site.page(&path(number), Page::html(html(number, 40, 400, "something else")));
    }
    site.clear_log();
    let url = site.url();
    let flags = ["crawl", &url, "--mode", "smart", "--smart-sample", "20", "--check-share", "0"];
    let child = harness
        .command(&[&flags[..], &["--delay", "0.05"]].concat())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while visits(&site).len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    child.wait_with_output().unwrap();
    let before = visits(&site).len();
    let (status, found, said) = harness.outcome(&site, &flags[2..]);
    assert_eq!(status, 0, "{found}\n{said}");
    assert!(said.contains("of 20 sampled pages changed: full crawl"), "{said}");
    assert_eq!(visits(&site).len(), 40, "{before} before; no page is fetched twice");
    assert_eq!(harness.pages_found("shared").len(), 20, "the same on all of them");
}

#[test]
fn freshness_is_trusted_where_somebody_says_so() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 5, 400);
    let fresh = |number: usize, news: &str| {
        Page::html(html(number, 5, 400, news)).with_header("Cache-Control", "max-age=3600")
    };
    for number in 0..4 {
        site.page(&path(number), fresh(number, "as ever"));
    }
    harness.crawl_in_order(&site, &[]);
    site.page("/page-1", fresh(1, "something else"));
    site.page("/page-4", Page::html(html(4, 5, 400, "something else")));
    site.clear_log();
    let found = harness.crawl_in_order(&site, &["--trust-freshness"]);
    let mut asked: Vec<String> = visits(&site).into_iter().map(|request| request.path).collect();
    asked.sort();
    assert_eq!(asked, ["/", "/page-4"], "the root is always asked, and what is not said to be fresh");
    assert_eq!(harness.pages_found("changed"), ["/page-4"]);
    assert!(found.contains("3 of them not asked for"), "{found}");
    harness.crawl_in_order(&site, &[]);
    assert_eq!(harness.pages_found("changed"), ["/page-1"], "nobody trusts it now");
}

#[test]
fn pages_that_were_visited_lately_are_not_asked_for() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 5, 400);
    harness.crawl_in_order(&site, &[]);
    site.clear_log();
    harness.crawl_in_order(&site, &["--skip-if-visited-days", "7"]);
    assert_eq!(visits(&site).len(), 1, "the root alone");
    assert_eq!(harness.pages_found("unchanged").len(), 5);
    harness.wait_days(8);
    site.clear_log();
    harness.crawl_in_order(&site, &["--skip-if-visited-days", "7"]);
    assert_eq!(visits(&site).len(), 5);
}

#[test]
fn headers_are_asked_for_first_where_somebody_says_so() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, 5, 400);
    harness.crawl_in_order(&site, &["--head"]);
    assert!(visits(&site).iter().all(|request| request.method == "GET"), "what is not known is fetched");
    site.page("/page-2", Page::html(html(2, 5, 400, "something else")));
    site.clear_log();
    harness.crawl_in_order(&site, &["--head", "--check-share", "0"]);
    let methods = |path: &str| -> Vec<String> {
        site.requests_for(path).into_iter().map(|request| request.method).collect()
    };
    assert_eq!(methods("/page-1"), ["HEAD"]);
    assert_eq!(methods("/page-2"), ["HEAD", "GET"]);
    assert_eq!(harness.pages_found("changed"), ["/page-2"]);
}

#[test]
fn only_the_sides_of_a_page_that_are_compared_count() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    let page = |target: &str| Page::html(format!("<p>news</p><a href={target}>more</a>"));
    site.page("/", page("https://one.example/"));
    harness.crawl_in_order(&site, &[]);
    site.page("/", page("https://two.example/"));
    harness.crawl_in_order(&site, &["--compare", "text"]);
    assert_eq!(harness.verdicts()["/"], "touched");
    site.page("/", page("https://three.example/"));
    harness.crawl_in_order(&site, &[]);
    assert_eq!(harness.verdicts()["/"], "changed");
}
