//! Adding sites, rules, archiving and accepting.

use recrawl_testkit::save_page_now::{Limits, SavePageNow};
use recrawl_testkit::site::{Page, Site};
use serde_json::{Value, json};

use crate::harness::{Harness, Server, planted, serving, table, visits, wait_for};

#[test]
fn a_site_is_looked_at_before_it_is_added_and_nothing_is_written() {
    let site = planted(3);
    site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /page-1\nSitemap: /map.xml\n"));
    site.page("/map.xml", Page::xml("<urlset><url><loc>/page-9</loc></url></urlset>"));
    let harness = Harness::new("delay = 0.01\n");
    let server = harness.serve();
    let wish = json!({ "root": site.url(), "name": "new", "exclude": ["*/page-2"] }).to_string();
    let (status, body) = server.ask("POST", "/api/v1/sites/preview", &wish);
    assert_eq!(status, 200, "{body}");
    let preview: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&preview["site"], &preview["robots"]), (&json!("new"), &json!("allows the root")));
    let names = |list: &str| preview[list].to_string();
    assert!(names("admitted").contains("/page-0") && names("admitted").contains("/page-9"), "{body}");
    assert!(names("refused").contains("robots.txt") && names("refused").contains("excluded by"), "{body}");
    assert_eq!((&preview["known"], &preview["trouble"]), (&json!(3), &Value::Null), "{body}");
    assert_eq!(visits(&site).len(), 1, "only the root is visited");
    assert_eq!(harness.settings(), "delay = 0.01\n");
    assert_eq!(harness.query("SELECT name FROM site"), Vec::<String>::new());
}

#[test]
fn a_site_is_added_to_the_settings_and_can_be_crawled() {
    let site = planted(3);
    let harness = Harness::new("# all sites\ndelay = 0.01 # quick\n");
    let server = harness.serve();
    let wish = json!({ "root": site.url(), "name": "new", "exclude": ["*/page-2"] }).to_string();
    let (status, body) = server.ask("POST", "/api/v1/sites", &wish);
    assert_eq!(status, 201, "{body}");
    assert!(harness.settings().starts_with("# all sites\ndelay = 0.01 # quick\n"), "{}", harness.settings());
    assert!(harness.settings().contains("[site.new]"), "{}", harness.settings());
    let before = harness.settings();
    for bad in [
        wish.clone(),
        json!({ "root": site.url(), "name": "other" }).to_string(),
        json!({ "root": "ftp://example.org/", "name": "other" }).to_string(),
        json!({ "root": "http://example.org/", "name": "No Name!" }).to_string(),
        json!({ "root": "http://example.org/", "exclude": ["[z-a"] }).to_string(),
    ] {
        let (status, body) = server.ask("POST", "/api/v1/sites", &bad);
        assert!((400..500).contains(&status), "{bad}: {status} {body}");
    }
    assert_eq!(
        (harness.settings(), harness.query("SELECT name FROM site")),
        (before, vec!["new".to_owned()])
    );
    server.tell("new", "start");
    server.wait_until("new", "idle");
    assert!(!harness.verdicts("new").values().any(|verdict| verdict == "failed"));
    let asked: Vec<String> = visits(&site).into_iter().map(|request| request.path).collect();
    assert_eq!(asked.len(), 3, "{asked:?}");
}

