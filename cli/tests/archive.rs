//! The real command against a Save Page Now that behaves as documented.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use recrawl_testkit::save_page_now::{Fault, Limits, SavePageNow};
use recrawl_testkit::site::{Page, Site};

/// A folder with a store, a site that changes, and the service.
struct Harness {
    folder: tempfile::TempDir,
    site: Site,
    service: SavePageNow,
}

/// How a command ended.
struct Ended {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Harness {
    fn new() -> Self {
        let (site, service) = (Site::start_blocking(), SavePageNow::start());
        service.limits(Limits::NONE);
        let links: Vec<String> = (1..=6).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
        site.page("/", Page::html(format!("<h1>Root</h1>{}", links.concat())));
        for number in 1..=6 {
            site.page(&format!("/{number}"), Page::html(format!("<p>page {number}, as ever</p>")));
        }
        Self { folder: tempfile::tempdir().unwrap(), site, service }
    }

    /// Changes two pages, moves one and removes one.
    fn change(&self) {
        self.site.page("/2", Page::html("<p>page 2, but different</p>"));
        self.site.page("/3", Page::html("<p>page 3, with <a href=/new>news</a></p>"));
        self.site.page("/new", Page::html("<p>news</p>"));
        self.site.redirect("/4", "/5", 301);
        self.site.remove("/6");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
            command.env_remove(name);
        }
        command
            .env("RECRAWL_SAVE_PAGE_NOW", self.service.url())
            .env("RECRAWL_ARCHIVE_KEYS", SavePageNow::KEYS)
            .env("RECRAWL_RATE", "unlimited");
        command
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ended =
            Ended { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        for key in SavePageNow::KEYS.split(':') {
            assert!(!ended.out.contains(key) && !ended.err.contains(key), "{}{}", ended.out, ended.err);
        }
        ended
    }

    fn expect(&self, status: i32, arguments: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.status, Some(status), "{arguments:?}\n{}\n{}", ended.out, ended.err);
        ended
    }

    fn crawl(&self, flags: &[&str]) -> Ended {
        self.expect(0, &[&["crawl", &self.site.url(), "--quiet"], flags].concat())
    }

    /// Returns how often each page was captured.
    fn captures(&self) -> BTreeMap<String, usize> {
        let captures = self.service.captures().into_iter();
        captures.map(|(url, count)| (url[self.site.url().len()..].to_owned(), count)).collect()
    }
}

fn once(paths: &[&str]) -> BTreeMap<String, usize> {
    paths.iter().map(|path| ((*path).to_owned(), 1)).collect()
}

#[test]
fn exactly_the_changes_of_a_second_crawl_are_captured_once() {
    let harness = Harness::new();
    harness.service.pending(2);
    harness.crawl(&[]);
    let nothing = harness.expect(0, &["archive"]);
    assert_eq!(nothing.out, "nothing waits to be archived\n");
    harness.change();
    harness.crawl(&[]);
    let dry = harness.expect(0, &["archive", "--dry-run"]);
    assert!(dry.out.ends_with("4 pages due, 0 later\n"), "{}", dry.out);
    assert!(harness.service.submissions().is_empty(), "a dry run asks for nothing");

    let ended = harness.expect(0, &["archive"]);
    assert_eq!(harness.captures(), once(&["/2", "/3", "/4", "/new"]));
    assert!(harness.service.submissions().iter().all(|asked| asked.authenticated));
    assert_eq!(ended.out.lines().filter(|line| line.starts_with("captured  http://")).count(), 4);
    assert!(ended.out.contains("/2: https://web.archive.org/web/20"), "{}", ended.out);
    assert!(ended.out.ends_with("4 captured\n"), "{}", ended.out);
    let history = harness.expect(0, &["history", "/2"]);
    assert!(
        history.out.contains("version 2 is archived at https://web.archive.org/web/20"),
        "{}",
        history.out
    );
    let json = harness.expect(0, &["history", "/2", "--format", "json"]).out;
    assert_eq!(json.matches("\"state\": \"captured\"").count(), 1, "{json}");

    let again = harness.expect(0, &["archive"]);
    assert_eq!(again.out, "nothing waits to be archived\n");
    assert_eq!(harness.service.submissions().len(), 4);
}

#[test]
fn a_first_crawl_is_archived_if_that_is_wanted() {
    let harness = Harness::new();
    harness.crawl(&["--archive=all"]);
    assert_eq!(harness.captures(), once(&["/", "/1", "/2", "/3", "/4", "/5", "/6"]));
}

#[test]
fn a_crawl_archives_afterwards_with_the_flag_and_only_then() {
    let harness = Harness::new();
    let first = harness.crawl(&["--archive"]);
    assert!(first.out.ends_with("nothing waits to be archived\n"), "{}", first.out);
    harness.change();
    harness.crawl(&[]);
    assert!(harness.captures().is_empty());
    let third = harness.crawl(&["--archive"]);
    assert_eq!(harness.captures(), once(&["/2", "/3", "/4", "/new"]), "what waited since the crawl before");
    assert!(third.out.ends_with("4 captured\n"), "{}", third.out);
}

