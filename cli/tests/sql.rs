//! `recrawl sql` as a program: scripts from files and stdin, formats, Ctrl-C, and a kill in the middle.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use recrawl_testkit::site::{Page, Site};

fn recrawl(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.arg("sql").args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    recrawl(folder, arguments).output().unwrap()
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Plants pages; returns a statement that crawls all of them, one every tenth of a second.
fn planted(site: &Site, pages: usize) -> String {
    let urls: Vec<String> = (0..pages)
        .map(|number| {
            site.page(&format!("/{number}"), Page::html(format!("<title>Page {number}</title>")));
            format!("('{}')", site.at(&format!("/{number}")))
        })
        .collect();
    format!("CRAWL (SELECT * FROM (VALUES {})) INTO r WITH (default_crawl_delay 0.1)", urls.join(", "))
}

fn begin(folder: &Path, statement: &str) -> Child {
    recrawl(folder, &[statement, "--quiet"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns a page in the middle of the statement, and how often each page was asked for at the end.
fn assert_all_arrived(folder: &Path, site: &Site, pages: usize) {
    let counts =
        printed(folder, &["SELECT count(*) AS n, count(DISTINCT url) AS u FROM r", "--format", "csv"]);
    assert_eq!(counts, format!("n,u\n{pages},{pages}\n"));
    let twice = (0..pages).filter(|number| site.requests_for(&format!("/{number}")).len() > 1).count();
    assert!(twice <= 1, "only what was under way is asked for again, and not {twice} pages");
    assert_eq!(printed(folder, &["SELECT state FROM crawls", "--format", "csv"]), "state\ncomplete\n");
    assert_eq!(printed(folder, &["SELECT count(*) AS notes FROM sql_row", "--format", "csv"]), "notes\n0\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_statement_goes_on_after_a_kill() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start().await);
    let statement = planted(&site, 30);
    // Without a key, a row that was written twice would be there twice.
    printed(folder.path(), &["CREATE TABLE r (url TEXT, http_status INTEGER, title TEXT)"]);
    let mut child = begin(folder.path(), &statement);
    site.asked_for("/12", 1).await;
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(site.requests_for("/29").len(), 0, "it was killed in the middle");
    let output = run(folder.path(), &[&statement]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("resuming"), "{told}");
    assert_all_arrived(folder.path(), &site, 30);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_keeps_what_is_there_and_the_same_statement_goes_on() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start().await);
    let statement = planted(&site, 30);
    printed(folder.path(), &["CREATE TABLE r (url TEXT, http_status INTEGER, title TEXT)"]);
    let child = begin(folder.path(), &statement);
    site.asked_for("/12", 1).await;
    let pressed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(pressed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let kept = printed(folder.path(), &["SELECT count(*) AS n FROM r", "--format", "csv"]);
    let kept: usize = kept.lines().nth(1).unwrap().parse().unwrap();
    assert!((5..30).contains(&kept), "{kept} rows were kept");
    assert!(run(folder.path(), &[&statement]).status.success());
    assert_all_arrived(folder.path(), &site, 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_come_from_a_file_and_from_stdin() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start().await);
    site.page("/a", Page::html("<title>A, \"quoted\"</title>"));
    let script = format!(
        "-- every night\nSET crawler_default_delay = 0.01;\nSELECT title, http_status FROM crawl_urls('{}');",
        site.at("/a")
    );
    std::fs::write(folder.path().join("nightly.sql"), &script).unwrap();
    let by_file = |format: &str| printed(folder.path(), &["--file", "nightly.sql", "--format", format]);
    assert_eq!(by_file("csv"), "title,http_status\n\"A, \"\"quoted\"\"\",200\n");
    assert!(by_file("json").contains(r#""http_status": 200"#));
    assert!(by_file("markdown").starts_with("| title | http_status |"));
    assert!(by_file("table").contains("A, \"quoted\""));

    for arguments in [&["-", "--format", "csv"][..], &["--format", "csv"]] {
        let mut child =
            recrawl(folder.path(), arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"SELECT 1 AS one; SELECT 2 AS two;").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "one\n1\ntwo\n2\n");
    }
    let missing = run(folder.path(), &["--file", "nowhere.sql"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_store_is_made_by_statements_that_write_and_not_by_others() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["SELECT 1"]).status.code(), Some(2));
    let broken = run(folder.path(), &["CREATE TABLE mine (x); CRAWL (SELECT 1"]);
    assert_eq!(broken.status.code(), Some(2));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is run of a script that cannot be read"
    );
    printed(folder.path(), &["CREATE TABLE mine (x); INSERT INTO mine VALUES (1), (2)"]);
    assert_eq!(printed(folder.path(), &["SELECT sum(x) AS s FROM mine", "--format", "csv"]), "s\n3\n");
}
