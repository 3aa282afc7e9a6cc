//! The real command on stores with a history: what is kept, what is forgotten, what space comes back.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Stdio};

use recrawl_testkit::site::{Page, Site};

/// A folder with a store of five crawls, each with other words on one of its pages.
struct Harness {
    folder: tempfile::TempDir,
    site: Site,
}

impl Harness {
    fn new() -> Self {
        let harness = Self { folder: tempfile::tempdir().unwrap(), site: Site::start_blocking() };
        let links: Vec<String> = (1..=9).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
        harness.site.page("/", Page::html(format!("<h1>Root</h1>{}", links.concat())));
        for number in 1..=9 {
            harness.site.page(&format!("/{number}"), Page::html(format!("<p>page {number}, as ever</p>")));
        }
        for week in 1..=5 {
            let words: Vec<String> =
                (0..60_000_u64).map(|word| ((word * week * 7_919) % 104_729).to_string()).collect();
            let words = words.join(" ");
            harness.site.page("/1", Page::html(format!("<h1>Week {week}</h1><p>{words}</p>")));
            harness.run(0, &["crawl", &harness.site.url(), "--quiet"]);
        }
        harness
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

    fn count(&self, query: &str) -> String {
        let printed = self.run(0, &["sql", query, "--format", "csv"]);
        printed.lines().nth(1).unwrap().to_owned()
    }

    fn size(&self) -> u64 {
        std::fs::metadata(self.folder.path().join("recrawl.db")).unwrap().len()
    }
}

#[test]
fn old_crawls_go_and_the_space_comes_back() {
    let harness = Harness::new();
    let before = harness.size();
    let told = harness.run(0, &["prune", "--keep-crawls", "2", "--dry-run"]);
    assert!(told.contains("would forget 30 visits of 3 crawls; nothing was changed"), "{told}");
    assert_eq!(harness.count("SELECT count(*) FROM visits"), "50");

    let told = harness.run(0, &["prune", "--keep-crawls", "2"]);
    assert!(told.contains("forgot 30 visits of 3 crawls; ") && told.contains(" freed"), "{told}");
    assert_eq!(harness.count("SELECT count(*) FROM crawls"), "2");
    assert_eq!(harness.count("SELECT count(*) FROM visits"), "20");
    assert!(harness.size() < before * 2 / 3, "{} of {before}", harness.size());

    let shown = harness.run(0, &["show", &harness.site.at("/1").to_string()]);
    assert!(shown.contains("Week 5"), "{shown}");
    let unchanged = harness.run(0, &["crawl", &harness.site.url(), "--quiet"]);
    assert!(
        unchanged.contains("nothing changed in 10 pages"),
        "the next crawl is compared as before: {unchanged}"
    );
    let again = harness.run(0, &["prune", "--keep-crawls", "3"]);
    assert!(again.contains("forgot nothing"), "{again}");
}

#[test]
fn of_every_page_the_newest_versions_can_be_kept() {
    let harness = Harness::new();
    let told = harness.run(0, &["prune", "--keep-versions", "2"]);
    assert!(told.contains("forgot "), "{told}");
    let page = harness.site.at("/1").to_string();
    let history = harness.run(0, &["history", &page, "--format", "json"]);
    let versions: Vec<serde_json::Value> = serde_json::from_str(&history).unwrap();
    assert_eq!(versions.len(), 2, "{history}");
    let other = "SELECT count(*) FROM visits WHERE url LIKE '%/2'";
    assert_eq!(harness.count(other), "2", "the first visit of the version, and the last");
    let shown = harness.run(0, &["show", &harness.site.at("/2").to_string()]);
    assert!(shown.contains("page 2, as ever"), "the content of a kept visit is kept: {shown}");
}

#[test]
fn nothing_is_forgotten_unless_somebody_says_what_to_keep() {
    let harness = Harness { folder: tempfile::tempdir().unwrap(), site: Site::start_blocking() };
    harness.run(2, &["prune"]);
    harness.run(2, &["prune", "--keep-crawls", "1"]);
    assert!(!harness.folder.path().join("recrawl.db").exists());
}
