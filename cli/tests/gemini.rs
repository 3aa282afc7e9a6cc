//! The real command against a real capsule.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use recrawl_testkit::capsule::{Capsule, Reply, weeks};
use serde_json::Value;

struct Harness {
    folder: tempfile::TempDir,
    capsule: Capsule,
}

impl Harness {
    /// Plants a capsule as it is in the first week.
    fn new() -> Self {
        let capsule = Capsule::start();
        weeks::plant_first(&capsule);
        Self { folder: tempfile::tempdir().unwrap(), capsule }
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
            command.env_remove(name);
        }
        let output = command.env("RECRAWL_RECHECK_SHARE", "0").output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn expect(&self, status: i32, arguments: &[&str]) -> String {
        let (found, out, err) = self.run(arguments);
        assert_eq!(found, status, "{arguments:?}\n{out}\n{err}");
        format!("{out}{err}")
    }

    fn crawl(&self, status: i32, flags: &[&str]) -> String {
        let root = self.capsule.at("/").to_string();
        self.expect(status, &[&["crawl", &root, "--delay", "0.001"], flags].concat())
    }

    fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let (status, out, err) =
            self.run(&[&arguments[..1], &["--format", "json"], &arguments[1..]].concat());
        assert_eq!(status, 0, "{arguments:?}\n{err}");
        serde_json::from_str(&out).unwrap()
    }

    /// Returns what the last crawl found of each page, by its path.
    fn verdicts(&self) -> BTreeMap<String, String> {
        let all = "new,changed,unchanged,gone,moved,touched,failed,excluded,missing,shared";
        let rows = self.json(&["changes", "--kind", all, "--tier", "3", "--expand"]);
        let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let origin = self.capsule.at("/").to_string();
        let path = |row: &Value| text(row, "url").replacen(&origin, "/", 1);
        rows.iter().map(|row| (path(row), text(row, "kind"))).collect()
    }
}

#[test]
fn two_weeks_of_a_capsule_are_crawled_compared_and_read() {
    let harness = Harness::new();
    let said = harness.crawl(0, &["--archive"]);
    assert!(said.contains("the Wayback Machine keeps no capsules"), "{said}");
    assert_eq!(harness.verdicts(), weeks::first_verdicts());
    let asked = harness.capsule.paths();
    for never in weeks::NEVER {
        assert!(!asked.iter().any(|path| path == never), "{never} was asked for: {asked:?}");
    }

    weeks::plant_second(&harness.capsule);
    harness.capsule.clear_log();
    harness.crawl(0, &[]);
    assert_eq!(harness.verdicts(), weeks::second_verdicts());
    let gone = harness.capsule.paths().iter().filter(|path| *path == "/gone").count();
    assert_eq!(gone, 2, "a page that is not found is looked at twice");

    let text = harness.capsule.at("/text").to_string();
    let difference = harness.expect(0, &["diff", &text]);
    assert!(difference.contains("\n- permit    40\n+ permit    45\n"), "{difference}");
    let shown = harness.expect(0, &["show", &harness.capsule.at("/same").to_string()]);
    assert!(shown.contains("\u{d6}ffnungszeiten"), "{shown}");
    assert!(harness.expect(0, &["archive", "--dry-run"]).to_lowercase().contains("nothing"));

    let versions = |flags: &[&str]| harness.json(&[&["history"], flags, &["--", &text]].concat()).len();
    let crawls = harness.json(&["crawls"]);
    let crawl = |number: usize| {
        crawls[number]["id"].as_str().or(crawls[number]["crawl"].as_str()).unwrap().to_owned()
    };
    let mut names = [crawl(0), crawl(1)];
    names.sort_by_key(String::len);
    assert_eq!(versions(&[]), 2);
    assert_eq!(versions(&["--latest"]), 1);
    assert_eq!(versions(&["--at", &names[0]]), 1);
    assert_eq!(versions(&["--from", &names[0], "--to", &names[0]]), 1);
    assert_eq!(versions(&["--from", &names[0], "--to", &names[1]]), 2);
}

