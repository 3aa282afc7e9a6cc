//! A folder with a store and settings, the command in it, and a server of what was found.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use recrawl_testkit::site::Site;
use serde_json::Value;

/// Digests are written beside the store.
const SETTINGS: &str = "[notify.week]\nkind = \"markdown\"\npath = \"{site}-{crawl}.md\"\n";

/// A folder with a store and settings, and a site to crawl.
pub(crate) struct Harness {
    folder: tempfile::TempDir,
    pub(crate) site: Site,
}

impl Harness {
    pub(crate) fn new() -> Self {
        let harness = Self { folder: tempfile::tempdir().unwrap(), site: Site::start_blocking() };
        std::fs::write(harness.folder.path().join("recrawl.toml"), SETTINGS).unwrap();
        harness
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

    /// Runs the command and returns what it printed.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert!(status.success(), "{arguments:?} {status}\n{out}\n{err}");
        out
    }

    /// Crawls the site.
    pub(crate) fn crawl(&self, flags: &[&str]) -> String {
        self.run(&[&["crawl", &self.site.url(), "--rate", "unlimited"], flags].concat())
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

    /// Returns the changes of the latest crawl.
    pub(crate) fn changes(&self, flags: &[&str]) -> Vec<Value> {
        serde_json::from_str(&self.run(&[&["changes", "--format", "json"], flags].concat())).unwrap()
    }

    /// Returns the digest of the latest crawl.
    pub(crate) fn digest(&self) -> String {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut digests: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
        digests.sort_by_key(|path| path.metadata().unwrap().modified().unwrap());
        std::fs::read_to_string(digests.last().unwrap()).unwrap()
    }

    /// Returns the path of the page that a row is about.
    pub(crate) fn path(&self, row: &Value) -> String {
        row["url"].as_str().unwrap().strip_prefix(&self.site.url()).unwrap().to_owned()
    }

    pub(crate) fn serve(&self) -> Server {
        let mut child =
            self.command(&["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap();
        let (address, _) = rest.split_once('/').unwrap();
        Server { child, address: address.to_owned() }
    }
}

/// A server of the command, ended with the test.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Returns the body of an answer.
    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(" 200 "), "{head}");
        body.to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
