//! Torture: kills, full disks, damaged files and hostile servers, bounded, local and seeded.

mod addresses;
mod clock;
mod commands;
mod damage;
mod disk;
mod hostile;
mod kills;
mod messages;
mod program;
mod report;
mod serving;
mod store;
mod weeks;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, ensure};

pub(crate) use self::addresses::run_inside as run_addresses;
use self::kills::Killing;
use self::program::Program;
use self::report::Row;
pub(crate) use self::report::TortureReport;
use crate::report::machine;

/// By how much an unoptimised program is slower, and may be. This one and that are built alike.
const SLACK: f64 = if cfg!(debug_assertions) { 8.0 } else { 1.0 };

/// What is to be tried.
pub(crate) struct Plan {
    /// The program.
    pub(crate) recrawl: PathBuf,
    /// Start of all random numbers.
    pub(crate) seed: u64,
    /// Whether only as much is tried as fits into the tests.
    pub(crate) is_short: bool,
    /// Only what begins so; everything where nothing is given.
    pub(crate) only: Vec<String>,
    /// How many things are tried at a time.
    pub(crate) jobs: usize,
}

impl Plan {
    fn wants(&self, id: &str) -> bool {
        self.only.is_empty()
            || self.only.iter().any(|wanted| id == wanted || id.starts_with(&format!("{wanted}-")))
    }
}

type Work = Box<dyn Fn(&Program, &Plan) -> Result<Row> + Send + Sync>;

/// One thing to try.
struct Job {
    id: &'static str,
    work: Work,
}

impl Job {
    fn new(id: &'static str, work: impl Fn(&Program, &Plan) -> Result<Row> + Send + Sync + 'static) -> Self {
        Self { id, work: Box::new(work) }
    }
}

/// Returns everything there is to try, what takes longest first.
fn jobs(is_short: bool) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (id, what, flags) in KILLED_CRAWLS {
        jobs.push(Job::new(id, move |program, plan| {
            let kills = if plan.is_short { 12 } else { 100 };
            kills::torture(program, &Killing { id, what, flags, pages: 300, kills }, plan.seed)
        }));
    }
    jobs.push(Job::new("kill-serve", |program, plan| {
        serving::torture(program, plan.seed, if plan.is_short { 4 } else { 30 })
    }));
    for killed in &commands::COMMANDS {
        jobs.push(Job::new(killed.id, |program, plan| {
            commands::torture(program, killed, plan.seed, if plan.is_short { 4 } else { 25 })
        }));
    }
    for damaged in damage::DAMAGES {
        jobs.push(Job::new(damaged.0, move |program, plan| {
            damage::torture(program, damaged, plan.seed, if plan.is_short { 1 } else { 24 })
        }));
    }
    jobs.push(Job::new("disk-full", |program, plan| {
        disk::torture_full(program, plan.seed, if plan.is_short { 3 } else { 20 })
    }));
    jobs.push(Job::new("file-limit", |program, plan| {
        disk::torture_limit(program, plan.seed, if plan.is_short { 3 } else { 20 })
    }));
    jobs.push(Job::new("read-only-disk", |program, _| disk::torture_read_only(program)));
    jobs.push(Job::new("read-only-folder", |program, _| disk::torture_foreign(program)));
    jobs.push(Job::new("clock-wrong", |program, _| clock::torture_wrong(program)));
    jobs.push(Job::new("clock-jumps", |program, plan| {
        clock::torture_jumps(program, plan.seed, if plan.is_short { 1 } else { 10 })
    }));
    jobs.push(Job::new("addresses", |program, _| addresses::torture(program)));
    jobs.push(Job::new("messages", |_, plan| {
        messages::torture(plan.seed, if plan.is_short { 2 } else { 20 })
    }));
    // Of what an unoptimised program takes long for, little is left when others run beside it.
    let (heavy, light): (Vec<_>, Vec<_>) = hostile::cases().partition(|case| case.is_heavy);
    let heavy = if is_short { Vec::new() } else { heavy };
    for case in heavy.into_iter().chain(light) {
        jobs.push(Job::new(case.id, move |program, plan| hostile::torture(program, case, !plan.is_short)));
    }
    jobs
}

const KILLED_CRAWLS: [(&str, &str, &[&str]); 3] = [
    ("kill-crawl", "kills in first and second crawls, many visits at a time", &["--rate", "unlimited"]),
    ("kill-crawl-slow", "kills in first and second crawls, one visit at a time", &["--delay", "0.001"]),
    ("kill-crawl-smart", "kills in crawls of mode smart", &["--rate", "unlimited", "--mode", "smart"]),
];

/// Returns the names of everything there is to try.
pub(crate) fn names() -> Vec<&'static str> {
    jobs(false).iter().map(|job| job.id).collect()
}

/// Tries everything that is wanted, several things at a time.
pub(crate) fn run(plan: &Plan) -> Result<TortureReport> {
    let (machine, started) = (machine(), Instant::now());
    let program = Program { path: plan.recrawl.canonicalize()?, slack: SLACK };
    // What is asked for by name is tried, however long it takes.
    let jobs = jobs(plan.is_short && plan.only.is_empty());
    let waiting: VecDeque<(usize, Job)> =
        jobs.into_iter().enumerate().filter(|(_, job)| plan.wants(job.id)).collect();
    ensure!(!waiting.is_empty(), "nothing is called {}; --list shows what there is", plan.only.join(" or "));
    let waiting = Mutex::new(waiting);
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((number, job)) = next else { return };
                    let row = (job.work)(&program, plan).unwrap_or_else(|error| {
                        // What could not be tried did not hold.
                        let mut row = Row::new(job.id, "could not be tried");
                        row.tried(vec![format!("{error:#}")]);
                        row
                    });
                    eprintln!("{} {}: {}", if row.holds() { "held " } else { "BROKE" }, row.id, row.worst);
                    rows.lock().unwrap_or_else(PoisonError::into_inner).push((number, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(number, _)| *number);
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    Ok(TortureReport { machine, seed: plan.seed, wall_s: started.elapsed().as_secs_f64(), rows })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everything_has_a_name_of_its_own_and_can_be_tried_alone() {
        let names = names();
        let unique: BTreeSet<&&str> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        let plan = |only: &[&str]| Plan {
            recrawl: "recrawl".into(),
            seed: 1,
            is_short: false,
            only: only.iter().map(|&name| name.to_owned()).collect(),
            jobs: 1,
        };
        assert!(plan(&[]).wants("gzip-bomb"));
        assert!(plan(&["gzip"]).wants("gzip-bomb") && plan(&["gzip-bomb"]).wants("gzip-bomb"));
        assert!(!plan(&["gzip-b"]).wants("gzip-bomb") && !plan(&["kill"]).wants("gzip-bomb"));
    }
}