#[test]
fn a_changed_certificate_is_a_clear_failure_until_somebody_says_that_it_is_right() {
    let harness = Harness::new();
    harness.crawl(0, &[]);
    let root = harness.capsule.at("/").to_string();
    let shown = harness.expect(0, &["certificate", &root]);
    assert!(shown.contains("expires  2090-01-01"), "{shown}");
    harness.capsule.change_certificate(2091);
    weeks::plant_second(&harness.capsule);
    harness.capsule.clear_log();
    let (status, out, err) = harness.run(&["crawl", &root, "--delay", "0.001"]);
    assert_ne!(status, 0, "{out}{err}");
    let said = format!("{out}{err}");
    assert!(said.contains("changed before it expires") && said.contains("valid until 2090-01-01"), "{said}");
    assert!(said.contains("recrawl certificate CAPSULE --forget"), "{said}");
    assert!(harness.capsule.log().is_empty(), "nothing is asked of it");
    assert!(!harness.verdicts().values().any(|verdict| verdict == "gone"));
    harness.expect(0, &["certificate", &root, "--forget"]);
    harness.crawl(0, &[]);
    let verdicts = harness.verdicts();
    assert_eq!((verdicts["/text"].as_str(), verdicts["/gone"].as_str()), ("changed", "gone"));
    harness.expect(2, &["certificate", "gemini://nobody.example/"]);
}

#[test]
fn with_full_history_every_visit_is_a_version() {
    let harness = Harness::new();
    let same = harness.capsule.at("/same").to_string();
    for versions in 1..=3 {
        harness.crawl(0, &["--full-history", "text/gemini"]);
        assert_eq!(harness.json(&["history", "--", &same]).len(), versions);
        assert_eq!(harness.verdicts()["/same"], if versions == 1 { "new" } else { "unchanged" });
    }
    weeks::plant_second(&harness.capsule);
    harness.crawl(0, &["--full-history", "text/gemini"]);
    let text = harness.capsule.at("/text").to_string();
    let difference = harness.expect(0, &["diff", &text]);
    assert!(difference.contains("\n- permit    40\n+ permit    45\n"), "{difference}");
}

#[test]
fn the_pace_of_a_capsule_is_kept_by_its_own_clock() {
    let harness = Harness::new();
    let root = harness.capsule.at("/").to_string();
    harness.expect(0, &["crawl", &root, "--delay", "0.2"]);
    let log = harness.capsule.log();
    assert!(log.len() > 10, "{log:?}");
    for pair in log.windows(2) {
        let gap = pair[1].arrival.duration_since(pair[0].arrival);
        assert!(gap.as_millis() >= 140, "{:?} came {gap:?} after {:?}", pair[1].line, pair[0].line);
    }
    let took = log[log.len() - 1].arrival.duration_since(log[0].arrival);
    assert!(took.as_millis() + 200 >= 200 * (log.len() as u128 - 1), "{took:?}");
}

#[test]
fn a_capsule_that_asks_for_less_is_left_alone() {
    let harness = Harness::new();
    harness.capsule.page("/robots.txt", Reply::status("44 604800"));
    let root = harness.capsule.at("/").to_string();
    let (status, out, err) = harness.run(&["crawl", &root, "--delay", "0.001"]);
    let said = format!("{out}{err}");
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("left alone until"), "{said}");
    assert_eq!(harness.capsule.log().len(), 1, "it asked to be left alone for a week");
}

#[test]
fn the_demo_of_a_capsule_shows_what_changed_and_the_difference() {
    let harness = Harness::new();
    let shown = harness.expect(0, &["demo", "--gemini"]);
    for expected in [
        "A small capsule is served",
        "30 April, seven weeks late",
        "Harvest fair",
        "now at /streets",
        "$ recrawl certificate",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
}

#[test]
fn gemtext_and_rules_of_capsules_can_be_inspected() {
    let harness = Harness::new();
    let file = harness.folder.path().join("page.gmi");
    std::fs::write(&file, "=> b?c#d B\n```\n=> /no\n```\n=> https://w.example Web\n").unwrap();
    let links = harness.expect(
        0,
        &["inspect", "links", "--base", "gemini://a.example/x/", "--content-type", "text/gemini", "page.gmi"],
    );
    assert_eq!(links, "gemini://a.example/x/b?c\nhttps://w.example/\n");
    std::fs::write(harness.folder.path().join("robots.txt"), "User-agent: indexer\nDisallow: /a*\n").unwrap();
    let urls = ["gemini://h/a*b", "gemini://h/ab", "https://h/a*b"];
    let rules =
        harness.expect(0, &[&["inspect", "robots", "--agent", "recrawl", "robots.txt"], &urls[..]].concat());
    assert_eq!(rules, "disallow gemini://h/a*b\nallow gemini://h/ab\nallow https://h/a*b\n");
    let normal = harness.expect(0, &["inspect", "url", "GEMINI://u@A.example:1965"]);
    assert_eq!(normal.trim(), "gemini://a.example/");
}
