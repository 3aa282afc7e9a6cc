//! A folder with settings and a store, a server of the command in it, and a site to crawl.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use recrawl_core::model::verdict::Verdict;
use recrawl_testkit::site::{Logged, Page, Site};
use serde_json::Value;

/// No test waits longer for something to happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder with settings and a store.
pub(crate) struct Harness {
    folder: tempfile::TempDir,
}

impl Harness {
    pub(crate) fn new(settings: &str) -> Self {
        let harness = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(harness.path("recrawl.toml"), settings).unwrap();
        harness
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn settings(&self) -> String {
        std::fs::read_to_string(self.path("recrawl.toml")).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
            command.env_remove(name);
        }
        // Which pages are checked depends on the day and the port, and a checked page is asked for twice.
        command.env("RECRAWL_CHECK_SHARE", "0");
        command
    }

    pub(crate) fn serve(&self) -> Server {
        Server::start(self.command(&["serve", "--listen", "127.0.0.1:0"]))
    }

    /// Returns what the latest crawl of a site found, by path.
    pub(crate) fn verdicts(&self, site: &str) -> BTreeMap<String, String> {
        let all = Verdict::ALL.map(Verdict::word).join(",");
        let all = ["--kind", &all, "--tier", "3", "--expand", "--format", "json"];
        let mut command = self.command(&[&["changes", "--site", site], &all[..]].concat());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        let path = |url: String| format!("/{}", url.splitn(4, '/').nth(3).unwrap());
        let pages = rows.iter().filter(|row| row["pages"].is_null());
        pages.map(|row| (path(text(row, "url")), text(row, "kind"))).collect()
    }

    /// Returns the result of a query as rows of text.
    pub(crate) fn query(&self, sql: &str) -> Vec<String> {
        let store = rusqlite::Connection::open(self.path("recrawl.db")).unwrap();
        let mut select = store.prepare(sql).unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// Replaces the settings.
    pub(crate) fn set(&self, settings: &str) {
        std::fs::write(self.path("recrawl.toml"), settings).unwrap();
    }

    /// Makes a site due by its schedule: its crawls were opened, and it was known, that many days earlier.
    pub(crate) fn make_due(&self, site: &str, days: i64) {
        let store = rusqlite::Connection::open(self.path("recrawl.db")).unwrap();
        let by = days * 24 * 3_600 * 1_000_000;
        let crawls = "UPDATE crawl SET opened_at = opened_at - ?1, closed_at = closed_at - ?1
                      WHERE site = (SELECT id FROM site WHERE name = ?2)";
        store.execute(crawls, (by, site)).unwrap();
        store.execute("UPDATE site SET created_at = created_at - ?1 WHERE name = ?2", (by, site)).unwrap();
        store.execute("DELETE FROM memo WHERE key = 'schedule settled ' || ?1", [site]).unwrap();
    }

    /// Lets days go by: crawls were opened, and sites known, that much earlier.
    pub(crate) fn wait_days(&self, days: i64) {
        let store = rusqlite::Connection::open(self.path("recrawl.db")).unwrap();
        let by = days * 24 * 3_600 * 1_000_000;
        for (table, column) in
            [("crawl", "opened_at"), ("crawl", "closed_at"), ("site", "created_at"), ("memo", "saved_at")]
        {
            store.execute(&format!("UPDATE {table} SET {column} = {column} - {by}"), []).unwrap();
        }
    }
}

/// A server of the command, ended with the test.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let (_, rest) = first.split_once("http://").unwrap_or_else(|| panic!("{first}"));
        let (address, _) = rest.split_once('/').unwrap();
        // Shown where a test fails.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("serve: {line}")));
        Self { child, address: address.to_owned() }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Makes a request with a JSON body, and returns status and body of the answer.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n", self.address);
        let kind = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{kind}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Has something done with a site, and insists that it is taken.
    pub(crate) fn tell(&self, site: &str, what: &str) {
        let (status, body) = self.ask("POST", &format!("/api/v1/sites/{site}/{what}"), "");
        assert_eq!(status, 202, "{what}: {body}");
    }

    pub(crate) fn activity(&self, site: &str) -> String {
        let (status, body) = self.ask("GET", &format!("/api/v1/sites/{site}/state"), "");
        assert_eq!(status, 200, "{body}");
        let state: Value = serde_json::from_str(&body).unwrap();
        state["activity"].as_str().unwrap().to_owned()
    }

    pub(crate) fn wait_until(&self, site: &str, activity: &str) {
        wait_for(activity, || self.activity(site) == activity);
    }

    /// Crawls a site, from its start to its end.
    pub(crate) fn crawl(&self, site: &str) {
        self.tell(site, "start");
        self.wait_until(site, "idle");
    }

    /// Asks the process to end by a signal, and waits for it.
    pub(crate) fn end(mut self, signal: &str) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let mut ended = None;
        wait_for("the end", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}

pub(crate) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns a site whose root links to `pages` pages.
pub(crate) fn planted(pages: usize) -> Site {
    let site = Site::start_blocking();
    let links: Vec<String> = (0..pages).map(|page| format!("<a href=/page-{page}>{page}</a>")).collect();
    site.page("/", Page::html(format!("<title>Root</title><h1>Root</h1>{}", links.join(" "))));
    for page in 0..pages {
        site.page(&format!("/page-{page}"), Page::html(format!("<h1>Page {page}</h1><p>as ever</p>")));
    }
    site
}

/// Serves a site of so many pages under the name `small`.
pub(crate) fn serving(pages: usize, delay: &str) -> (Site, Harness, Server) {
    let site = planted(pages);
    let harness = Harness::new(&table("small", &site, delay));
    let server = harness.serve();
    (site, harness, server)
}

/// Returns the requests for pages: not those for robots.txt and sitemaps, nor for the page that nobody has.
pub(crate) fn visits(site: &Site) -> Vec<Logged> {
    let is_page = |path: &str| path == "/" || (path.starts_with("/page-") && !path.contains('.'));
    site.log().into_iter().filter(|request| is_page(&request.path)).collect()
}

/// Returns the pages that were asked for more than once.
pub(crate) fn asked_twice(site: &Site) -> Vec<String> {
    let mut times: HashMap<String, u32> = HashMap::new();
    for request in visits(site) {
        *times.entry(request.path).or_default() += 1;
    }
    times.into_iter().filter(|(_, times)| *times > 1).map(|(path, _)| path).collect()
}

/// Returns the settings of a site, named `name`, that is crawled page by page with this delay in seconds.
pub(crate) fn table(name: &str, site: &Site, delay: &str) -> String {
    format!("[site.{name}]\nroot = \"{}/\"\ndelay = {delay}\nsoft-404 = false\n", site.url())
}

pub(crate) fn folder_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
