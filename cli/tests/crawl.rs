//! The real command against a real server: planted truth, interruptions, faults, politeness.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use recrawl_testkit::site::{Page, Site, assert_spaced};
use serde_json::Value;

/// A directory with a store, and the command in it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RECRAWL_")) {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the command and insists on this exit status.
    fn expect(&self, status: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{out}\n{err}");
        if status == 2 { err } else { out }
    }

    fn crawl(&self, site: &Site, flags: &[&str]) -> String {
        self.expect(0, &[&["crawl", &site.url(), "--rate", "unlimited"], flags].concat())
    }

    /// Returns the path of every page with what the latest crawl found out about it.
    fn verdicts(&self) -> BTreeMap<String, String> {
        let all = "new,changed,moved,gone,touched,unchanged,missing,failed,excluded";
        let json = self.expect(0, &["changes", "--kind", all, "--format", "json"]);
        let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
        let path = |url: &str| url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap();
        rows.iter()
            .map(|row| (path(row["url"].as_str().unwrap()), row["kind"].as_str().unwrap().to_owned()))
            .collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Plants `pages` pages of about `length` bytes that link to their neighbours and to the root.
fn plant(site: &Site, pages: usize, length: usize) {
    for number in 0..pages {
        site.page(&path(number), Page::html(html(number, pages, length, "as ever")));
    }
    site.page("/robots.txt", Page::text("User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n"));
    site.page("/sitemap.xml", Page::xml("<urlset><url><loc>/</loc></url></urlset>"));
}

fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}") }
}

fn html(number: usize, pages: usize, length: usize, news: &str) -> String {
    let links = (1..=3).map(|step| number * 3 + step).filter(|link| *link < pages);
    let links: Vec<String> = links.map(|link| format!("<a href=\"{}\">{link}</a>", path(link))).collect();
    let links = links.join(" ");
    let filler = "All work and no play makes a dull page. ".repeat(length / 40);
    format!(
        "<!doctype html><title>Page {number}</title><h1>Page {number}</h1>{links}<p>{news}</p><p>{filler}</p>"
    )
}

#[test]
fn a_second_crawl_reports_exactly_the_planted_changes() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 40, 400);
    site.page("/page-20", Page::html("<p>noise</p><p>Updated 3 minutes ago</p>").without_validators());
    let summary = desk.crawl(&site, &[]);
    assert!(summary.contains("40 pages: 40 new"), "{summary}");

    site.page("/page-3", Page::html(html(3, 40, 400, "something else")));
    site.page(
        "/page-4",
        Page::html(html(4, 41, 400, "as ever").replace("</h1>", "</h1><a href=/page-40>40</a>")),
    );
    site.page("/page-40", Page::html("<p>hello</p>"));
    site.remove("/page-39");
    site.redirect("/page-38", "/page-37", 301);
    site.page("/page-20", Page::html("<p>noise</p><p>Updated 9 minutes ago</p>").without_validators());
    desk.crawl(&site, &[]);
    let mut verdicts = desk.verdicts();
    verdicts.retain(|_, verdict| verdict != "unchanged");
    let expected = [
        ("/page-3", "changed"),
        ("/page-4", "changed"),
        ("/page-40", "new"),
        ("/page-39", "gone"),
        ("/page-38", "moved"),
        ("/page-20", "touched"),
    ];
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(path, verdict)| ((*path).to_owned(), (*verdict).to_owned())).collect();
    assert_eq!(verdicts, expected);

    let diff = desk.expect(0, &["diff", site.at("/page-3").as_str()]);
    assert!(diff.contains("-as ever") && diff.contains("+something else"), "{diff}");
}

#[test]
fn an_unchanged_site_costs_next_to_nothing_and_every_page_is_visited() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 60, 50_000);
    desk.crawl(&site, &[]);
    let first = site.bytes_sent();
    site.clear_log();
    desk.crawl(&site, &[]);
    let log = site.log();
    assert_eq!(log.len(), 62, "60 pages, robots.txt and sitemap");
    assert!(log.iter().all(|request| request.status == Some(304)), "{log:?}");
    let second = site.bytes_sent();
    assert!(second * 50 < first, "{second} bytes after {first}");
    assert!(desk.verdicts().values().all(|verdict| verdict == "unchanged"));
}

