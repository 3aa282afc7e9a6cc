//! Kills of `recrawl serve` while it crawls: it goes on by itself when it is started again.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::kills::{Stage, kill_after};
use super::program::{Program, Running};
use super::report::Row;
use super::store;
use crate::programs::locator;
use crate::site::Random;

const LIMIT: Duration = Duration::from_mins(1);
const PAGES: usize = 120;
const FLAGS: &[&str] = &["--delay", "0.001"];
const KILLS_A_WEEK: usize = 6;

/// Has a server crawl two weeks, killed again and again, and compares with crawls that nobody disturbed.
pub(crate) fn torture(program: &Program, seed: u64, kills: usize) -> Result<Row> {
    let mut row = Row::new("kill-serve", "kills of `serve` while it crawls");
    let mut random = Random::new(seed);
    let stage = Stage::set(program, PAGES, FLAGS)?;
    let mut slowest = 0.0_f64;
    while row.tried < kills && row.broken.is_empty() {
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("recrawl.db");
        let settings = format!(
            "store = \"{}\"\n\n[site.weeks]\nroot = \"{}\"\ndelay = 0.001\n",
            locator(&store),
            stage.server.url()
        );
        std::fs::write(folder.path().join("recrawl.toml"), settings)?;
        for week in 0..2 {
            stage.week.store(week, Ordering::Relaxed);
            for number in 0.. {
                let (running, address) = serve(program, &store)?;
                if number == 0 {
                    let status = post(&address, "/api/v1/sites/weeks/start")?;
                    ensure!(
                        status.starts_with("HTTP/1.1 202"),
                        "a crawl cannot be started: {}",
                        status.lines().next().unwrap_or_default()
                    );
                }
                let begun = Instant::now();
                if number < KILLS_A_WEEK {
                    let requests = 1 + random.below(2 * stage.requests / KILLS_A_WEEK);
                    kill_when(&stage, running, &store, week, requests, &mut random)?;
                    row.tried(store::faults(&store)?);
                } else if !wait_until_ended(&store, week)? {
                    row.broken.push(format!("the crawl of week {} did not go on", week + 1));
                }
                slowest = slowest.max(begun.elapsed().as_secs_f64());
                if store::crawls_ended(&store)? > week || !row.broken.is_empty() {
                    break;
                }
            }
        }
        row.broken.extend(stage.compare(&store)?);
    }
    row.worst = format!("{slowest:.1} s until a crawl ended or was killed");
    Ok(row)
}

/// Kills after so many requests; a server does not end by itself, so no more may come.
fn kill_when(
    stage: &Stage,
    running: Running,
    store: &Path,
    week: usize,
    requests: usize,
    random: &mut Random,
) -> Result<()> {
    let (wanted, begun) = (stage.server.requests() + requests, Instant::now());
    while !stage.server.wait_for_requests(wanted, Duration::from_millis(50)) && begun.elapsed() < LIMIT {
        if store::crawls_ended(store)? > week {
            break;
        }
    }
    kill_after(&stage.server, running, 0, random).map(drop)
}

/// Waits until so many crawls ended and one more; tells whether that came about.
pub(crate) fn wait_until_ended(store: &Path, week: usize) -> Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if store::crawls_ended(store)? > week {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(false)
}

fn serve(program: &Program, store: &Path) -> Result<(Running, String)> {
    let folder = store.parent().context("a store is in a folder")?;
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--store", &locator(store)];
    start(&mut program.command(folder, &arguments))
}

/// Starts a server and waits until it says where it listens.
pub(crate) fn start(command: &mut Command) -> Result<(Running, String)> {
    let mut running = Running::start(command)?;
    let begun = Instant::now();
    loop {
        let said = running.said();
        let address = said.split_once("http://127.0.0.1:").and_then(|(_, rest)| rest.split_once('/'));
        if let Some((port, _)) = address {
            return Ok((running, format!("127.0.0.1:{port}")));
        }
        if let Some(ended) = running.ended()? {
            anyhow::bail!("`recrawl serve` ended with {}: {}", ended.status, ended.last_words());
        }
        ensure!(begun.elapsed() < LIMIT, "`recrawl serve` did not say where it listens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn post(address: &str, path: &str) -> Result<String> {
    ask(address, &format!("POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 0\r\n"))
}

/// Returns the whole answer for a path.
pub(crate) fn get(address: &str, path: &str) -> Result<String> {
    ask(address, &format!("GET {path} HTTP/1.1\r\n"))
}

fn ask(address: &str, head: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(LIMIT))?;
    write!(stream, "{head}Host: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
