//! Hostile servers: each serves a few good pages and something bad, which may cost the bad page and nothing else.

mod bodies;
mod bombs;
mod heads;
mod pages;
mod patience;
mod redirects;
mod robots;
mod sitemaps;
mod traps;

use std::fmt::Write as _;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::Result;

use super::program::{Ended, Program, run};
use super::report::Row;
use super::store;
use crate::listener::{Answer, Connection, Listener, Request, Then};
use crate::report::megabytes;

/// Memory of the program, whatever servers send.
const PEAK_MB: f64 = 150.0;
const GOOD: usize = 4;
/// How every case is crawled: without pauses, and with less patience than usual.
const FLAGS: &[[&str; 2]] =
    &[["--rate", "unlimited"], ["--time-out", "2"], ["--retries", "1"], ["--back-off", "0.1"]];

/// What is asked of a hostile server.
pub(super) struct Ask<'a> {
    pub(super) request: &'a Request,
    pub(super) path: &'a str,
    /// The server's own address, without a slash at the end.
    pub(super) origin: &'a str,
    /// Another server, which has nothing to do with the site.
    pub(super) stranger: &'a str,
}

/// Answers, or leaves the answer to the good part of the site.
pub(super) type Answering = fn(&Ask<'_>, &mut Connection) -> io::Result<Option<Then>>;

/// One hostile server, and what may become of a crawl of it.
pub(super) struct Case {
    pub(super) id: &'static str,
    what: &'static str,
    answer: Answering,
    /// Whether it answers for every path and not only for `/bad`.
    is_everywhere: bool,
    flags: &'static [&'static str],
    /// What may be found of `/bad`; anything where this is empty.
    bad: &'static [&'static str],
    /// Whether the good pages must be recorded.
    is_good_seen: bool,
    ends: &'static [i32],
    wall_s: f64,
    cpu_s: f64,
    requests: usize,
    stranger_requests: usize,
    /// Whether it takes an unoptimised program long.
    pub(super) is_heavy: bool,
}

impl Case {
    /// A server of which `/bad` is answered so; by default this page fails, and the others are as ever.
    const fn new(id: &'static str, what: &'static str, answer: Answering) -> Self {
        Self {
            id,
            what,
            answer,
            is_everywhere: false,
            flags: &[],
            bad: &["failed"],
            is_good_seen: true,
            ends: &[0, 3, 4],
            wall_s: 20.0,
            cpu_s: 2.0,
            requests: 40,
            stranger_requests: 0,
            is_heavy: false,
        }
    }

    const fn everywhere(mut self) -> Self {
        self.is_everywhere = true;
        self.bad = &[];
        self
    }

    const fn flags(mut self, flags: &'static [&'static str]) -> Self {
        self.flags = flags;
        self
    }

    const fn bad(mut self, verdicts: &'static [&'static str]) -> Self {
        self.bad = verdicts;
        self
    }

    /// Nothing can be known of the good pages; the crawl ends so.
    const fn hopeless(mut self, ends: &'static [i32]) -> Self {
        self.is_good_seen = false;
        self.bad = &[];
        self.ends = ends;
        self
    }

    /// The crawl may be left open, to go on later.
    const fn ends(mut self, ends: &'static [i32]) -> Self {
        self.ends = ends;
        self
    }

    const fn requests(mut self, most: usize) -> Self {
        self.requests = most;
        self
    }

    const fn stranger(mut self, most: usize) -> Self {
        self.stranger_requests = most;
        self
    }

    const fn seconds(mut self, wall: f64, cpu: f64) -> Self {
        self.wall_s = wall;
        self.cpu_s = cpu;
        self
    }

    /// Waiting takes a slower program no longer, and working does.
    fn wall_limit(&self, program: &Program) -> f64 {
        self.wall_s + self.cpu_s * (program.slack - 1.0)
    }

    const fn heavy(mut self) -> Self {
        self.is_heavy = true;
        self
    }
}

