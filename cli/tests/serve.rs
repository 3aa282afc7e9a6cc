//! The real command serves what was found.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recrawl_testkit::site::{Page, Site};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
        command.env_remove(name);
    }
    command
}

/// A server of the command, ended with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        Self::start_with(folder, &["serve", "--listen", "127.0.0.1:0"])
    }

    fn start_with(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = command(folder, arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap();
        let (address, _) = rest.split_once('/').unwrap();
        Self { child, address: address.to_owned() }
    }

    /// Returns the head and the body of an answer.
    fn get(&self, path: &str, host: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn the_first_page_says_what_changed_also_while_sites_are_crawled() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    let folder = folder.path();
    let crawl = || {
        let ended =
            command(folder, &["crawl", &site.url(), "--quiet", "--rate", "unlimited"]).status().unwrap();
        assert!(ended.success());
    };
    site.page("/", Page::html("<title>Root</title><h1>Root</h1><a href=/a>a</a>"));
    site.page(
        "/a",
        Page::html("<title>Bridge <script>alert(1)</script></title><p>The bridge is closed.</p>"),
    );
    crawl();
    let server = Server::start(folder);
    site.page("/a", Page::html("<title>Bridge <script>alert(1)</script></title><p>The bridge is open.</p>"));
    crawl();
    let (head, body) = server.get("/", &server.address);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_lowercase().contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(body.contains("open") && body.contains("/a"), "{body}");
    assert!(!body.contains("<script>alert"), "{body}");
    let (head, body) = server.get("/api/v1/sites", &server.address);
    assert!(head.starts_with("HTTP/1.1 200") && body.contains(&site.at("/").to_string()), "{head}\n{body}");
    let (_, body) = server.get("/search?q=bridge+open", &server.address);
    assert!(
        body.contains("1 page found, by text and address.") && body.contains("<mark>bridge</mark>"),
        "{body}"
    );
    let (head, _) = server.get("/", "rebound.example.org");
    assert!(head.starts_with("HTTP/1.1 421"), "{head}");
}

#[test]
fn it_ends_well_when_it_is_asked_to() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    site.page("/", Page::html("<h1>Root</h1>"));
    command(folder.path(), &["crawl", &site.url(), "--quiet", "--rate", "unlimited"]).status().unwrap();
    let mut server = Server::start(folder.path());
    let asked = Command::new("kill").arg(server.child.id().to_string()).status().unwrap();
    assert!(asked.success());
    let begun = Instant::now();
    let ended = loop {
        if let Some(ended) = server.child.try_wait().unwrap() {
            break ended;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(ended.success(), "{ended}");
}

#[test]
fn a_port_or_a_name_is_enough_to_listen_and_a_port_that_is_taken_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for listen in ["0", "localhost:0", "127.0.0.1:0"] {
        let server = Server::start_with(folder.path(), &["serve", "--listen", listen]);
        assert!(server.address.starts_with("127.0.0.1:"), "{listen}: {}", server.address);
        let (head, _) = server.get("/", &server.address);
        assert!(head.starts_with("HTTP/1.1 200"), "{listen}: {head}");
        let port = server.address.rsplit(':').next().unwrap();
        let taken = command(folder.path(), &["serve", "--read-only", "--listen", port]).output().unwrap();
        let said = String::from_utf8_lossy(&taken.stderr);
        assert_eq!(taken.status.code(), Some(1), "{said}");
        assert!(said.contains("another program has this port") && said.contains("--listen 0"), "{said}");
    }
    let wrong = command(folder.path(), &["serve", "--listen", ":8957"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("write 8957 for this machine alone"),
        "{wrong:?}"
    );
}

#[test]
fn other_machines_are_served_only_with_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), &["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("RECRAWL_ADMIN_TOKEN"));
}

#[test]
fn other_machines_may_look_without_a_token_where_nothing_can_be_done() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    site.page("/", Page::html("<h1>Root</h1>"));
    command(folder.path(), &["crawl", &site.url(), "--quiet", "--rate", "unlimited"]).status().unwrap();
    let server = Server::start_with(folder.path(), &["serve", "--read-only", "--listen", "0.0.0.0:0"]);
    assert!(
        server.address.starts_with("127.0.0.1:"),
        "an address that a browser can open: {}",
        server.address
    );
    let (head, body) = server.get("/sites", "web-page.example.org");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(!body.contains("<form method=\"post\""), "{body}");
}

#[test]
fn a_token_of_blanks_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let mut serve = command(folder.path(), &["serve", "--listen", listen]);
        let output = serve.env("RECRAWL_ADMIN_TOKEN", " ").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("nothing but blanks"), "{output:?}");
    }
    assert!(!folder.path().join("recrawl.db").exists());
}
