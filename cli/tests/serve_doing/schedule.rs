//! Crawls that begin by themselves.

use recrawl_testkit::site::Site;

use crate::harness::{Harness, folder_names, planted, table, visits, wait_for};

const CRAWLS: &str = "SELECT crawl FROM crawls WHERE site = 'small'";
const CRAWLS_OF_THE_OTHER: &str = "SELECT crawl FROM crawls WHERE site = 'other' AND state = 'complete'";

#[test]
fn a_time_that_was_missed_is_made_up_for_once() {
    let (site, other) = (planted(3), planted(3));
    let daily = |name: &str, site: &Site| format!("{}schedule = \"0 3 * * *\"\n", table(name, site, "0.01"));
    let harness = Harness::new(&daily("other", &other));
    drop(harness.serve());
    // Whenever the other site is crawled by itself, all schedules were looked at.
    let other_is_crawled = |times: usize| {
        wait_for("a crawl of the other", || harness.query(CRAWLS_OF_THE_OTHER).len() == times);
    };
    harness.set(&format!("{}{}", daily("other", &other), daily("small", &site)));
    harness.make_due("other", 9);
    let server = harness.serve();
    other_is_crawled(1);
    server.wait_until("other", "idle");
    assert_eq!(
        (server.activity("small").as_str(), visits(&site).len()),
        ("idle", 0),
        "it is known since now"
    );
    drop(server);
    harness.make_due("small", 9);
    let server = harness.serve();
    wait_for("a crawl", || harness.query(CRAWLS).len() == 1);
    server.wait_until("small", "idle");
    assert_eq!(harness.verdicts("small").len(), 4);
    drop(server);
    harness.make_due("other", 9);
    let server = harness.serve();
    other_is_crawled(2);
    server.wait_until("other", "idle");
    assert_eq!((server.activity("small").as_str(), harness.query(CRAWLS).len()), ("idle", 1));
}

#[test]
fn a_schedule_is_shown_and_can_be_changed_and_taken_away() {
    let site = planted(3);
    let harness = Harness::new(&format!("# mine\n{}", table("small", &site, "0.01")));
    let server = harness.serve();
    harness.wait_days(30);
    let path = "/api/v1/sites/small/schedule";
    let weekly = "{\"cron\": \"0 3 * * 1\", \"time_zone\": \"America/Los_Angeles\"}";
    let (status, body) = server.ask("PUT", path, weekly);
    assert!(status == 200 && body.contains("\"next_crawl\":\"20"), "{status} {body}");
    assert!(harness.settings().starts_with("# mine\n"), "{}", harness.settings());
    assert!(harness.settings().contains("schedule = \"0 3 * * 1\""), "{}", harness.settings());
    let before = harness.settings();
    for bad in
        ["{\"cron\": \"mondays\", \"time_zone\": \"UTC\"}", "{\"cron\": \"0 3 * * 1\", \"time_zone\": \"X\"}"]
    {
        let (status, body) = server.ask("PUT", path, bad);
        assert!((400..500).contains(&status), "{status} {body}");
        assert_eq!(harness.settings(), before);
    }
    let (status, _) = server.ask("PUT", path, "null");
    assert_eq!(status, 200);
    assert!(!harness.settings().contains("schedule"), "{}", harness.settings());
}

#[test]
fn a_bad_schedule_is_one_clear_sentence_before_anything_is_written() {
    let site = Site::start_blocking();
    let harness = Harness::new(&format!("{}schedule = \"mondays\"\n", table("small", &site, "0.01")));
    let output = harness.command(&["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("schedule must be a cron expression") && said.contains("[site.small]"), "{said}");
    assert_eq!(folder_names(&harness.path("")), ["recrawl.toml"]);
}