/// Returns all cases.
pub(super) fn cases() -> impl Iterator<Item = &'static Case> {
    [
        heads::CASES,
        bodies::CASES,
        bombs::CASES,
        redirects::CASES,
        robots::CASES,
        sitemaps::CASES,
        traps::CASES,
        pages::CASES,
        patience::CASES,
    ]
    .into_iter()
    .flatten()
}

/// The good part of every site, with the hostile part before it.
struct Site {
    case: &'static Case,
    stranger: String,
}

impl Answer for Site {
    fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then> {
        let origin = format!("http://{}", request.header("host").unwrap_or_default());
        let ask = Ask { request, path: request.path(), origin: &origin, stranger: &self.stranger };
        if (self.case.is_everywhere || ask.path == "/bad")
            && let Some(then) = (self.case.answer)(&ask, connection)?
        {
            return Ok(then);
        }
        if ask.path == "/" {
            let mut text = "<!doctype html><title>Root</title><h1>Root</h1>".to_owned();
            for number in 1..=GOOD {
                let _ = write!(text, "<a href=/good-{number}>good</a> <a href=/bad>bad</a>");
            }
            return html(connection, text);
        }
        let good = ask.path.strip_prefix("/good-").and_then(|number| number.parse::<usize>().ok());
        match good.filter(|number| (1..=GOOD).contains(number)) {
            Some(number) => {
                html(connection, format!("<title>Good {number}</title><p>The good page {number}."))
            }
            None => connection.respond("404 Not Found", &["Content-Type: text/html"], b"<p>No such page"),
        }
    }
}

/// Answers with a page.
fn html(connection: &mut Connection, body: impl AsRef<[u8]>) -> io::Result<Then> {
    connection.respond("200 OK", &["Content-Type: text/html; charset=utf-8"], body.as_ref())
}

/// Returns what `piece` makes of the numbers from 0, one behind the other.
fn pieces(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |text, number| text + &piece(number))
}

/// Answers with a page that is one piece again and again.
fn html_repeated(connection: &mut Connection, piece: &[u8], count: usize) -> io::Result<Option<Then>> {
    connection.respond_repeated(&["Content-Type: text/html; charset=utf-8"], piece, count).map(Some)
}

/// Sends the same bytes until the client has enough.
fn flood(connection: &mut Connection, bytes: &[u8]) -> io::Result<Option<Then>> {
    loop {
        connection.send(bytes)?;
    }
}

/// Somebody else's server, which is not to be asked for much.
struct Stranger;

impl Answer for Stranger {
    fn answer(&self, request: &Request, connection: &mut Connection) -> io::Result<Then> {
        if request.path() == "/robots.txt" {
            return connection.respond("404 Not Found", &[], b"");
        }
        connection.respond("200 OK", &["Content-Type: application/xml"], b"<urlset></urlset>")
    }
}

/// Crawls a hostile server, also a second time where `twice`.
pub(super) fn torture(program: &Program, case: &'static Case, twice: bool) -> Result<Row> {
    let mut row = Row::new(case.id, case.what);
    let stranger = Listener::start_at(Ipv4Addr::new(127, 0, 0, 2), Stranger)?;
    let site = Site { case, stranger: stranger.url().trim_end_matches('/').to_owned() };
    let server = Listener::start(site)?;
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("recrawl.db");
    let usual = FLAGS.iter().filter(|flag| !case.flags.contains(&flag[0]));
    let flags: Vec<&str> = usual.flatten().chain(case.flags).copied().collect();
    let mut worst = Worst::default();
    // Pages that are known are visited again, whatever trap they are in.
    let mut known = 0;
    for number in 1..=if twice { 2 } else { 1 } {
        let before = (server.requests(), stranger.requests());
        // Some longer than the limit below, which says more.
        let limit = Duration::from_secs_f64(case.wall_limit(program) + 15.0);
        let ended = run(&mut program.crawl(&server.url(), &store, &flags), limit)?;
        let asked = (server.requests() - before.0, stranger.requests() - before.1);
        let mut broken = limits(program, case, &ended, (asked.0.saturating_sub(known), asked.1));
        known = asked.0;
        if store.exists() && !ended.is_late {
            broken.extend(store::faults(&store)?);
            if case.is_good_seen {
                broken.extend(good_pages(&store, number)?);
            }
            if !case.bad.is_empty() && number == 1 {
                broken.extend(bad_page(&store, case.bad)?);
            }
        }
        if !store.exists() && case.is_good_seen {
            broken.push("there is no store".to_owned());
        }
        worst.see(&ended, asked.0);
        row.tried(broken.into_iter().map(|line| format!("crawl {number}: {line}")).collect());
        if ended.is_late || !row.holds() {
            break;
        }
    }
    row.worst = worst.to_string();
    Ok(row)
}

