//! Starting, pausing, stopping, and the death of the process.

use std::time::Duration;

use recrawl_testkit::site::{Page, assert_spaced};

use crate::harness::{Harness, asked_twice, planted, serving, table, visits, wait_for};

const ENDINGS: &str = "SELECT coalesce(reason, state) FROM crawls ORDER BY opened_at";

#[test]
fn a_crawl_that_is_started_ends_with_what_changed() {
    let (site, harness, server) = serving(5, "0.01");
    assert_eq!(server.activity("small"), "idle");
    server.tell("small", "start");
    server.wait_until("small", "idle");
    assert_eq!(harness.verdicts("small").len(), 6);
    site.page("/page-3", Page::html("<h1>Page 3</h1><p>other words</p>"));
    server.tell("small", "start");
    server.wait_until("small", "idle");
    let verdicts = harness.verdicts("small");
    let changed: Vec<_> = verdicts.iter().filter(|(_, kind)| *kind == "changed").collect();
    assert_eq!(changed.len(), 1, "{verdicts:?}");
    assert_eq!(changed[0].0, "/page-3");
}

#[test]
fn a_paused_crawl_goes_on_where_it_was_and_asks_for_no_page_twice() {
    let (site, other) = (planted(40), planted(10));
    let harness =
        Harness::new(&format!("{}{}", table("small", &site, "0.05"), table("other", &other, "0.05")));
    let server = harness.serve();
    server.tell("small", "start");
    wait_for("some visits", || visits(&site).len() > 5);
    server.tell("small", "pause");
    server.wait_until("small", "paused");
    let before = visits(&site).len();
    assert!(before < 40, "{before}");
    // A whole crawl of another site goes by.
    server.crawl("other");
    assert_eq!(visits(&site).len(), before, "nobody is asked in a pause");
    server.tell("small", "start");
    server.wait_until("small", "idle");
    assert_eq!((visits(&site).len(), asked_twice(&site)), (41, Vec::new()));
    assert_eq!(harness.query(ENDINGS), ["complete", "complete"]);
    assert_spaced(&site.log(), Duration::from_millis(50));
}

#[test]
fn a_stopped_crawl_is_partial_and_makes_nothing_gone() {
    let (site, harness, server) = serving(40, "0.03");
    server.tell("small", "start");
    server.wait_until("small", "idle");
    for page in 0..40 {
        site.remove(&format!("/page-{page}"));
    }
    site.clear_log();
    server.tell("small", "start");
    wait_for("some visits", || visits(&site).len() > 5);
    server.tell("small", "stop");
    server.wait_until("small", "idle");
    assert!(visits(&site).len() < 40);
    assert_eq!(harness.query(ENDINGS)[1], "it was stopped by hand");
    assert_eq!(harness.query("SELECT url FROM visits WHERE verdict = 'gone'"), Vec::<String>::new());
}

#[test]
fn a_paused_crawl_can_be_stopped() {
    let (site, harness, server) = serving(40, "0.05");
    server.tell("small", "start");
    wait_for("some visits", || visits(&site).len() > 3);
    server.tell("small", "pause");
    server.wait_until("small", "paused");
    let before = site.log().len();
    server.tell("small", "stop");
    server.wait_until("small", "idle");
    assert_eq!(site.log().len(), before, "to close a crawl nobody is asked");
    assert_eq!(harness.query(ENDINGS), ["it was stopped by hand"]);
}

#[test]
fn a_crawl_goes_on_by_itself_after_the_process_was_killed() {
    let (site, harness, server) = serving(40, "0.05");
    server.tell("small", "start");
    wait_for("some visits", || visits(&site).len() > 5);
    server.end("-KILL");
    let server = harness.serve();
    server.wait_until("small", "idle");
    // The page that was in flight is asked for again.
    assert!(asked_twice(&site).len() <= 1, "{:?}", asked_twice(&site));
    assert_eq!(harness.verdicts("small").len(), 41);
    assert_eq!(harness.query(ENDINGS), ["complete"]);
}