#[test]
fn rules_are_tried_on_the_last_difference_and_then_saved() {
    let site = Site::start_blocking();
    let say = |clock: &str| Page::html(format!("<h1>Root</h1><p>news</p><p class=clock>{clock}</p>"));
    site.page("/", say("early bird"));
    let harness = Harness::new(&format!("# mine\n{}", table("small", &site, "0.01")));
    let server = harness.serve();
    for clock in ["early bird", "night owl"] {
        site.page("/", say(clock));
        server.tell("small", "start");
        server.wait_until("small", "idle");
    }
    assert_eq!(harness.verdicts("small")["/"], "changed");
    let preview = format!("/api/v1/sites/small/rules/preview?url={}/", site.url());
    for (rules, differs) in [("{\"selectors\": []}", true), ("{\"selectors\": [\".clock\"]}", false)] {
        let (status, body) = server.ask("POST", &preview, rules);
        assert_eq!(status, 200, "{body}");
        let effect: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(effect["tried"].to_string().contains("owl"), differs, "{rules}: {body}");
    }
    let before = harness.settings();
    for bad in ["{\"selectors\": [\"p[\"]}", "{\"patterns\": [\"(\"]}"] {
        for (method, path) in [("POST", preview.as_str()), ("PUT", "/api/v1/sites/small/rules")] {
            let (status, body) = server.ask(method, path, bad);
            assert!((400..500).contains(&status), "{status} {body}");
        }
    }
    assert_eq!(harness.settings(), before);
    let (status, body) = server.ask("PUT", "/api/v1/sites/small/rules", "{\"selectors\": [\".clock\"]}");
    assert!(status == 200 && body.contains(".clock"), "{status} {body}");
    assert!(harness.settings().starts_with("# mine\n"), "{}", harness.settings());
    site.page("/", say("lunch"));
    server.tell("small", "start");
    server.wait_until("small", "idle");
    assert_ne!(harness.verdicts("small")["/"], "changed", "the clock does not count any more");
}

#[test]
fn a_suspect_crawl_can_be_accepted() {
    let (site, harness, server) = serving(20, "0.01");
    server.tell("small", "start");
    server.wait_until("small", "idle");
    for page in 0..20 {
        site.page(&format!("/page-{page}"), Page::status(404));
    }
    server.tell("small", "start");
    server.wait_until("small", "idle");
    let latest = harness.query("SELECT crawl FROM crawls ORDER BY opened_at DESC").remove(0);
    let path = format!("/api/v1/sites/small/crawls/{latest}/accept");
    let announced = || harness.query("SELECT 'x' FROM announcement").len();
    let before = announced();
    for _ in 0..2 {
        let (status, body) = server.ask("POST", &path, "");
        assert_eq!(status, 200, "{body}");
    }
    assert_eq!(announced() - before, 20);
}

#[test]
fn a_read_only_server_does_nothing() {
    let site = planted(1);
    let harness = Harness::new(&table("small", &site, "0.01"));
    assert!(harness.command(&["crawl", "small", "--quiet"]).status().unwrap().success());
    site.clear_log();
    let server = Server::start(harness.command(&["serve", "--listen", "127.0.0.1:0", "--read-only"]));
    let (status, body) = server.ask("POST", "/api/v1/sites/small/start", "");
    assert_eq!(status, 403, "{body}");
    assert_eq!(visits(&site).len(), 0);
}

#[test]
fn a_page_is_archived_once_when_somebody_asks() {
    let (site, service) = (planted(2), SavePageNow::start());
    service.limits(Limits::NONE);
    let harness = Harness::new(&table("small", &site, "0.01"));
    let mut command = harness.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("RECRAWL_SAVE_PAGE_NOW", service.url()).env("RECRAWL_ARCHIVE_KEYS", SavePageNow::KEYS);
    let server = Server::start(command);
    server.tell("small", "start");
    server.wait_until("small", "idle");
    let ask =
        |url: String| server.ask("POST", "/api/v1/sites/small/archive", &json!({ "url": url }).to_string());
    let captured = || harness.query("SELECT state FROM archive_request WHERE state = 'captured'").len();
    assert_eq!(ask(site.at("/page-1").to_string()).0, 202);
    wait_for("a capture", || captured() == 1);
    assert_eq!(ask(site.at("/page-1").to_string()).0, 202);
    assert_eq!(service.captures().into_values().collect::<Vec<_>>(), [1]);
    let (status, body) = ask(site.at("/nowhere").to_string());
    assert!((400..500).contains(&status), "{status} {body}");
}