#[test]
fn a_crawl_killed_ten_times_ends_with_the_same_records() {
    const PAGES: usize = 500;
    let site = Site::start_blocking();
    plant(&site, PAGES, 400);
    let whole = Desk::new();
    whole.crawl(&site, &[]);
    site.clear_log();

    let desk = Desk::new();
    let flags = ["crawl", &site.url(), "--delay", "0.004"];
    for kill in 0..10_u64 {
        let mut child: Child =
            desk.command(&flags).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Spread over start, recall and the crawl itself; the last digits vary from run to run.
        let moment = 60 + kill * 37 % 240 + u64::from(std::process::id() % 50);
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    desk.expect(0, &flags);
    let query =
        "select url, verdict, status, content_hash, found_by, depth, referrer from visits order by url";
    let records = |desk: &Desk| desk.expect(0, &["sql", query, "--format", "json"]);
    assert_eq!(records(&desk), records(&whole));
    assert!(records(&desk).matches("\"verdict\"").count() == PAGES);

    let mut fetched: BTreeMap<String, usize> = BTreeMap::new();
    for request in site.log().iter().filter(|request| !request.path.contains('.')) {
        *fetched.entry(request.path.clone()).or_default() += 1;
    }
    assert_eq!(fetched.len(), PAGES);
    let again: usize = fetched.values().map(|times| times - 1).sum();
    assert!(again <= 10, "one request at a time, ten kills: {again} pages were fetched twice");
}

#[test]
fn requests_start_a_second_apart_and_the_rate_is_used() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 6, 400);
    desk.expect(0, &["crawl", &site.url()]);
    assert_eq!(site.log().len(), 8);
    assert_spaced(&site.log(), Duration::from_secs(1));
    let agent = site.log()[0].header("user-agent").unwrap().to_owned();
    assert!(agent.starts_with("recrawl/") && agent.contains("(+http"), "{agent}");
}

#[test]
fn a_crawl_delay_in_robots_is_obeyed_also_without_a_limit_of_ours() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 4, 400);
    site.page("/robots.txt", Page::text("User-agent: recrawl\nCrawl-delay: 0.3\nDisallow: /page-3\n"));
    desk.crawl(&site, &["--sitemaps", "false"]);
    let log = site.log();
    assert_eq!(log.len(), 4, "robots.txt and three pages");
    assert_spaced(&log[1..], Duration::from_millis(300));
    assert!(site.requests_for("/page-3").is_empty());
    assert_eq!(desk.verdicts()["/page-3"], "excluded");
}

#[test]
fn a_server_in_trouble_never_turns_a_page_into_gone() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 12, 400);
    desk.crawl(&site, &[]);
    site.clear_log();
    let flags = ["--back-off", "0.01", "--time-out", "0.5", "--retries", "1", "--mode", "full"];
    site.page("/page-1", Page::status(503));
    site.page("/page-2", Page::status(500));
    site.page("/page-3", Page::html("x".repeat(10_000)).reset_after(100));
    site.page("/page-4", Page::closed());
    site.page("/page-5", Page::silent());
    site.page("/page-6", Page::html("y".repeat(10_000)).dripping(10, Duration::from_millis(100)));
    site.page("/page-7", Page::status(403));
    let after = html(8, 12, 400, "as ever");
    site.page("/page-8", Page::html(after.clone()).after(1, Page::status(429).with_retry_after("1")));
    let soon = (jiff::Timestamp::now() + jiff::SignedDuration::from_secs(2))
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string();
    site.page(
        "/page-9",
        Page::html(html(9, 12, 400, "as ever")).after(1, Page::status(503).with_retry_after(&soon)),
    );
    let url = site.url();
    let arguments = [&["crawl", &url, "--rate", "unlimited"], &flags[..]].concat();
    desk.expect(3, &arguments);
    let verdicts = desk.verdicts();
    for number in 1..=7 {
        assert_eq!(verdicts[&path(number)], "failed", "page {number}");
    }
    for number in [0, 8, 9, 10, 11] {
        assert_eq!(verdicts[&path(number)], "unchanged", "page {number}");
    }
    for (path, at_least) in [("/page-8", Duration::from_secs(1)), ("/page-9", Duration::from_millis(500))] {
        let waited = site.requests_for(path);
        assert!(waited[1].arrival - waited[0].arrival >= at_least, "{path}");
    }

    plant(&site, 12, 400);
    desk.crawl(&site, &[]);
    assert!(desk.verdicts().values().all(|verdict| verdict == "unchanged"), "{:?}", desk.verdicts());
}

#[test]
fn an_unreachable_robots_txt_forbids_everything_until_it_recovers() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 3, 400);
    site.page("/robots.txt", Page::status(503));
    let url = site.url();
    let flags = ["crawl", &url, "--rate", "unlimited", "--back-off", "0.01"];
    desk.expect(1, &flags);
    assert!(site.log().iter().all(|request| request.path == "/robots.txt"));
    site.page("/robots.txt", Page::text(""));
    desk.expect(0, &flags);
    assert_eq!(desk.verdicts().len(), 3);
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_and_the_same_command_goes_on() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 30, 400);
    let url = site.url();
    let flags = ["crawl", url.as_str(), "--delay", "0.05"];
    let child = desk.command(&flags).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    while site.log().len() < 8 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the same command goes on"), "{said}");
    let status = desk.expect(0, &["status"]);
    assert!(status.contains("open"), "{status}");
    desk.expect(0, &flags);
    let pages = site.log().iter().filter(|request| !request.path.contains('.')).count();
    assert_eq!(pages, 30, "no page is fetched twice");
}

