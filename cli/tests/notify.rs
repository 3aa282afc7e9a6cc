//! The real command tells people what it found.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Stdio};

use recrawl_testkit::site::{Page, Site};

/// Runs the command and returns what it printed.
fn run(folder: &Path, status: i32, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
        command.env_remove(name);
    }
    let output = command.env("RECRAWL_RATE", "unlimited").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{text}");
    text
}

const FILE: &str = "[notify.week]\nkind = \"markdown\"\npath = \"{site}-{crawl}.md\"\n";

fn digests(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"));
    names.sort();
    names
}

#[test]
fn a_digest_is_written_when_a_crawl_ends_and_once() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    let folder = folder.path();
    std::fs::write(folder.join("recrawl.toml"), FILE).unwrap();
    site.page("/", Page::html("<h1>Root</h1><a href=/a>a</a>"));
    site.page("/a", Page::html("<p>The bridge is closed.</p>"));
    run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    site.page("/a", Page::html("<p>The bridge is open.</p>"));
    let said = run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify week: told"), "{said}");
    let written = digests(folder);
    let second = written.iter().find(|name| name.contains("-2.")).unwrap();
    let latest = std::fs::read_to_string(folder.join(second)).unwrap();
    assert!(latest.contains("The bridge is open."), "{latest}");
    let again = run(folder, 0, &["notify"]);
    assert!(again.contains("notify week: told before"), "{again}");
    assert_eq!(digests(folder), written);
}

#[test]
fn a_test_reaches_every_target_without_a_store() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("recrawl.toml"), FILE).unwrap();
    let said = run(folder.path(), 0, &["notify", "--test"]);
    assert!(said.contains("notify week: told"), "{said}");
    assert_eq!(digests(folder.path()).len(), 1);
    assert!(!folder.path().join("recrawl.db").exists());
}

#[test]
fn a_target_that_fails_does_not_hurt_the_crawl() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    let file =
        "[notify.week]\nkind = \"markdown\"\npath = \"/proc/nowhere/{site}-{crawl}.md\"\nquiet = true\n";
    std::fs::write(folder.path().join("recrawl.toml"), file).unwrap();
    site.page("/", Page::html("<h1>Root</h1>"));
    let said = run(folder.path(), 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify week: not told"), "{said}");
    run(folder.path(), 3, &["notify"]);
}

#[test]
fn what_is_wrong_with_a_target_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (file, expected) in [
        ("[notify.team]\nkind = \"slack\"\nurl-env = \"TEAM_HOOK\"\n", "TEAM_HOOK"),
        ("[notify.team]\nkind = \"pigeon\"\n", "[notify.team]"),
        ("notify = 3\n", "[notify.team]"),
    ] {
        std::fs::write(folder.path().join("recrawl.toml"), file).unwrap();
        let said = run(folder.path(), 2, &["crawl", "http://127.0.0.1:9/"]);
        assert!(said.contains(expected), "{said}");
    }
    assert!(!folder.path().join("recrawl.db").exists());
}
