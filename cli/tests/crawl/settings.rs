//! Settings: who wins, what is refused.

use std::path::PathBuf;

use recrawl_testkit::site::{Page, Site};
use serde_json::Value;

use crate::harness::Harness;

#[test]
fn settings_come_from_flags_then_environment_then_file() {
    let harness = Harness::new();
    let file = "rate = 2\nmax-depth = 3\n[site.news]\nroot = \"https://example.org/news\"\nmax-depth = 4\nexclude = [\"*.zip\"]\n";
    std::fs::write(harness.path().join("recrawl.toml"), file).unwrap();
    let output = harness
        .command(&["config", "news", "--rate", "3", "--format", "json"])
        .env("RECRAWL_MODE", "full")
        .output()
        .unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let row = |name: &str| rows.iter().find(|row| row["setting"] == name).unwrap();
    let shown = |name: &str| {
        (row(name)["value"].as_str().unwrap().to_owned(), row(name)["origin"].as_str().unwrap().to_owned())
    };
    let expected = [
        ("rate", "3", "flag"),
        ("mode", "full", "environment RECRAWL_MODE"),
        ("max-depth", "4", "recrawl.toml [site.news]"),
        ("exclude", "*.zip", "recrawl.toml [site.news]"),
        ("site-name", "news", "default"),
        ("keep-bodies", "changed", "default"),
    ];
    for (name, value, origin) in expected {
        assert_eq!(shown(name), (value.to_owned(), origin.to_owned()), "{name}");
    }
}

#[test]
fn a_preset_stands_between_the_file_and_the_defaults() {
    let harness = Harness::new();
    std::fs::write(harness.path().join("recrawl.toml"), "preset = \"conservative\"\nmax-depth = 4\n")
        .unwrap();
    let shown = |flags: &[&str], name: &str| -> (String, String) {
        let json = harness.expect(0, &[&["config", "--format", "json"], flags].concat());
        let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
        let row = rows.iter().find(|row| row["setting"] == name).unwrap();
        (row["value"].as_str().unwrap().to_owned(), row["origin"].as_str().unwrap().to_owned())
    };
    let cases: [(&[&str], &str, &str, &str); 12] = [
        (&[], "max-depth", "4", "recrawl.toml"),
        (&[], "head", "true", "preset conservative"),
        (&[], "delay", "2", "preset conservative"),
        (&["--rate", "4"], "delay", "0.25", "default"),
        (&["--delay", "3"], "delay", "3", "flag"),
        (&["--preset", "aggressive"], "mode", "smart", "preset aggressive"),
        (&["--preset", "aggressive"], "parallel", "8", "preset aggressive"),
        (&["--preset", "aggressive"], "delay", "0.25", "preset aggressive"),
        (&["--preset", "aggressive", "--rate", "2"], "delay", "0.5", "default"),
        (&["--preset", "aggressive", "--mode", "full"], "mode", "full", "flag"),
        (&["--preset", "balanced"], "head", "false", "default"),
        (&["--head=false"], "head", "false", "flag"),
    ];
    for (flags, name, value, origin) in cases {
        assert_eq!(shown(flags, name), (value.to_owned(), origin.to_owned()), "{flags:?} {name}");
    }
}

