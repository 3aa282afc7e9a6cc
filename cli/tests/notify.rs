//! The real command tells people what it found.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use recrawl_testkit::site::{Page, Site};
use tempfile::TempDir;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
        command.env_remove(name);
    }
    command.env("RECRAWL_RATE", "unlimited");
    command
}

/// Runs the command and returns what it printed.
fn run(folder: &Path, status: i32, arguments: &[&str]) -> String {
    let output = command(folder, arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{text}");
    text
}

const FILE: &str = "[notify.week]\nkind = \"markdown\"\npath = \"{site}-{crawl}.md\"\n";

fn digests(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"));
    names.sort();
    names
}

#[test]
fn a_digest_is_written_when_a_crawl_ends_and_once() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    let folder = folder.path();
    std::fs::write(folder.join("recrawl.toml"), FILE).unwrap();
    site.page("/", Page::html("<h1>Root</h1><a href=/a>a</a>"));
    site.page("/a", Page::html("<p>The bridge is closed.</p>"));
    run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    site.page("/a", Page::html("<p>The bridge is open.</p>"));
    let said = run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify week: told"), "{said}");
    let written = digests(folder);
    let second = written.iter().find(|name| name.contains("-2.")).unwrap();
    let latest = std::fs::read_to_string(folder.join(second)).unwrap();
    assert!(latest.contains("The bridge is open."), "{latest}");
    let again = run(folder, 0, &["notify"]);
    assert!(again.contains("notify week: told before"), "{again}");
    assert_eq!(digests(folder), written);
}

#[test]
fn a_target_with_a_schedule_gets_all_sites_in_one_digest_which_can_be_seen_before_and_sent_by_hand() {
    let (folder, one, other) = (tempfile::tempdir().unwrap(), Site::start_blocking(), Site::start_blocking());
    let folder = folder.path();
    // A time that does not come while the test runs.
    let schedule = "schedule = \"0 0 29 2 *\"\ntime-zone = \"America/Los_Angeles\"\n";
    let sites = format!("[site.one]\nroot = \"{}\"\n[site.other]\nroot = \"{}\"\n", one.url(), other.url());
    std::fs::write(folder.join("recrawl.toml"), format!("{FILE}{schedule}match-added = \"bridge\"\n{sites}"))
        .unwrap();
    for (bridge, menu) in [("The bridge is closed.", "Soup"), ("The bridge is open.", "Fish")] {
        for site in [&one, &other] {
            site.page("/", Page::html("<h1>Root</h1><a href=/a>a</a><a href=/b>b</a>"));
            site.page("/a", Page::html(format!("<title>Bridge</title><p>{bridge}</p>")));
            site.page("/b", Page::html(format!("<title>Menu</title><p>{menu}</p>")));
        }
        for site in ["one", "other"] {
            let said = run(folder, 0, &["crawl", site, "--quiet"]);
            assert!(!said.contains("notify"), "{said}");
        }
    }
    let shown = run(folder, 0, &["notify", "--dry-run"]);
    assert!(
        shown.contains("week:\n\n2 changes on 2 sites today") && shown.contains("ONE: 1 change"),
        "{shown}"
    );
    assert!(shown.contains("Bridge") && !shown.contains("Fish"), "words pick: {shown}");
    assert_eq!(digests(folder), [""; 0]);
    let said = run(folder, 0, &["notify"]);
    assert!(said.contains("notify week: told, with 3 more crawls"), "{said}");
    let [written] = &digests(folder)[..] else { panic!("{said}") };
    assert!(written.starts_with("week-20"), "{written}");
    let text = std::fs::read_to_string(folder.join(written)).unwrap();
    assert!(text.starts_with("# 2 changes on 2 sites today") && text.contains("is open"), "{text}");
    let shown = run(folder, 0, &["notify", "--dry-run", "--site", "one"]);
    assert!(shown.contains("nothing that it follows changed"), "what was told is not told again: {shown}");
    let bad = format!("{FILE}match = \"(\"\n");
    std::fs::write(folder.join("recrawl.toml"), bad).unwrap();
    let said = run(folder, 2, &["crawl", &one.url()]);
    assert!(said.contains("[notify.week]") && said.contains("match"), "{said}");
}

#[test]
fn a_test_reaches_every_target_without_a_store() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("recrawl.toml"), FILE).unwrap();
    let said = run(folder.path(), 0, &["notify", "--test"]);
    assert!(said.contains("notify week: told"), "{said}");
    assert_eq!(digests(folder.path()).len(), 1);
    assert!(!folder.path().join("recrawl.db").exists());
}

#[test]
fn a_target_that_fails_does_not_hurt_the_crawl() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    let file =
        "[notify.week]\nkind = \"markdown\"\npath = \"/proc/nowhere/{site}-{crawl}.md\"\nquiet = true\n";
    std::fs::write(folder.path().join("recrawl.toml"), file).unwrap();
    site.page("/", Page::html("<h1>Root</h1>"));
    let said = run(folder.path(), 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify week: not told"), "{said}");
    run(folder.path(), 3, &["notify"]);
}

#[test]
fn what_is_wrong_with_a_target_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (file, expected) in [
        ("[notify.team]\nkind = \"slack\"\nurl-env = \"TEAM_HOOK\"\n", "TEAM_HOOK"),
        ("[notify.team]\nkind = \"pigeon\"\n", "[notify.team]"),
        ("notify = 3\n", "[notify.team]"),
    ] {
        std::fs::write(folder.path().join("recrawl.toml"), file).unwrap();
        let said = run(folder.path(), 2, &["crawl", "http://127.0.0.1:9/"]);
        assert!(said.contains(expected), "{said}");
    }
    assert!(!folder.path().join("recrawl.db").exists());
}

