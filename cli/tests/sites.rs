//! The real command renames and removes sites: what is asked, what is said, what is left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Stdio};

use recrawl_testkit::site::{Page, Site};

/// A folder with a store of two sites, one of them in the settings file.
struct Harness {
    folder: tempfile::TempDir,
    site: Site,
}

impl Harness {
    fn new() -> Self {
        let harness = Self { folder: tempfile::tempdir().unwrap(), site: Site::start_blocking() };
        harness.site.page("/", Page::html("<h1>Root</h1><a href=/news/>news</a>"));
        harness.site.page("/news/", Page::html("<p>News, as ever</p>"));
        let text = format!("rate = \"unlimited\" # mine\n\n[site.news]\nroot = \"{}\"\n", harness.news());
        std::fs::write(harness.folder.path().join("recrawl.toml"), text).unwrap();
        harness.run(0, &["crawl", "news", "--quiet"]);
        harness.run(0, &["crawl", &harness.site.url(), "--site-name", "all", "--quiet"]);
        harness
    }

    fn news(&self) -> String {
        format!("{}/news/", self.site.url().trim_end_matches('/'))
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("recrawl.toml")).unwrap()
    }

    fn run(&self, status: i32, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
            command.env_remove(name);
        }
        let output = command.env("RECRAWL_RATE", "unlimited").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{text}");
        text
    }
}

#[test]
fn a_site_is_renamed_in_the_store_and_in_the_settings_and_crawled_on() {
    let harness = Harness::new();
    for (arguments, expected) in [
        (["nobody", "x"], "the store has no site nobody: it holds all, news"),
        (["news", "all"], "there is a site all already"),
    ] {
        let said = harness.run(2, &["sites", "rename", arguments[0], arguments[1]]);
        assert!(said.contains(expected), "{said}");
    }
    let said = harness.run(0, &["sites", "rename", "news", "town-news"]);
    assert!(said.contains("[site.news] is [site.town-news] in recrawl.toml"), "{said}");
    let settings = harness.settings();
    assert!(settings.starts_with("rate = \"unlimited\" # mine\n\n[site.town-news]\n"), "{settings}");
    harness.run(0, &["crawl", "town-news", "--quiet"]);
    let crawls = harness.run(0, &["crawls", "--site", "town-news", "--format", "json"]);
    assert_eq!(crawls.matches("\"complete\"").count(), 2, "{crawls}");
}

#[test]
fn a_site_is_removed_only_when_somebody_says_so_and_the_others_stay() {
    let harness = Harness::new();
    let said = harness.run(2, &["sites", "remove", "news"]);
    assert!(said.contains("news has 1 page, 1 crawl and 1 version") && said.contains("--yes"), "{said}");
    let said = harness.run(0, &["sites", "remove", "news", "--yes"]);
    assert!(said.contains("news is removed, with 1 page, 1 crawl and 1 version."), "{said}");
    assert_eq!(harness.settings(), "rate = \"unlimited\" # mine\n");
    let sites = harness.run(0, &["sites", "--format", "json"]);
    assert!(sites.contains("\"all\"") && !sites.contains("\"news\""), "{sites}");
    let shown = harness.run(0, &["show", &harness.news(), "--as", "text"]);
    assert!(shown.contains("News, as ever"), "the other site has the page, too: {shown}");
}

#[test]
fn a_copy_recognises_a_site_by_its_root_and_says_how_much_was_there() {
    let harness = Harness::new();
    let copy = |status, more: &[&str]| {
        let usual = ["copy", "--from", "recrawl.db", "--to", "other.db"];
        harness.run(status, &[&usual, more].concat())
    };
    let said = copy(0, &["--site", "news", "--as", "town"]);
    assert!(said.contains("news is town there.") && said.contains("copied 1 visit of 1 crawl;"), "{said}");
    // Whatever it is called there.
    let said = copy(0, &["--site", "news"]);
    assert!(said.contains("news is town there."), "{said}");
    let expected = "copied 0 visits of 1 crawl; 1 visit was there already, 1 crawl as a whole";
    assert!(said.contains(expected), "{said}");
    let said = copy(2, &["--site", "all", "--as", "town"]);
    assert!(said.contains("the other store has a site town with another root"), "{said}");
    let said = copy(2, &["--as", "town"]);
    assert!(said.contains("one name is not enough for several sites"), "{said}");
    let said = copy(0, &[]);
    assert!(said.contains("copied 2 visits of 2 crawls; 1 visit was there already"), "{said}");
    let sites = harness.run(0, &["sites", "--store", "other.db", "--format", "json"]);
    assert!(
        sites.contains("\"town\"") && sites.contains("\"all\"") && !sites.contains("\"news\""),
        "{sites}"
    );
}

#[test]
fn sites_of_a_file_stand_in_the_settings_file() {
    let harness = Harness::new();
    for arguments in [
        &["sites", "add", "https://port.example.org/"][..],
        &["sites", "set", "news", "delay=2"],
        &["sites", "list"],
    ] {
        let said = harness.run(2, arguments);
        assert!(said.contains("whose sites stand in recrawl.toml: write [site.NAME] there"), "{said}");
    }
    let said = harness.run(2, &["sites", "add", "https://port.example.org/", "dealy=2", "delay"]);
    assert!(said.contains("write NAME=VALUE"), "{said}");
    let said = harness.run(2, &["sites", "add", "https://port.example.org/", "dealy=2"]);
    assert!(said.contains("did you mean delay?"), "{said}");
}
