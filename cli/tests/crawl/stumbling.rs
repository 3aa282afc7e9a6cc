//! A page that makes Recrawl itself stumble: the whole command, which panics over it on purpose.

use std::fs;

use recrawl_testkit::site::Site;
use serde_json::Value;

use crate::harness::{Harness, plant};

const PAGES: usize = 21;

#[test]
fn a_page_that_makes_recrawl_panic_is_named_and_the_crawl_is_complete() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    let url = site.at("/page-7");
    let mut command = harness.command(&["crawl", &site.url(), "--rate", "unlimited"]);
    let output = command.env("RECRAWL_TEST_PANIC_AT", "/page-7").output().unwrap();
    let (found, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(3), "{found}\n{said}");
    assert!(found.contains("first crawl, 21 pages"), "{found}");
    assert!(found.contains("21 pages in "), "{found}");
    assert!(found.contains("Recrawl stumbled over 1 page; `recrawl report stumbles` says which"), "{found}");
    let named =
        "failed   /page-7 (Recrawl stumbled over this page: a panic on purpose (crates/supervisor/src/crawl/";
    assert!(found.contains(named), "{found}");
    assert!(!said.contains("panicked"), "{said}");

    let report = harness.run(&["report", "stumbles"]);
    let (table, hint) =
        (String::from_utf8(report.stdout).unwrap(), String::from_utf8(report.stderr).unwrap());
    assert!(table.contains("/page-7") && table.contains("on_purpose.rs:"), "{table}");
    assert!(hint.contains("Recrawl stumbled over 1 page.") && hint.contains("--save DIR"), "{hint}");

    let json = harness.expect(0, &["report", "stumbles", "--format", "json", "--save", "bodies"]);
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0]["url"].as_str(), rows[0]["body"].as_str()), (Some(url.as_str()), Some("kept")));
    let saved = fs::read_to_string(harness.path().join("bodies/1.html")).unwrap();
    assert_eq!(Some(saved.len() as u64), rows[0]["bytes"].as_u64());
    assert!(harness.path().join("bodies/stumbles.json").is_file());
    let again = harness.expect(1, &["report", "stumbles", "--save", "bodies"]);
    assert_eq!(again, "", "nothing is replaced");

    let found = harness.crawl(&site, &[]);
    assert!(found.contains("1 change, compared with "), "{found}");
    let none = harness.expect(0, &["report", "stumbles", "--format", "json"]);
    assert_eq!(none, "[]\n");
}

#[test]
fn a_root_page_that_makes_recrawl_panic_does_not_end_a_dry_run() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    plant(&site, PAGES, 400);
    let mut command = harness.command(&["crawl", &site.url(), "--dry-run"]);
    let output = command.env("RECRAWL_TEST_PANIC_AT", "http").output().unwrap();
    let (found, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{found}\n{said}");
    assert!(found.contains("Recrawl stumbled over it: a panic on purpose"), "{found}");
}