#[test]
fn nothing_is_noted_where_that_is_not_wanted() {
    for never in ["--archive=never", "--archive=false"] {
        let harness = Harness::new();
        harness.crawl(&[]);
        harness.change();
        harness.crawl(&[never]);
        let ended = harness.expect(0, &["archive"]);
        assert_eq!(ended.out, "nothing waits to be archived\n");
    }
}

#[test]
fn failures_and_waits_are_named() {
    let harness = Harness::new();
    harness.crawl(&[]);
    harness.change();
    harness.crawl(&[]);
    harness.service.plan(harness.site.at("/2").as_str(), [Fault::Job("error:no-access")]);
    harness.service.plan(harness.site.at("/3").as_str(), [Fault::Refusal("error:too-many-daily-captures")]);
    let ended = harness.expect(3, &["archive"]);
    assert!(ended.out.contains("/2: no-access: It did not work."), "{}", ended.out);
    let waits = ended.out.lines().find(|line| line.starts_with("waits")).unwrap();
    assert!(waits.contains("/3 until ") && waits.contains("00:10 UTC (too-many-daily-captures"), "{waits}");
    let summary = ended.out.lines().last().unwrap();
    assert!(summary.starts_with("2 captured, 1 failed, 1 waiting, the next until "), "{summary}");
    let again = harness.expect(0, &["archive"]);
    assert!(again.out.starts_with("0 captured, 1 waiting, the next until "), "{}", again.out);
}

#[test]
fn a_service_that_is_down_costs_nothing_but_time() {
    let harness = Harness::new();
    harness.crawl(&[]);
    harness.change();
    harness.crawl(&[]);
    let mut command = harness.command(&["archive"]);
    let output = command.env("RECRAWL_SAVE_PAGE_NOW", "http://127.0.0.1:9").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Save Page Now cannot be reached"), "{said}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "0 captured, 4 waiting\n");
    harness.expect(0, &["archive"]);
    assert_eq!(harness.captures().len(), 4);
}

#[test]
fn wrong_keys_and_addresses_are_named_and_not_repeated() {
    let harness = Harness::new();
    harness.crawl(&["--archive=all"]);
    harness.change();
    harness.crawl(&[]);
    let run = |name: &str, value: &str| {
        let output = harness.command(&["archive"]).env(name, value).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = run("RECRAWL_ARCHIVE_KEYS", "OtherAccessKey:OtherSecretKey");
    assert!(status == Some(1) && said.contains("refuses the keys"), "{said}");
    assert!(!said.contains("OtherSecretKey"), "{said}");
    let (status, said) = run("RECRAWL_ARCHIVE_KEYS", "JustOneSecret");
    assert!(status == Some(2) && said.contains("ACCESSKEY:SECRET") && !said.contains("JustOne"), "{said}");
    let (status, said) = run("RECRAWL_SAVE_PAGE_NOW", "http://web.archive.org");
    assert!(status == Some(2) && said.contains("https://HOST"), "{said}");
}

#[test]
fn no_more_pages_are_asked_for_than_wanted_and_only_of_the_site() {
    let harness = Harness::new();
    harness.crawl(&["--archive=all", "--site-name", "a"]);
    harness.change();
    harness.crawl(&["--site-name", "a"]);
    let before = harness.service.submissions().len();
    harness.expect(0, &["archive", "--limit", "3", "--site", "a"]);
    assert_eq!(harness.service.submissions().len(), before + 3);
    let unknown = harness.expect(2, &["archive", "--site", "b"]);
    assert!(unknown.err.contains("no site b"), "{}", unknown.err);
}

#[test]
fn sites_are_crawled_while_changes_are_archived_and_an_interruption_loses_nothing() {
    let harness = Harness::new();
    harness.crawl(&[]);
    harness.change();
    harness.crawl(&[]);
    harness.service.pending(1_000_000);
    let archiving =
        harness.command(&["archive"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while harness.service.submissions().len() < 4 {
        assert!(started.elapsed() < Duration::from_secs(20), "nothing was submitted");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = harness.expect(1, &["archive"]);
    assert!(second.err.contains("another process is archiving"), "{}", second.err);
    harness.crawl(&[]);
    interrupt(archiving.id());
    let ended = archiving.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("the same command goes on with it"), "{said}");
    harness.service.end_jobs();
    let next = harness.expect(0, &["archive"]);
    assert!(next.out.ends_with("4 captured\n"), "{}", next.out);
    assert_eq!(harness.captures(), once(&["/2", "/3", "/4", "/new"]));
    assert_eq!(harness.service.submissions().len(), 4, "the same jobs were watched");
}

fn interrupt(process: u32) {
    let ended = Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap();
    assert!(ended.success());
}
