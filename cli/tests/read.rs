//! The commands that read a store, on a small history of one site.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage stops")]

#[path = "read/clock.rs"]
mod clock;
#[path = "read/fixture.rs"]
mod fixture;
#[path = "read/search.rs"]
mod search;
#[path = "read/trouble.rs"]
mod trouble;

use std::process::Stdio;

use fixture::Answer::{Excluded, Failed, Html, NotFound, NotModified, Passing, Pdf, Redirect};
use fixture::{Fixture, recrawl};
use insta::assert_snapshot;
use recrawl_core::model::crawl::Ending;

const HOME: &str = "<title>Home</title><h1>Example</h1><a href=/news>News</a> <a href=/about>About</a>";
const NEWS_A: &str = "<title>News</title><h1>News</h1><p>Nothing today.</p><p>Call us.</p>";
const NEWS_B: &str =
    "<title>News!</title><h1>News</h1><p>A bridge was built.</p><p>It is 90 m long.</p><p>Call us.</p>";
const ABOUT_OLD: &str = "<title>About us</title><h1>About</h1><p>Open from 9 to 17 on week days.</p>";
const ABOUT_NEW: &str = "<title>About us</title><h1>About</h1><p>Open from 9 to 18 on week days.</p>";
const EVIL: &str =
    "<title>\u{1b}]0;owned\u{7}\u{202e}cod.exe</title><p>say <script>alert(1)</script>\u{1b}[2J hello";

/// Three weekly crawls of one site, in which something of every kind happened.
async fn three_weeks() -> Fixture {
    let fixture = Fixture::new();
    fixture.add_site("example.org", "https://example.org/").await;
    let complete = || Some(Ending::Complete);
    let first = [
        ("https://example.org/", Html(HOME)),
        ("https://example.org/about", Passing(ABOUT_OLD)),
        ("https://example.org/news", Html(NEWS_A)),
        ("https://example.org/old", Html("<title>Old</title><p>Still here.</p>")),
        ("https://example.org/plan.pdf", Pdf(b"%PDF one")),
        ("https://example.org/street", Html("<title>Street</title><p>A street.</p>")),
    ];
    fixture.crawl("example.org", "crawl-2026-11-02", complete(), &first).await;
    let second = [
        ("https://example.org/", NotModified),
        ("https://example.org/about", NotModified),
        ("https://example.org/news", Html(NEWS_B)),
        ("https://example.org/old", Failed("timed out")),
        ("https://example.org/plan.pdf", NotModified),
        ("https://example.org/street", NotModified),
    ];
    fixture.crawl("example.org", "crawl-2026-11-09", complete(), &second).await;
    let third = [
        ("https://example.org/", NotModified),
        ("https://example.org/about", Passing(ABOUT_NEW)),
        ("https://example.org/broken", NotFound),
        ("https://example.org/evil", Html(EVIL)),
        ("https://example.org/flaky", Failed("connection reset")),
        ("https://example.org/news", Html(NEWS_A)),
        ("https://example.org/old", NotFound),
        ("https://example.org/plan.pdf", Pdf(b"%PDF number two")),
        ("https://example.org/private", Excluded("robots.txt: Disallow: /private")),
        ("https://example.org/street", Redirect("/road")),
        ("https://example.org/road", Html("<title>Road</title><p>A road.</p>")),
    ];
    fixture.crawl("example.org", "crawl-2026-11-16", complete(), &third).await;
    fixture
}

