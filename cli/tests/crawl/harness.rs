//! A harness to work at: a folder with a store, the command, and a site of many pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use recrawl_core::model::verdict::Verdict;
use recrawl_testkit::site::{Logged, Page, Site};
use serde_json::Value;

/// A directory with a store, and the command in it.
pub(crate) struct Harness {
    folder: tempfile::TempDir,
}

impl Harness {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
            command.env_remove(name);
        }
        // Which pages are checked depends on the day and the port, and a checked page is asked for twice; so is one that
        // changed by a few words.
        command.env("RECRAWL_CHECK_SHARE", "0").env("RECRAWL_RECHECK_SHARE", "0");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the command and insists on this exit status.
    pub(crate) fn expect(&self, status: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{out}\n{err}");
        if status == 2 { err } else { out }
    }

    /// Crawls, and returns the exit status, what was found and what was said meanwhile.
    pub(crate) fn outcome(&self, site: &Site, flags: &[&str]) -> (i32, String, String) {
        let output = self.run(&[&["crawl", &site.url(), "--delay", "0.001"], flags].concat());
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Crawls one page after the other.
    pub(crate) fn crawl_in_order(&self, site: &Site, flags: &[&str]) -> String {
        let (status, out, err) = self.outcome(site, flags);
        assert_eq!(status, 0, "{flags:?}\n{out}\n{err}");
        out
    }

    /// Lets days go by: everything that is stored happened that much earlier.
    pub(crate) fn wait_days(&self, days: i64) {
        let store = rusqlite::Connection::open(self.folder.path().join("recrawl.db")).unwrap();
        let by = days * 24 * 3_600 * 1_000_000;
        for (table, columns) in [
            ("visit", &["first_seen", "last_seen", "last_changed", "fetched_at", "fresh_until"][..]),
            ("crawl", &["opened_at", "closed_at"]),
            ("memo", &["saved_at"]),
        ] {
            for column in columns {
                store.execute(&format!("UPDATE {table} SET {column} = {column} - {by}"), []).unwrap();
            }
        }
    }

    /// Returns how many changes were announced.
    pub(crate) fn announced(&self) -> i64 {
        let store = rusqlite::Connection::open(self.folder.path().join("recrawl.db")).unwrap();
        store.query_row("SELECT count(*) FROM announcement", [], |row| row.get(0)).unwrap()
    }

    /// Returns the pages of which the latest crawl found this.
    pub(crate) fn pages_found(&self, wanted: &str) -> Vec<String> {
        let found = self.verdicts().into_iter().filter(|(_, verdict)| verdict == wanted);
        found.map(|(path, _)| path).collect()
    }

    pub(crate) fn crawl(&self, site: &Site, flags: &[&str]) -> String {
        self.expect(0, &[&["crawl", &site.url(), "--rate", "unlimited"], flags].concat())
    }

    /// Returns the path of every page with what the latest crawl found out about it.
    pub(crate) fn verdicts(&self) -> BTreeMap<String, String> {
        let all = Verdict::ALL.map(Verdict::word).join(",");
        let json =
            self.expect(0, &["changes", "--kind", &all, "--tier", "3", "--expand", "--format", "json"]);
        let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
        let path = |url: &str| url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap();
        let pages = rows.iter().filter(|row| row["pages"].is_null());
        pages
            .map(|row| (path(row["url"].as_str().unwrap()), row["kind"].as_str().unwrap().to_owned()))
            .collect()
    }

    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Plants `pages` pages of about `length` bytes that link to their neighbours and to the root.
pub(crate) fn plant(site: &Site, pages: usize, length: usize) {
    for number in 0..pages {
        site.page(&path(number), Page::html(html(number, pages, length, "as ever")));
    }
    site.page("/robots.txt", Page::text("User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n"));
    site.page("/sitemap.xml", Page::xml("<urlset><url><loc>/</loc></url></urlset>"));
}

pub(crate) fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}") }
}

pub(crate) fn html(number: usize, pages: usize, length: usize, news: &str) -> String {
    let links = (1..=3).map(|step| number * 3 + step).filter(|link| *link < pages);
    let links: Vec<String> = links.map(|link| format!("<a href=\"{}\">{link}</a>", path(link))).collect();
    let links = links.join(" ");
    let filler = "All work and no play makes a dull page. ".repeat(length / 40);
    format!(
        "<!doctype html><title>Page {number}</title><h1>Page {number}</h1>{links}<p>{news}</p><p>{filler}</p>"
    )
}

/// Returns the requests for pages: not those for robots.txt and sitemaps, nor for the page that nobody has.
pub(crate) fn visits(site: &Site) -> Vec<Logged> {
    let guides = |path: &str| path.contains('.') || path.starts_with("/recrawl-");
    site.log().into_iter().filter(|request| !guides(&request.path)).collect()
}
