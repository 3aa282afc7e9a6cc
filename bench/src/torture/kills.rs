//! Kills at random while a site is crawled: nothing may be lost, and nothing that is recorded is asked for again.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::program::{Ended, Program, Running, run};
use super::report::Row;
use super::store::{self, Record};
use super::weeks::{Weeks, is_page};
use crate::listener::Listener;
use crate::site::Random;

/// Weeks that are crawled one after the other.
const WEEKS: usize = 2;
/// No run of the program takes longer, whatever else the machine does.
const LIMIT: Duration = Duration::from_mins(1);
/// Kills in one week at most, so that the rest of it is crawled in one run.
const KILLS_A_WEEK: usize = 12;
/// Visits that may be under way when a process is killed: 16 for each of 8 connections.
const IN_FLIGHT: usize = 128;

/// How a history is crawled and killed.
pub(crate) struct Killing {
    pub(crate) id: &'static str,
    pub(crate) what: &'static str,
    /// Flags that say how many visits are under way at a time.
    pub(crate) flags: &'static [&'static str],
    pub(crate) pages: usize,
    /// Kills in all, over as many histories as it takes.
    pub(crate) kills: usize,
}

/// A served site with one that is crawled undisturbed to compare with.
pub(crate) struct Stage {
    pub(crate) server: Listener,
    pub(crate) week: Arc<AtomicUsize>,
    /// What undisturbed crawls of all weeks recorded.
    pub(crate) expected: BTreeSet<Record>,
    /// Requests of an undisturbed crawl.
    pub(crate) requests: usize,
}

/// Returns a crawl that asks for no page again on purpose, as for those that changed by a few words: here, a page that is
/// asked for twice is one whose record was lost.
fn crawl(program: &Program, url: &str, store: &Path, flags: &[&str]) -> Command {
    let mut command = program.crawl(url, store, flags);
    command.env("RECRAWL_RECHECK_SHARE", "0");
    command
}

impl Stage {
    /// Serves a site and crawls its weeks.
    pub(crate) fn set(program: &Program, pages: usize, flags: &[&str]) -> Result<Self> {
        let site = Weeks::new(pages);
        let week = site.week();
        let server = Listener::start(site)?;
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("undisturbed.db");
        for number in 0..WEEKS {
            week.store(number, Ordering::Relaxed);
            let ended = run(&mut crawl(program, &server.url(), &store, flags), LIMIT)?;
            let complaints = ended.complaints(&[0]);
            anyhow::ensure!(complaints.is_empty(), "an undisturbed crawl: {}", complaints.join("; "));
        }
        let expected = store::records(&store, &server.url())?;
        anyhow::ensure!(expected.len() > pages, "an undisturbed crawl recorded {} pages", expected.len());
        let requests = server.requests() / WEEKS;
        Ok(Self { server, week, expected, requests })
    }

    /// Returns what is wrong with a store that was disturbed.
    pub(crate) fn compare(&self, store: &Path) -> Result<Vec<String>> {
        let mut broken = store::faults(store)?;
        broken.extend(store::differences(&self.expected, &store::records(store, &self.server.url())?));
        Ok(broken)
    }
}

/// Crawls histories of two weeks, killed again and again, and compares with one that nobody disturbed.
pub(crate) fn torture(program: &Program, killing: &Killing, seed: u64) -> Result<Row> {
    let mut row = Row::new(killing.id, killing.what);
    let mut random = Random::new(seed);
    let stage = Stage::set(program, killing.pages, killing.flags)?;
    let mut worst = 0;
    while row.tried < killing.kills && row.broken.len() < 20 {
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("disturbed.db");
        for week in 0..WEEKS {
            stage.week.store(week, Ordering::Relaxed);
            worst = worst.max(crawl_week(program, killing, &stage, &store, week, &mut random, &mut row)?);
        }
        row.broken.extend(stage.compare(&store)?);
    }
    row.worst = format!("{worst} pages asked for again after a kill");
    Ok(row)
}

