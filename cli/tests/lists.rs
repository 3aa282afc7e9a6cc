//! The real command over lists of pages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use recrawl_testkit::site::{Page, Site, assert_spaced};
use serde_json::Value;

fn run(folder: &Path, input: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
        command.env_remove(name);
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn expect(status: i32, folder: &Path, input: &str, arguments: &[&str]) -> String {
    let (found, out, err) = run(folder, input, arguments);
    assert_eq!(found, status, "{arguments:?}\n{out}\n{err}");
    format!("{out}{err}")
}

fn kinds(folder: &Path) -> Vec<(String, String)> {
    let all =
        ["changes", "--format", "json", "--tier", "3", "--kind", "new,changed,gone,unchanged,missing,moved"];
    let (_, out, err) = run(folder, "", &all);
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let mut kinds: Vec<_> = rows.iter().map(|row| (text(row, "url"), text(row, "kind"))).collect();
    kinds.sort();
    kinds
}

#[test]
fn exactly_the_pages_of_a_list_are_crawled_and_compared_the_next_time() {
    let (one, other, folder) = (Site::start_blocking(), Site::start_blocking(), tempfile::tempdir().unwrap());
    one.page("/", Page::html("<a href=/a>A</a>"))
        .page("/a", Page::html("<h1>A</h1><a href=/not-listed>more</a>"))
        .page("/not-listed", Page::html("no"));
    other.page("/b", Page::html("<h1>B</h1><p>Open from nine to five."));
    let (a, b) = (one.at("/a").to_string(), other.at("/b").to_string());
    let list = format!("# ours\n{a}\n\n{b}\n{a}#again\n");
    let crawl = ["crawl", "--url-list", "-", "--delay", "0.001"];
    let said = expect(0, folder.path(), &list, &crawl);
    assert!(said.contains("2 pages"), "{said}");
    let mut expected = vec![(a.clone(), "new".to_owned()), (b.clone(), "new".to_owned())];
    expected.sort();
    assert_eq!(kinds(folder.path()), expected);
    assert!(one.requests_for("/not-listed").is_empty(), "links are left alone");

    other.page("/b", Page::html("<h1>B</h1><p>Open from ten to four."));
    let table = format!("page,seen\n{a},yes\n{b},no\n");
    let csv = folder.path().join("list.csv");
    std::fs::write(&csv, table).unwrap();
    expect(
        0,
        folder.path(),
        "",
        &["crawl", "--url-list", "list.csv", "--url-column", "page", "--delay", "0.001"],
    );
    let changed: Vec<_> = kinds(folder.path()).into_iter().filter(|(_, kind)| kind == "changed").collect();
    assert_eq!(changed, [(b, "changed".to_owned())]);

    // A list has no address that anybody could crawl, and where there is a site, that is meant.
    expect(0, folder.path(), "", &["crawl", &one.url(), "--rate", "unlimited"]);
    let status = expect(0, folder.path(), "", &["status"]);
    assert!(status.contains("(a list of pages)") && !status.contains(".invalid"), "{status}");
    let meant = expect(0, folder.path(), "", &["diff", &a]);
    assert!(!meant.contains("name one with --site"), "{meant}");
    expect(0, folder.path(), "", &["changes"]);
}

#[test]
fn a_list_that_cannot_be_used_says_why_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (list, arguments, expected) in [
        (
            "https://a.example/\nnot an address\n",
            &["--url-list", "-"][..],
            "line 2, \"not an address\", is no page",
        ),
        ("", &["--url-list", "-"], "names no page"),
        ("", &["--url-list", "missing.txt"], "missing.txt cannot be read"),
        (
            "a,b\n1,2\n",
            &["--url-list", "-", "--url-column", "url"],
            "no column \"url\": its columns are a, b",
        ),
        ("", &["--url-list", "-", "https://a.example/"], "cannot be used with"),
        ("", &["--url-column", "2"], "--url-list"),
    ] {
        let said = expect(2, folder.path(), list, &[&["crawl"], arguments].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    let shown = expect(
        0,
        folder.path(),
        "a.example\nb.example/x\nb.example/y\n",
        &["crawl", "--url-list", "-", "--dry-run"],
    );
    assert!(shown.contains("3 pages on 2 hosts") && shown.contains("at least 3 s"), "{shown}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_thousand_pages_over_fifty_hosts_take_as_long_as_twenty_pages_of_one() {
    let hosts: Vec<Site> = (0..50).map(|_| Site::start_blocking()).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut list = String::new();
    for number in 0..20 {
        for host in &hosts {
            let path = format!("/{number}");
            host.page(&path, Page::html(format!("<h1>Page {number}</h1>")));
            list.push_str(host.at(&path).as_str());
            list.push('\n');
        }
    }
    let begin = Instant::now();
    let said = expect(0, folder.path(), &list, &["crawl", "--url-list", "-"]);
    let took = begin.elapsed();
    assert!(said.contains("1,000 pages"), "{said}");
    // One after the other it would be 1,000 s and more; a busy machine may need somewhat longer than 20 s.
    assert!(took < Duration::from_secs(90), "{took:?}");
    for host in &hosts {
        let log = host.log();
        assert_eq!(log.len(), 21, "robots.txt and twenty pages");
        assert_spaced(&log, Duration::from_secs(1));
    }
}
