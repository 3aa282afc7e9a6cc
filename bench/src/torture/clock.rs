//! Clocks that are wrong or jump, by libfaketime between the program and its clock.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::kills::Stage;
use super::program::{Program, Running, run};
use super::report::Row;
use super::weeks::Weeks;
use super::{serving, store};
use crate::false_clock::{at, library};
use crate::listener::Listener;
use crate::programs::locator;
use crate::site::Random;

const LIMIT: Duration = Duration::from_mins(1);
const PAGES: usize = 100;
const FLAGS: &[&str] = &["--delay", "0.001"];
/// What the clock says while it jumps.
const JUMPS: [&str; 6] = ["+0", "+400d", "-400d", "+0", "+36500d", "-1h"];

/// A crawl made while the clock was wrong does not stay the latest, is said to be dated ahead, and stops no schedule.
pub(crate) fn torture_wrong(program: &Program) -> Result<Row> {
    let mut row =
        Row::new("clock-wrong", "a crawl with a clock that is years ahead or behind, between good ones");
    let library = match library() {
        Ok(library) => library,
        Err(reason) => return Ok(row.left_out(reason)),
    };
    let mut slowest = 0.0_f64;
    for offset in ["+1500d", "-1500d", "+36500d", "-9000d"] {
        let mut broken = Vec::new();
        let site = Weeks::new(PAGES);
        let week = site.week();
        let server = Listener::start(site)?;
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("recrawl.db");
        for (number, offset) in ["+0", offset].into_iter().enumerate() {
            week.store(number, Ordering::Relaxed);
            let crawl = program.crawl(&server.url(), &store, FLAGS);
            broken.extend(run(&mut at(crawl, &library, offset), LIMIT)?.complaints(&[0]));
        }
        broken.extend(expect_said(program, &store, offset.starts_with('+'))?);
        week.store(2, Ordering::Relaxed);
        let begun = Instant::now();
        broken.extend(crawl_by_schedule(program, &server, &store, &library)?);
        slowest = slowest.max(begun.elapsed().as_secs_f64());
        let names = store::query(&store, "SELECT crawl FROM crawls ORDER BY number")?;
        if let [_, _, last] = &names[..] {
            broken.extend(expect_latest(program, &store, last)?);
        } else {
            broken.push(format!("three crawls were made, and there are {names:?}"));
        }
        broken.extend(store::faults(&store)?);
        row.tried(broken.into_iter().map(|line| format!("{offset}: {line}")).collect());
    }
    row.worst = format!("{slowest:.1} s until a crawl that was due had ended");
    Ok(row)
}

/// Returns what is wrong where `status` says of the latest crawl that it is dated ahead, or does not.
fn expect_said(program: &Program, store: &Path, is_ahead: bool) -> Result<Vec<String>> {
    let ended = run(&mut program.on(store, &["status"]), LIMIT)?;
    let mut broken = ended.complaints(&[0]);
    let said = String::from_utf8_lossy(&ended.out).into_owned() + &ended.err;
    if said.contains("ahead of") != is_ahead {
        let what = if is_ahead { "does not say" } else { "says" };
        broken.push(format!("`status` {what} that the latest crawl is dated ahead: {said}"));
    }
    Ok(broken)
}

/// Has a server crawl the site by its schedule, which is due every minute, two minutes from now.
fn crawl_by_schedule(
    program: &Program,
    server: &Listener,
    store: &Path,
    library: &Path,
) -> Result<Vec<String>> {
    let folder = store.parent().context("a store is in a folder")?;
    let sites = store::query(store, "SELECT DISTINCT site FROM crawls")?;
    let site = sites.first().context("a crawl has a site")?;
    let settings = format!(
        "store = \"{}\"\n\n[site.\"{site}\"]\nroot = \"{}\"\ndelay = 0.001\nschedule = \"* * * * *\"\n",
        locator(store),
        server.url()
    );
    std::fs::write(folder.join("recrawl.toml"), settings)?;
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--store", &locator(store)];
    let (running, _) = serving::start(&mut at(program.command(folder, &arguments), library, "+2m"))?;
    let ended = serving::wait_until_ended(store, 2)?;
    running.kill()?;
    Ok((!ended).then(|| "the schedule did not go on".to_owned()).into_iter().collect())
}

/// Returns what is wrong where `changes` does not tell of this crawl.
fn expect_latest(program: &Program, store: &Path, name: &str) -> Result<Vec<String>> {
    let ended = run(&mut program.on(store, &["changes", "--format", "json"]), LIMIT)?;
    let complaints = ended.complaints(&[0]);
    if !complaints.is_empty() {
        return Ok(complaints);
    }
    let changes: Vec<serde_json::Value> =
        serde_json::from_slice(&ended.out).context("`changes` printed no JSON array")?;
    if changes.is_empty() {
        return Ok(vec![format!("`changes` tells of nothing, not of {name}")]);
    }
    let others = changes.iter().filter_map(|change| change["crawl"].as_str()).filter(|crawl| *crawl != name);
    Ok(others.take(1).map(|crawl| format!("`changes` tells of {crawl}, and the latest is {name}")).collect())
}

/// The clock jumps while a crawl runs: it ends as it would have.
pub(crate) fn torture_jumps(program: &Program, seed: u64, tries: usize) -> Result<Row> {
    let mut row = Row::new("clock-jumps", "a clock that jumps by hours and years while a crawl runs");
    let library = match library() {
        Ok(library) => library,
        Err(reason) => return Ok(row.left_out(reason)),
    };
    let mut random = Random::new(seed);
    let stage = Stage::set(program, PAGES, FLAGS)?;
    let mut jumps = 0;
    for _ in 0..tries {
        let folder = tempfile::tempdir()?;
        let (store, clock) = (folder.path().join("recrawl.db"), folder.path().join("clock"));
        let mut broken = Vec::new();
        for week in 0..2 {
            stage.week.store(week, Ordering::Relaxed);
            std::fs::write(&clock, "+0\n")?;
            let mut command = at(program.crawl(&stage.server.url(), &store, FLAGS), &library, "+0");
            command
                .env_remove("FAKETIME")
                .env("FAKETIME_TIMESTAMP_FILE", &clock)
                .env("FAKETIME_NO_CACHE", "1");
            let mut running = Running::start(&mut command)?;
            let begun = Instant::now();
            let ended = loop {
                if let Some(ended) = running.ended()? {
                    break ended;
                }
                if begun.elapsed() > LIMIT {
                    break running.wait(Duration::ZERO)?;
                }
                let wanted = stage.server.requests() + 1 + random.below(20);
                stage.server.wait_for_requests(wanted, Duration::from_millis(50));
                std::fs::write(&clock, format!("{}\n", JUMPS[random.below(JUMPS.len())]))?;
                jumps += 1;
            };
            broken.extend(ended.complaints(&[0]));
        }
        broken.extend(stage.compare(&store)?);
        row.tried(broken);
    }
    row.worst = format!("{jumps} jumps");
    Ok(row)
}