#[test]
fn a_page_limit_makes_a_partial_crawl_that_removes_nothing() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 20, 400);
    desk.crawl(&site, &[]);
    let summary = desk.crawl(&site, &["--max-pages", "5"]);
    assert!(summary.contains("partial: the limit of 5 pages was reached"), "{summary}");
    assert!(desk.verdicts().len() == 5);
    let summary = desk.crawl(&site, &[]);
    assert!(summary.contains("20 pages: 20 unchanged"), "{summary}");
}

#[test]
fn depth_and_patterns_limit_what_is_visited() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 20, 400);
    desk.crawl(&site, &["--max-depth", "1", "--exclude", "*/page-2"]);
    let pages: Vec<String> = desk.verdicts().into_keys().collect();
    assert_eq!(pages, ["/", "/page-1", "/page-3"]);
}

#[test]
fn an_ignored_part_of_a_page_never_counts_as_a_change() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    let page = |ad: u32, visitors: u32| {
        Page::html(format!("<p>news</p><div class=ad>{ad}</div><p>visitor no. {visitors}</p>"))
    };
    site.page("/", page(1, 1));
    let flags = ["--ignore-selector", ".ad", "--ignore-regex", r"visitor no\. \d+"];
    desk.crawl(&site, &flags);
    site.page("/", page(2, 2));
    desk.crawl(&site, &flags);
    assert_eq!(desk.verdicts()["/"], "touched");
    desk.crawl(&site, &[]);
    assert_eq!(desk.verdicts()["/"], "unchanged", "other rules are not another page");
}

#[test]
fn a_wrong_command_says_why_and_writes_nothing() {
    let desk = Desk::new();
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
        (&["changes"], "no store"),
        (&["copy", "--from", "a.db", "--to", "a.db"], "onto itself"),
        (&["copy", "--from", "missing.db", "--to", "b.db"], "no store"),
        (&["sql", "SELECT 1", "--store", "firestore:demo"], "recrawl copy"),
        (&["crawl"], "URL"),
    ];
    for (arguments, expected) in cases {
        let said = desk.expect(2, arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert_eq!(desk.files(), Vec::<PathBuf>::new(), "{arguments:?}");
    }
}

#[test]
fn a_host_that_cannot_be_found_is_said_at_once_and_nothing_is_written() {
    let desk = Desk::new();
    let output = desk.run(&["crawl", "http://no-such-host.invalid/"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no-such-host.invalid cannot be found"), "{said}");
    assert_eq!(desk.files(), Vec::<PathBuf>::new());
}

#[test]
fn a_root_that_leads_elsewhere_or_is_forbidden_says_so() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    site.redirect("/", "https://elsewhere.example/", 301);
    let said = desk.crawl(&site, &["--sitemaps", "false"]);
    assert!(said.contains("The root leads to https://elsewhere.example/"), "{said}");
    site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /\n"));
    let said = desk.crawl(&site, &["--sitemaps", "false"]);
    assert!(said.contains("The root was not visited: robots.txt: "), "{said}");
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_be_crawled() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 5, 400);
    let said = desk.crawl(&site, &["--dry-run"]);
    assert!(said.contains("allows the root") && said.contains("3 of them in scope"), "{said}");
    assert_eq!(desk.files(), Vec::<PathBuf>::new());
}

#[test]
fn settings_come_from_flags_then_environment_then_file() {
    let desk = Desk::new();
    let file = "rate = 2\nmax-depth = 3\n[site.news]\nroot = \"https://example.org/news\"\nmax-depth = 4\nexclude = [\"*.zip\"]\n";
    std::fs::write(desk.path().join("recrawl.toml"), file).unwrap();
    let output = desk
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
fn two_crawlers_do_not_share_a_store() {
    let (desk, site) = (Desk::new(), Site::start_blocking());
    plant(&site, 30, 400);
    let url = site.url();
    let mut child = desk
        .command(&["crawl", &url, "--delay", "0.05"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while site.log().len() < 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = desk.run(&["crawl", &url]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("another recrawl"), "{said}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_public_page_cannot_lead_us_inside() {
    let (desk, site, inside) = (Desk::new(), Site::start_blocking(), Site::start_blocking());
    site.page("/", Page::html(format!("<a href={}>in</a>", inside.at("/secret"))));
    site.redirect("/secret", &inside.url(), 302);
    desk.crawl(&site, &["--sitemaps", "false", "--extra-host", "169.254.169.254"]);
    assert!(inside.log().is_empty());
}

#[test]
fn the_demo_finds_what_it_planted() {
    let desk = Desk::new();
    let began = Instant::now();
    let said = desk.expect(0, &["demo", "--store", "sqlite:demo.db"]);
    assert!(began.elapsed() < Duration::from_secs(10));
    for expected in ["reopen on 30 April", "bike-lane", "/fair", "/parking"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let query = "select verdict, count(*) as pages from visits where crawl like '%-2' group by verdict order by verdict";
    let counts = desk.expect(0, &["sql", query, "--format", "csv", "--store", "sqlite:demo.db"]);
    let expected = "verdict,pages\nchanged,2\nexcluded,1\ngone,1\nmoved,1\nnew,1\ntouched,1\nunchanged,5\n";
    assert_eq!(counts.replace('\r', ""), expected);
}