/// Crawls one week, and returns the most pages that were asked for again after one kill.
fn crawl_week(
    program: &Program,
    killing: &Killing,
    stage: &Stage,
    store: &Path,
    week: usize,
    random: &mut Random,
    row: &mut Row,
) -> Result<usize> {
    let mut asked = Asked::since(stage.server.requests());
    let mut command = crawl(program, &stage.server.url(), store, killing.flags);
    for _ in 0..KILLS_A_WEEK {
        let running = Running::start(&mut command)?;
        let requests = 1 + random.below(2 * stage.requests / KILLS_A_WEEK + 4);
        let ended = kill_after(&stage.server, running, requests, random)?;
        let mut broken =
            if ended.is_killed() && !ended.is_late { Vec::new() } else { ended.complaints(&[0]) };
        broken.extend(store::faults(store)?);
        broken.extend(asked.judge(&stage.server.log()));
        asked.note_kill(stage, store, week)?;
        if ended.is_killed() {
            row.tried(broken);
        } else {
            row.broken.extend(broken);
        }
        // It may have been killed after it was done.
        if store::crawls_ended(store)? > week {
            return Ok(asked.worst);
        }
    }
    row.broken.extend(run(&mut command, LIMIT)?.complaints(&[0]));
    row.broken.extend(asked.judge(&stage.server.log()));
    Ok(asked.worst)
}

/// Waits until the server got so many more requests, then a moment that nobody can foresee, and kills.
pub(crate) fn kill_after(
    server: &Listener,
    mut running: Running,
    requests: usize,
    random: &mut Random,
) -> Result<Ended> {
    let (begun, wanted) = (Instant::now(), server.requests() + requests);
    while !server.wait_for_requests(wanted, Duration::from_millis(5)) {
        if let Some(ended) = running.ended()? {
            return Ok(ended);
        }
        if begun.elapsed() > LIMIT {
            return Ok(Ended { is_late: true, ..running.kill()? });
        }
    }
    // Most between two requests, some long after the last one, while a crawl is being closed.
    let most = if random.below(4) == 0 { 40_000 } else { 2_000 };
    std::thread::sleep(Duration::from_micros(u64::try_from(random.below(most)).unwrap_or_default()));
    running.kill()
}

/// Which pages were asked for in a crawl, run by run.
struct Asked {
    /// Where the log of this crawl begins, and how much of it is judged.
    from: usize,
    judged: usize,
    /// Pages that were recorded before the last kill.
    recorded: BTreeSet<String>,
    /// Pages that were asked for before the last kill, and are not recorded.
    unrecorded: BTreeSet<String>,
    /// The most pages that were asked for again after one kill.
    worst: usize,
}

impl Asked {
    fn since(from: usize) -> Self {
        Self { from, judged: from, recorded: BTreeSet::new(), unrecorded: BTreeSet::new(), worst: 0 }
    }

    /// Returns what is wrong with the requests of the run that has just ended.
    fn judge(&mut self, log: &[String]) -> Vec<String> {
        let run: BTreeSet<&String> =
            log[self.judged.min(log.len())..].iter().filter(|path| is_page(path)).collect();
        self.judged = log.len();
        let mut broken: Vec<String> = run
            .iter()
            .filter(|path| self.recorded.contains(**path))
            .map(|path| format!("{path} was asked for again, though it was recorded before the kill"))
            .collect();
        let again = run.iter().filter(|path| self.unrecorded.contains(**path)).count();
        self.worst = self.worst.max(again);
        if again > IN_FLIGHT {
            broken.push(format!(
                "{again} pages were asked for again after one kill; at most {IN_FLIGHT} are in flight"
            ));
        }
        broken
    }

    /// Notes what is recorded after a kill.
    fn note_kill(&mut self, stage: &Stage, store: &Path, week: usize) -> Result<()> {
        let crawl = i64::try_from(week + 1).context("there are few weeks")?;
        let records = store::records(store, &stage.server.url())?;
        let here = records.into_iter().filter(|(number, _, _)| *number == crawl);
        self.recorded = here.map(|(_, url, _)| url).collect();
        let log = stage.server.log();
        let asked = log[self.from..].iter().filter(|path| is_page(path));
        self.unrecorded = asked.filter(|path| !self.recorded.contains(*path)).cloned().collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_page_that_is_asked_for_again_is_named() {
        let log: Vec<String> = ["/", "/page-1", "/page-2"].map(str::to_owned).into();
        let mut asked = Asked::since(0);
        assert!(asked.judge(&log).is_empty());
        asked.recorded = BTreeSet::from(["/".to_owned(), "/page-1".to_owned()]);
        asked.unrecorded = BTreeSet::from(["/page-2".to_owned()]);
        let log = [log, ["/robots.txt", "/page-2", "/page-1"].map(str::to_owned).into()].concat();
        let broken = asked.judge(&log);
        assert_eq!(broken, ["/page-1 was asked for again, though it was recorded before the kill"]);
        assert_eq!(asked.worst, 1);
    }
}