/// A day is written with its year once that is over.
fn days_without_years() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(\d November) 2026", "$1");
    settings.bind_to_scope()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_listed_by_weight_and_address() {
    let fixture = three_weeks().await;
    let _without_years = days_without_years();
    assert_snapshot!("changes_table", fixture.recrawl(&["changes"]).shown());
    assert_snapshot!("changes_json", fixture.recrawl(&["changes", "--format", "json"]).shown());
    assert_snapshot!(
        "changes_csv",
        fixture.recrawl(&["changes", "--format", "csv", "--kind", "moved,changed"]).shown()
    );
    assert_snapshot!("changes_markdown", fixture.recrawl(&["changes", "--format", "markdown"]).shown());
    let others =
        fixture.recrawl(&["changes", "--kind", "failed,missing,excluded", "--store", "sqlite:recrawl.db"]);
    assert_snapshot!("changes_of_other_kinds", others.shown());
    let earlier = fixture.recrawl(&["changes", "--crawl", "crawl-2026-11-09"]);
    assert_snapshot!("changes_of_an_earlier_crawl", earlier.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quiet_week_says_so() {
    let fixture = three_weeks().await;
    let _without_years = days_without_years();
    let quiet = [("https://example.org/", NotModified)];
    fixture.crawl("example.org", "crawl-2026-11-23", Some(Ending::Complete), &quiet).await;
    assert_snapshot!("quiet_table", fixture.recrawl(&["changes"]).shown());
    assert_eq!(fixture.recrawl(&["changes", "--format", "json"]).stdout, "[]\n");
    assert!(fixture.recrawl(&["changes", "--format", "csv"]).stdout.starts_with("url,kind,crawl,"));
    assert!(
        fixture.recrawl(&["changes", "--format", "markdown"]).stdout.contains("nothing changed in 1 page")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_did_not_see_everything_says_so() {
    let fixture = three_weeks().await;
    let pages = [("https://example.org/", NotModified)];
    fixture
        .crawl("example.org", "crawl-2026-11-23", Some(Ending::Partial("stopped".to_owned())), &pages)
        .await;
    let partial = fixture.recrawl(&["changes"]);
    assert!(partial.stderr.contains("crawl-2026-11-23 is partial (stopped)"), "{}", partial.stderr);
    fixture.crawl("example.org", "crawl-2026-11-30", None, &pages).await;
    fixture.queue("example.org", "crawl-2026-11-30", "https://example.org/news").await;
    let open = fixture.recrawl(&["changes"]);
    assert!(open.stderr.contains("crawl-2026-11-30 is still open: 1 page so far"), "{}", open.stderr);
    let status = fixture.recrawl(&["status", "--format", "json"]);
    assert_snapshot!("status_open_json", status.shown());
    insta::with_settings!({filters => vec![
        (r", ([^,]* ago|ahead of this machine's clock)\n", ", [some time] ago\n"),
        (r"(?m)^clock .*\n", ""),
    ]}, {
        assert_snapshot!("status_open", fixture.recrawl(&["status"]).shown());
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diff_shows_what_was_said_before_and_after() {
    let fixture = three_weeks().await;
    let diff = |arguments: &[&str]| fixture.recrawl(&[&["diff"], arguments].concat()).shown();
    assert_snapshot!("diff_latest", diff(&["https://example.org/about"]));
    assert_snapshot!(
        "diff_between_crawls",
        diff(&["/news", "--from", "crawl-2026-11-02", "--to", "2026-11-09"])
    );
    assert_snapshot!("diff_side_by_side", diff(&["/news", "--format", "side-by-side"]));
    assert_snapshot!("diff_html", diff(&["/about", "--format", "html"]));
    assert_snapshot!("diff_of_a_pdf", diff(&["/plan.pdf"]));
    assert_snapshot!("diff_of_a_redirect", diff(&["/street"]));
    assert_snapshot!("diff_of_one_version", diff(&["/"]));
    assert_snapshot!("diff_of_the_same_version", diff(&["/news", "--from", "crawl-2026-11-16"]));
    assert_snapshot!("diff_before_the_first", diff(&["/news", "--from", "2026-10-01"]));
    assert_snapshot!("diff_of_a_page_that_is_gone", diff(&["/old"]));
    assert_snapshot!("diff_of_a_new_page", diff(&["/road"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_never_visited_is_told_from_a_typing_error() {
    let fixture = three_weeks().await;
    assert_snapshot!("unknown_page", fixture.recrawl(&["diff", "https://example.org/abuot"]).shown());
    assert_snapshot!("not_a_url", fixture.recrawl(&["history", "ftp://example.org/"]).shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_lists_versions() {
    let fixture = three_weeks().await;
    let history = |arguments: &[&str]| fixture.recrawl(&[&["history"], arguments].concat()).shown();
    assert_snapshot!("history_of_one_that_came_back", history(&["example.org/news"]));
    assert_snapshot!("history_json", history(&["/news", "--latest", "--format", "json"]));
    assert_snapshot!("history_of_a_page_that_has_gone", history(&["/old"]));
    assert_snapshot!("history_of_a_redirect", history(&["/street"]));
    assert_snapshot!("history_at", history(&["/news", "--at", "2026-11-09"]));
    assert_snapshot!(
        "history_from_to",
        history(&["/news", "--from", "2026-11-03", "--to", "2026-11-15T00:00:00Z"])
    );
    assert_snapshot!("history_of_failures", history(&["/flaky"]));
    assert_eq!(fixture.recrawl(&["history", "/news", "--at", "2026-11-09", "--latest"]).status, 2);
    assert_eq!(fixture.recrawl(&["history", "/news", "--at", "sometime"]).status, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_version_can_be_shown() {
    let fixture = three_weeks().await;
    let show = |arguments: &[&str]| fixture.recrawl(&[&["show"], arguments].concat());
    assert_eq!(
        show(&["/news", "--at", "2026-11-10"]).stdout,
        "News\nA bridge was built.\nIt is 90 m long.\nCall us.\n"
    );
    assert_eq!(show(&["/evil", "--as", "html"]).stdout, EVIL);
    assert_eq!(show(&["/", "--as", "links"]).stdout, "https://example.org/news\nhttps://example.org/about\n");
    assert_snapshot!("show_headers", show(&["/about", "--as", "headers"]).shown());
    assert_snapshot!("show_gone", show(&["/old"]).shown());
    assert_snapshot!("show_body_not_kept", show(&["/about", "--as", "html"]).shown());
    assert_snapshot!("show_text_of_a_pdf", show(&["/plan.pdf"]).shown());
    assert_snapshot!("show_redirect", show(&["/street"]).shown());
    assert_snapshot!("show_too_early", show(&["/news", "--at", "2026-11-01"]).shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn crawls_have_figures() {
    let fixture = three_weeks().await;
    assert_snapshot!("crawls_table", fixture.recrawl(&["crawls"]).shown());
    assert_snapshot!("stats_table", fixture.recrawl(&["stats"]).shown());
    assert_snapshot!(
        "stats_json",
        fixture.recrawl(&["stats", "--crawl", "crawl-2026-11-09", "--format", "json"]).shown()
    );
    insta::with_settings!({filters => vec![
        (r", ([^,]* ago|ahead of this machine's clock)\n", ", [some time] ago\n"),
        (r"(?m)^clock .*\n", ""),
    ]}, {
        assert_snapshot!("status_table", fixture.recrawl(&["status"]).shown());
    });
    let crawls: serde_json::Value =
        serde_json::from_str(&fixture.recrawl(&["crawls", "--format", "json"]).stdout).unwrap();
    let names: Vec<&str> =
        crawls.as_array().unwrap().iter().filter_map(|crawl| crawl["crawl"].as_str()).collect();
    assert_eq!(names, ["crawl-2026-11-02", "crawl-2026-11-09", "crawl-2026-11-16"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_reads_and_changes_nothing_of_crawls() {
    let fixture = three_weeks().await;
    let query =
        "SELECT url, status, kind FROM changes WHERE crawl = 'crawl-2026-11-16' ORDER BY url DESC LIMIT 2";
    for format in ["table", "json", "csv", "markdown"] {
        assert_snapshot!(
            format!("sql_{format}"),
            fixture.recrawl(&["sql", query, "--format", format]).shown()
        );
    }
    for refused in ["DELETE FROM visit", "SELECT nothing FROM nowhere", "SELECT 1 2", ";", ""] {
        let outcome = fixture.recrawl(&["sql", refused]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{refused}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_store_is_one_sentence_and_creates_nothing() {
    let empty = tempfile::tempdir().unwrap();
    for command in [
        &["changes"][..],
        &["diff", "/"],
        &["history", "/"],
        &["show", "/"],
        &["crawls"],
        &["status"],
        &["stats"],
        &["pages"],
        &["explain", "/"],
        &["accept"],
        &["report", "broken"],
        &["sql", "SELECT 1"],
    ] {
        for store in [&[][..], &["--store", "sqlite:other.db"], &["--store", "."]] {
            let outcome = recrawl(empty.path(), &[command, store].concat());
            assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{command:?}: {}", outcome.stderr);
            assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        }
    }
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0);
    std::fs::write(empty.path().join("text"), "no database at all, just some words").unwrap();
    let foreign = recrawl(empty.path(), &["changes", "--store", "text"]);
    assert_eq!(foreign.status, 2, "{}", foreign.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_words_are_refused() {
    let fixture = three_weeks().await;
    for arguments in [
        &["changes", "--kind", "newish"][..],
        &["changes", "--crawl", "yesterday"],
        &["changes", "--crawl", "crawl-2020-01-01"],
        &["changes", "--site", "other"],
        &["changes", "--store", "postgres:x"],
        &["diff", "/news", "--from", "crawl-7"],
    ] {
        let outcome = fixture.recrawl(arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{arguments:?}: {}", outcome.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_sites_is_named_or_found_by_its_page() {
    let fixture = three_weeks().await;
    fixture.add_site("example.net", "https://example.net/").await;
    let pages = [("https://example.net/", Html(HOME)), ("https://example.org/news", Html(NEWS_A))];
    fixture.crawl("example.net", "crawl-2026-11-16", Some(Ending::Complete), &pages).await;
    let unnamed = fixture.recrawl(&["changes"]);
    assert_eq!(unnamed.status, 2);
    assert!(unnamed.stderr.contains("example.net, example.org"), "{}", unnamed.stderr);
    assert_eq!(fixture.recrawl(&["changes", "--site", "example.net"]).status, 0);
    assert!(fixture.recrawl(&["history", "https://example.org/about"]).stdout.contains("About us"));
    let doubtful = fixture.recrawl(&["history", "https://example.org/news"]);
    assert_eq!(doubtful.status, 2);
    assert_eq!(fixture.recrawl(&["history", "https://example.org/news", "--site", "example.org"]).status, 0);
    assert_eq!(fixture.recrawl(&["crawls"]).stdout.lines().count(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_has_seen_enough_is_no_failure() {
    let fixture = three_weeks().await;
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("recrawl"));
    command.args(["changes", "--format", "json", "--store"]).arg(fixture.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_strangers_reaches_the_terminal_unescaped() {
    let fixture = three_weeks().await;
    for arguments in [
        &["changes"][..],
        &["changes", "--format", "json"],
        &["history", "/evil"],
        &["changes", "--format", "markdown"],
    ] {
        let outcome = fixture.recrawl(arguments);
        let is_named = outcome.stdout.contains("owned") || outcome.stdout.contains("[2J hello");
        assert!(is_named, "{arguments:?}");
        assert!(!outcome.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{arguments:?}");
    }
}

#[test]
fn a_firestore_that_cannot_be_reached_is_one_sentence() {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("recrawl");
    let output = command
        .args(["changes", "--store", "firestore:demo"])
        .env("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(1), 1), "{told}");
    assert!(told.starts_with("recrawl: cannot open firestore:demo: Connection refused (log in"), "{told}");
}