/// A webhook that can be down: nobody listens at its address until it is started.
struct Hook {
    address: SocketAddr,
    received: Arc<Mutex<Vec<String>>>,
}

impl Hook {
    /// Reserves an address, at which nothing can be reached yet.
    fn down() -> Self {
        // Not the address from which others connect, so that nobody takes the port meanwhile.
        let address = TcpListener::bind("127.0.0.77:0").unwrap().local_addr().unwrap();
        Self { address, received: Arc::default() }
    }

    /// Answers from now on, first with what is planned, then that it has taken what was sent.
    fn start(&self, plan: &'static [&'static str]) {
        let (listener, received) = (TcpListener::bind(self.address).unwrap(), self.received.clone());
        let mut plan = plan.iter().copied();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") {
                    let mut line = String::new();
                    assert!(reader.read_line(&mut line).unwrap() > 0, "broke off: {head}");
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    head.push_str(&line);
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                received.lock().unwrap().push(head + &String::from_utf8(body).unwrap());
                let answer = plan.next().unwrap_or("204 No Content\r\n");
                write!(stream, "HTTP/1.1 {answer}Content-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            }
        });
    }

    /// Returns the crawls that were told, in order.
    fn told(&self) -> Vec<String> {
        let received = self.received.lock().unwrap();
        let crawl = |request: &String| {
            let (_, rest) = request.split_once("\"crawl\":\"").unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        received.iter().map(crawl).collect()
    }

    fn table(&self) -> String {
        format!("[notify.hook]\nkind = \"webhook\"\nurl = \"http://{}/\"\nquiet = true\n", self.address)
    }
}

/// A process that is ended with its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_mins(2), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn closed_crawls(folder: &Path) -> i64 {
    let path = folder.join("recrawl.db");
    let Ok(store) = rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
    else {
        return 0;
    };
    let count = "SELECT count(*) FROM crawl WHERE closed_at IS NOT NULL";
    store.query_row(count, [], |row| row.get(0)).unwrap_or_default()
}

/// Returns a folder whose settings name a webhook that is down, with a site and the webhook.
fn hooked() -> (TempDir, Site, Hook) {
    let (folder, site, hook) = (tempfile::tempdir().unwrap(), Site::start_blocking(), Hook::down());
    std::fs::write(folder.path().join("recrawl.toml"), hook.table()).unwrap();
    site.page("/", Page::html("<h1>Root</h1>"));
    (folder, site, hook)
}

/// Crawls until the crawl is closed, and kills the process before anybody could be told.
fn crawl_and_die_before_telling(folder: &Path, site: &Site) {
    let closed = closed_crawls(folder);
    let mut crawling = command(folder, &["crawl", &site.url(), "--quiet"]);
    let crawling = Process(crawling.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait_for("the end of the crawl", || closed_crawls(folder) > closed);
    drop(crawling);
}

#[test]
fn a_webhook_that_is_down_while_a_crawl_closes_is_told_later_and_once() {
    let (folder, site, hook) = hooked();
    let folder = folder.path();
    crawl_and_die_before_telling(folder, &site);
    hook.start(&[]);
    let said = run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify hook: told (crawl-"), "{said}");
    let told = hook.told();
    assert_eq!(told.len(), 2, "{told:?}\n{said}");
    assert_eq!(format!("{}-2", told[0]), told[1], "the older one first");
    let again = run(folder, 0, &["notify"]);
    assert!(again.contains("notify hook: told before"), "{again}");
    assert_eq!(hook.told(), told, "nothing is told twice");
}

#[test]
fn a_server_takes_up_what_another_process_did_not_get_to_tell() {
    let (folder, site, hook) = hooked();
    let folder = folder.path();
    crawl_and_die_before_telling(folder, &site);
    hook.start(&[]);
    let mut serving = command(folder, &["serve", "--listen", "127.0.0.1:0"]);
    let _serving = Process(serving.stderr(Stdio::null()).spawn().unwrap());
    wait_for("the webhook to be told", || hook.told().len() == 1);
    let said = run(folder, 0, &["notify"]);
    assert!(said.contains("notify hook: told before"), "{said}");
    assert_eq!(hook.told().len(), 1);
}

#[test]
fn what_failed_waits_and_is_told_with_the_next_crawl() {
    let (folder, site, hook) = hooked();
    let folder = folder.path();
    hook.start(&["503 Not Now\r\nRetry-After: 3600\r\n"]);
    let said = run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify hook: not told"), "{said}");
    let said = run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify hook: told (crawl-") && said.contains("notify hook: told\n"), "{said}");
    let told = hook.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!((&told[0], format!("{}-2", told[0])), (&told[1], told[2].clone()));
}

#[test]
fn a_target_that_is_removed_is_dropped_with_a_sentence_and_one_that_is_added_hears_nothing_old() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::start_blocking());
    let (old, new) = (Hook::down(), Hook::down());
    let folder = folder.path();
    std::fs::write(folder.join("recrawl.toml"), old.table().replace("notify.hook", "notify.old")).unwrap();
    site.page("/", Page::html("<h1>Root</h1>"));
    crawl_and_die_before_telling(folder, &site);
    std::fs::write(folder.join("recrawl.toml"), new.table()).unwrap();
    old.start(&[]);
    new.start(&[]);
    let said = run(folder, 0, &["crawl", &site.url(), "--quiet"]);
    assert!(said.contains("notify old: not told of crawl-") && said.contains("do not name it"), "{said}");
    assert_eq!((old.told().len(), new.told().len()), (0, 1), "{said}");
}