fn limits(program: &Program, case: &Case, ended: &Ended, asked: (usize, usize)) -> Vec<String> {
    let mut broken = ended.complaints(case.ends);
    let usage = &ended.usage;
    let mut within = |what: &str, value: f64, most: f64| {
        if value > most {
            broken.push(format!("{what}: {value:.1}, at most {most:.1}"));
        }
    };
    within("peak MB", megabytes(usage.peak_bytes), PEAK_MB);
    within("CPU s", usage.cpu_s, case.cpu_s * program.slack);
    if !ended.is_late {
        within("wall s", usage.wall_s, case.wall_limit(program));
    }
    if asked.0 > case.requests {
        broken.push(format!("{} requests, at most {}", asked.0, case.requests));
    }
    if asked.1 > case.stranger_requests {
        broken.push(format!("{} requests to a stranger, at most {}", asked.1, case.stranger_requests));
    }
    broken
}

/// Returns what is wrong with the good pages in the latest crawl: of the first they are new, later unchanged.
fn good_pages(store: &std::path::Path, crawl: usize) -> Result<Vec<String>> {
    let expected: &[&str] = if crawl == 1 { &["new"] } else { &["unchanged", "touched"] };
    let sql = "SELECT verdict || ' ' || coalesce(title, '') FROM visits WHERE url LIKE '%/good-%'
        AND crawl = (SELECT crawl FROM crawls ORDER BY number DESC LIMIT 1) ORDER BY url";
    let found = store::query(store, sql)?;
    let mut broken = Vec::new();
    for number in 1..=GOOD {
        let is_there = expected.iter().any(|verdict| found.contains(&format!("{verdict} Good {number}")));
        if !is_there {
            broken.push(format!("good page {number} is not {}: {found:?}", expected.join(" or ")));
        }
    }
    Ok(broken)
}

fn bad_page(store: &std::path::Path, expected: &[&str]) -> Result<Vec<String>> {
    let sql = "SELECT verdict || ' ' || coalesce(reason, '') FROM visits WHERE url LIKE '%/bad'";
    let found = store::query(store, sql)?;
    let is_expected = |line: &String| expected.iter().any(|verdict| line.split(' ').next() == Some(verdict));
    if found.iter().any(is_expected) {
        return Ok(Vec::new());
    }
    Ok(vec![format!("the bad page is not {}: {found:?}", expected.join(" or "))])
}

/// The worst figures of a case.
#[derive(Default)]
struct Worst {
    wall_s: f64,
    cpu_s: f64,
    peak_bytes: u64,
    requests: usize,
}

impl Worst {
    fn see(&mut self, ended: &Ended, requests: usize) {
        self.wall_s = self.wall_s.max(ended.usage.wall_s);
        self.cpu_s = self.cpu_s.max(ended.usage.cpu_s);
        self.peak_bytes = self.peak_bytes.max(ended.usage.peak_bytes);
        self.requests = self.requests.max(requests);
    }
}

impl std::fmt::Display for Worst {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { wall_s, cpu_s, peak_bytes, requests } = self;
        let peak = megabytes(*peak_bytes);
        write!(formatter, "{wall_s:.1} s, {cpu_s:.2} s CPU, {peak:.0} MB, {requests} requests")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_many_cases_and_each_has_a_name_of_its_own() {
        let ids: Vec<&str> = cases().map(|case| case.id).collect();
        let unique: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        assert!(ids.len() >= 60, "{}", ids.len());
        assert!(ids.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')));
    }
}
