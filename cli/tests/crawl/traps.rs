//! Sites that give out addresses without end.

use recrawl_testkit::site::{Page, Site};

use crate::harness::{Harness, visits};

#[test]
fn a_chain_of_redirects_ends_after_20_hops_and_is_told_of() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html("<a href=/r/0>begin</a>"));
    for number in 0..60 {
        site.redirect(&format!("/r/{number}"), &format!("/r/{}", number + 1), 302);
    }
    let summary = harness.crawl(&site, &["--soft-404", "false"]);
    assert!(!summary.contains("partial"), "{summary}");
    let warning = "warning: 1 page left out as a trap: a chain of more than 20 redirects";
    assert!(summary.contains(warning), "{summary}");
    assert_eq!(visits(&site).len(), 22, "the root, /r/0 and 20 hops");
    assert_eq!(harness.pages_found("excluded"), ["/r/21"]);
}

#[test]
fn endless_calendars_and_paths_are_left_out_with_the_reason_and_real_pages_are_not() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    let items: Vec<String> = (0..150).map(|number| format!("<a href=/item/{number}>item</a>")).collect();
    site.page("/", Page::html(format!("<a href=/day/0>today</a><a href=/x>x</a>{}", items.concat())));
    for number in 0..150 {
        let next = number + 1;
        let day = format!("<p>Nothing takes place.</p><a href=/day/{next}>the next day</a>");
        site.page(&format!("/day/{number}"), Page::html(day));
        site.page(&format!("/item/{number}"), Page::html(format!("<p>Item number {number}.</p>")));
    }
    let mut path = "/x".to_owned();
    for number in 0..10 {
        let page = format!("<p>Round {number}.</p><a href={path}/x>again</a>");
        site.page(&path, Page::html(page));
        path.push_str("/x");
    }
    let output = harness.run(&["crawl", &site.url(), "--rate", "unlimited"]);
    let (summary, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let shape = format!("more than 100 addresses like {}/day/* have the same text", site.url());
    for expected in [
        format!("warning: 1 page left out as a trap: {shape}"),
        "warning: 1 page left out as a trap: a part of the path is repeated more than 3 times".to_owned(),
    ] {
        assert!(summary.contains(&expected), "{expected}\n{summary}");
    }
    assert!(said.contains(&format!("as a trap: {shape}")), "{said}");
    assert_eq!(harness.pages_found("excluded"), ["/day/101", "/x/x/x/x"]);
    assert_eq!(harness.pages_found("new").len(), 1 + 101 + 150 + 3);

    let anyway = harness.crawl(&site, &["--trap-limit", "0"]);
    assert!(!anyway.contains("trap"), "{anyway}");
    assert_eq!(harness.pages_found("excluded"), [""; 0]);
}

#[test]
fn a_sitemap_that_hangs_is_a_warning_and_the_crawl_goes_on() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html("<a href=/a>a</a><a href=/b>b</a>"));
    site.page("/a", Page::html("<p>One.</p>")).page("/b", Page::html("<p>Another.</p>"));
    site.page("/robots.txt", Page::text("Sitemap: /sitemap.xml\n"));
    site.page("/sitemap.xml", Page::silent());
    for found in ["first crawl, 3 pages", "nothing changed in 3 pages"] {
        let flags = ["--time-out", "0.5", "--back-off", "0.01"];
        let (status, summary, said) = harness.outcome(&site, &flags);
        assert_eq!(status, 0, "{summary}\n{said}");
        assert!(!summary.contains("partial") && summary.contains(found), "{summary}\n{said}");
        assert!(said.contains("/sitemap.xml: cannot be read: "), "{said}");
    }
}

#[test]
fn a_crawl_whose_time_is_up_does_not_wait_for_servers_and_pages_of_a_resumed_one_are_counted() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html("<a href=/a>a</a><a href=/b>b</a>"));
    site.page("/a", Page::html("<p>One.</p>")).page("/b", Page::silent());
    let flags = ["--time-out", "600", "--max-time", "2s", "--sitemaps=false"];
    let (status, summary, said) = harness.outcome(&site, &flags);
    assert_eq!(status, 0, "{summary}\n{said}");
    assert!(summary.contains("partial: the limit of 2 s was reached"), "{summary}");
    assert!(summary.contains("first crawl, 2 pages"), "{summary}");
    assert_eq!(harness.verdicts().len(), 2);
}