#[test]
fn a_crawl_goes_on_by_itself_after_ctrl_c_but_not_after_a_pause() {
    let (site, other) = (planted(40), planted(10));
    let harness =
        Harness::new(&format!("{}{}", table("small", &site, "0.05"), table("other", &other, "0.05")));
    let server = harness.serve();
    server.tell("small", "start");
    wait_for("some visits", || visits(&site).len() > 5);
    assert!(server.end("-INT").success());
    assert_eq!(harness.query(ENDINGS), ["open"]);
    let server = harness.serve();
    let before = visits(&site).len();
    wait_for("more visits", || visits(&site).len() > before + 3);
    server.tell("small", "pause");
    server.wait_until("small", "paused");
    assert!(server.end("-INT").success());
    let (server, before) = (harness.serve(), visits(&site).len());
    // What waits is taken up before what is asked for later.
    server.crawl("other");
    assert_eq!((server.activity("small").as_str(), visits(&site).len()), ("paused", before));
    server.tell("small", "start");
    server.wait_until("small", "idle");
    assert_eq!((visits(&site).len(), asked_twice(&site)), (41, Vec::new()));
}

#[test]
fn a_second_site_waits_for_the_first() {
    let (one, other) = (planted(30), planted(3));
    let harness = Harness::new(&format!("{}{}", table("one", &one, "0.05"), table("other", &other, "0.01")));
    let server = harness.serve();
    server.tell("one", "start");
    server.wait_until("one", "crawling");
    server.tell("other", "start");
    assert_eq!(server.activity("other"), "waiting");
    server.wait_until("other", "idle");
    let last = one.log().last().unwrap().arrival;
    assert!(other.log().iter().all(|request| request.arrival > last), "one is crawled after the other");
}

#[test]
fn what_another_program_crawls_is_left_to_it() {
    let (site, harness, server) = serving(60, "0.05");
    let mut crawl = harness.command(&["crawl", "small", "--quiet"]).spawn().unwrap();
    wait_for("some visits", || visits(&site).len() > 3);
    server.wait_until("small", "crawled-elsewhere");
    for what in ["start", "pause", "stop"] {
        let (status, body) = server.ask("POST", &format!("/api/v1/sites/small/{what}"), "");
        assert!((400..500).contains(&status) && body.contains("another program"), "{status} {body}");
    }
    assert!(crawl.wait().unwrap().success());
    server.wait_until("small", "idle");
    assert_eq!(asked_twice(&site), Vec::<String>::new());
}

#[test]
fn the_progress_of_a_crawl_is_told_until_it_is_closed() {
    let (_site, _harness, server) = serving(20, "0.05");
    server.tell("small", "start");
    server.wait_until("small", "crawling");
    let (status, events) = server.ask("GET", "/events/small", "");
    assert_eq!(status, 200);
    assert!(events.contains("event: progress") && events.contains("event: closed"), "{events}");
    let last = events.lines().rev().find(|line| line.contains("\"closed\":true")).unwrap();
    assert!(last.contains("\"done\":21") && last.contains("\"new\":21"), "{last}");
}

#[test]
fn the_pace_of_a_host_holds_over_crawls_and_looks_at_it() {
    let (delay, site) = (Duration::from_millis(900), planted(1));
    let settings = format!("delay = 0.9\n[site.small]\nroot = \"{}/\"\nsitemaps = false\n", site.url());
    let harness = Harness::new(&settings);
    let server = harness.serve();
    let look = |page: &str| {
        let wish = format!("{{\"root\": \"{}{page}\"}}", site.url());
        let (status, body) = server.ask("POST", "/api/v1/sites/preview", &wish);
        (status, body.contains("is being crawled"))
    };
    for _ in 0..2 {
        server.tell("small", "start");
        server.wait_until("small", "idle");
    }
    assert_eq!(look("/page-0"), (200, false));
    let before = site.log().len();
    server.tell("small", "start");
    wait_for("the first request of the crawl", || site.log().len() > before);
    assert_eq!(look("/page-0?again"), (200, true), "it says why it did not look");
    server.wait_until("small", "idle");
    assert_spaced(&site.log(), delay);
}

#[test]
fn others_are_told_when_a_crawl_is_closed_with_a_link_to_the_page() {
    let site = planted(2);
    let file = "[notify.file]\nkind = \"markdown\"\npath = \"{site}.md\"\n";
    let harness = Harness::new(&format!("{}{file}", table("small", &site, "0.01")));
    let server = harness.serve();
    for words in ["as ever", "other words"] {
        site.page("/page-1", Page::html(format!("<h1>Page 1</h1><p>{words}</p>")));
        server.tell("small", "start");
        server.wait_until("small", "idle");
    }
    let told = std::fs::read_to_string(harness.path("small.md")).unwrap();
    assert!(told.contains(&format!("http://{}/sites/small/crawls/crawl-", server.address())), "{told}");
}