#[test]
fn a_wrong_command_says_why_and_writes_nothing() {
    let harness = Harness::new();
    let cases: &[(&[&str], &str)] = &[
        (&["crawl", "file:///etc/passwd"], "http"),
        (&["crawl", "not a url"], "not a url"),
        (&["crawl", "http://127.0.0.1:1/", "--rate", "fast"], "rate must be"),
        (&["crawl", "http://127.0.0.1:1/", "--ignore-selector", "::["], "CSS selector"),
        (&["crawl", "http://127.0.0.1:1/", "--ignore-regex", "("], "regular expression"),
        (&["crawl", "http://127.0.0.1:1/", "--include", "a{"], "glob"),
        (&["crawl", "http://127.0.0.1:1/", "--no-robots"], "--i-own-this-site"),
        (
            &["crawl", "http://127.0.0.1:1/", "--store", "firestore:demo"],
            "gcloud pubsub topics publish crawl",
        ),
        (&["crawl", "http://127.0.0.1:1/", "--config", "missing.toml"], "missing.toml"),
        (&["crawl", "http://127.0.0.1:1/", "--rate", "x", "--mode", "y"], "mode must be"),
        (&["crawl", "http://127.0.0.1:1/", "--preset", "wild"], "conservative, balanced or aggressive"),
        (&["crawl", "http://127.0.0.1:1/", "--smart-threshold", "20"], "from 0 to 1"),
        (&["crawl", "http://127.0.0.1:1/", "--check-share", "2"], "check-share must be"),
        (&["crawl", "http://127.0.0.1:1/", "--budget", "0"], "at least 1"),
        (&["crawl", "http://127.0.0.1:1/", "--compare", "colour"], "text, links and media"),
        (&["crawl", "http://127.0.0.1:1/", "--full-history", "gemini"], "media type"),
        (&["crawl", "http://127.0.0.1:1/", "--only-selector", "::["], "CSS selector"),
        (&["crawl", "http://127.0.0.1:1/", "--noise-rule", "hum"], "noise rule"),
        (&["plan"], "no store"),
        (&["changes"], "no store"),
        (&["copy", "--from", "a.db", "--to", "a.db"], "onto itself"),
        (&["copy", "--from", "missing.db", "--to", "b.db"], "no store"),
        (&["sql", "SELECT 1", "--store", "firestore:demo"], "recrawl copy"),
        (&["crawl"], "URL"),
    ];
    for (arguments, expected) in cases {
        let said = harness.expect(2, arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert_eq!(harness.files(), Vec::<PathBuf>::new(), "{arguments:?}");
    }
}

#[test]
fn the_metadata_of_a_cloud_is_no_site() {
    let harness = Harness::new();
    for root in ["http://169.254.169.254/", "http://[::ffff:168.63.129.16]/", "http://100.100.100.200/"] {
        let said = harness.expect(2, &["crawl", root, "--allow-private"]);
        assert!(said.contains("never visited"), "{root}: {said}");
    }
    assert_eq!(harness.files(), Vec::<PathBuf>::new());
}

#[test]
fn whether_a_site_may_be_inside_is_saved_with_it() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html("<p>Hello"));
    harness.crawl(&site, &["--allow-private"]);
    let store = rusqlite::Connection::open(harness.path().join("recrawl.db")).unwrap();
    let scope: String = store.query_row("SELECT scope FROM site", [], |row| row.get(0)).unwrap();
    assert!(scope.contains("\"allow_private\":true"), "{scope}");
}

#[test]
fn a_variable_that_nobody_reads_is_refused_by_every_command() {
    let harness = Harness::new();
    for (name, expected) in [
        ("RECRAWL_DEALY", "did you mean RECRAWL_DELAY?"),
        ("RECRAWL_STROE", "did you mean RECRAWL_STORE?"),
        ("RECRAWL_TEAM_HOOK", "there is no variable RECRAWL_TEAM_HOOK"),
    ] {
        for arguments in [&["config"][..], &["crawl", "http://127.0.0.1:1/"], &["changes"], &["status"]] {
            let output = harness.command(arguments).env(name, "1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && said.contains(expected), "{arguments:?}: {said}");
        }
    }
    assert_eq!(harness.files(), Vec::<PathBuf>::new());
}

#[test]
fn variables_of_the_services_and_those_that_a_file_names_are_known() {
    let harness = Harness::new();
    let known = |arguments: &[&str]| {
        let mut command = harness.command(arguments);
        command.env("RECRAWL_TEAM_HOOK", "https://example.org/").env("RECRAWL_QUIET", "5m");
        command.output().unwrap().status.success()
    };
    let file = "[notify.team]\nkind = \"slack\"\nurl-env = \"RECRAWL_TEAM_HOOK\"\n";
    std::fs::write(harness.path().join("other.toml"), file).unwrap();
    assert!(known(&["config", "--config", "other.toml"]) && !known(&["config"]));
    std::fs::rename(harness.path().join("other.toml"), harness.path().join("recrawl.toml")).unwrap();
    assert!(known(&["config"]));
}
