//! Damaged files: every command ends, soon and with a sentence where it cannot do what it should.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::program::{Ended, Program, run};
use super::report::Row;
use super::weeks::Weeks;
use crate::listener::Listener;
use crate::report::megabytes;
use crate::site::Random;

const LIMIT: Duration = Duration::from_mins(1);
/// For each command, on an optimised program.
const PATIENCE_S: f64 = 10.0;
const PEAK_MB: f64 = 150.0;
const PAGES: usize = 150;
const PAGE_SIZE: usize = 4_096;

/// How a file is damaged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Damage {
    /// Some bytes anywhere are others.
    Flips,
    /// Some bytes of the beginning are others.
    Header,
    /// A page of the file is empty.
    Zeros,
    /// Two pages of the file took each other's place.
    Swapped,
    /// The file ends somewhere.
    Cut,
}

/// All of them.
pub(crate) const DAMAGES: [(&str, &str, Damage); 5] = [
    ("damage-flips", "files in which some bytes are others", Damage::Flips),
    ("damage-header", "files whose beginning is damaged", Damage::Header),
    ("damage-zeros", "files in which a page is empty", Damage::Zeros),
    ("damage-swapped", "files in which two pages are exchanged", Damage::Swapped),
    ("damage-cut", "files that end too early", Damage::Cut),
];

impl Damage {
    fn apply(self, bytes: &mut Vec<u8>, random: &mut Random) {
        let length = bytes.len();
        let page = |random: &mut Random| random.below(length / PAGE_SIZE) * PAGE_SIZE;
        match self {
            Self::Flips => (0..=random.below(20)).for_each(|_| {
                let place = random.below(length);
                bytes[place] ^= 1 << random.below(8);
            }),
            Self::Header => (0..=random.below(3)).for_each(|_| {
                let place = random.below(100);
                bytes[place] ^= 1 << random.below(8);
            }),
            Self::Zeros => {
                let start = page(random);
                bytes[start..start + PAGE_SIZE].fill(0);
            }
            Self::Swapped => {
                let (one, other) = (page(random), page(random));
                let kept = bytes[one..one + PAGE_SIZE].to_vec();
                bytes.copy_within(other..other + PAGE_SIZE, one);
                bytes[other..other + PAGE_SIZE].copy_from_slice(&kept);
            }
            Self::Cut => bytes.truncate(random.below(length)),
        }
    }
}

/// Returns every command that reads a store, with a page of the site where it wants one.
pub(crate) fn reading_commands(page: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["changes"],
        vec![
            "changes",
            "--format",
            "json",
            "--kind",
            "new,changed,moved,gone,touched,unchanged,missing,failed,excluded",
        ],
        vec!["diff", page],
        vec!["history", page],
        vec!["show", page],
        vec!["explain", page],
        vec!["search", "bridge"],
        vec!["pages"],
        vec!["plan"],
        vec!["report", "broken"],
        vec!["report", "redirects"],
        vec!["report", "orphans"],
        vec!["report", "duplicates"],
        vec!["crawls"],
        vec!["status"],
        vec!["stats"],
        vec!["sql", "SELECT url, verdict FROM visits ORDER BY url"],
        vec!["prune", "--keep-crawls", "1", "--dry-run"],
    ]
}

/// A site and a store of three of its weeks.
pub(crate) struct Stage {
    pub(crate) server: Listener,
    folder: tempfile::TempDir,
}

impl Stage {
    /// Crawls three weeks.
    pub(crate) fn set(program: &Program) -> Result<Self> {
        let site = Weeks::new(PAGES);
        let week = site.week();
        let server = Listener::start(site)?;
        let folder = tempfile::tempdir()?;
        let stage = Self { server, folder };
        for number in 0..3 {
            week.store(number, Ordering::Relaxed);
            let mut crawl = program.crawl(&stage.server.url(), &stage.store(), &["--rate", "unlimited"]);
            let complaints = run(&mut crawl, LIMIT)?.complaints(&[0]);
            ensure!(complaints.is_empty(), "an undisturbed crawl: {}", complaints.join("; "));
        }
        Ok(stage)
    }

    /// Returns the store, which nobody uses any more.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("recrawl.db")
    }

    /// Returns a page that changed every week.
    pub(crate) fn page(&self) -> String {
        format!("{}page-3", self.server.url())
    }
}

/// Damages so many copies of a store, each in its own way, and runs every command on each.
pub(crate) fn torture(
    program: &Program,
    (id, what, damage): (&'static str, &'static str, Damage),
    seed: u64,
    files: usize,
) -> Result<Row> {
    let mut row = Row::new(id, what);
    let mut random = Random::new(seed);
    let stage = Stage::set(program)?;
    let whole = fs::read(stage.store())?;
    ensure!(whole.len() > 10 * PAGE_SIZE, "the store is too small to be damaged");
    let page = stage.page();
    let (mut slowest, mut largest, mut refused) = (0.0_f64, 0_u64, 0);
    for number in 0..files {
        let mut bytes = whole.clone();
        damage.apply(&mut bytes, &mut random);
        let mut commands = reading_commands(&page);
        commands.push(vec!["copy"]);
        commands.push(vec!["prune", "--keep-crawls", "1"]);
        commands.push(vec!["crawl"]);
        for arguments in commands {
            // Each has the file as it was damaged: the ones before may have written to theirs.
            let folder = tempfile::tempdir()?;
            let store = folder.path().join("recrawl.db");
            fs::write(&store, &bytes)?;
            let ended = attempt(program, &stage, &store, &arguments)?;
            slowest = slowest.max(ended.usage.wall_s);
            largest = largest.max(ended.usage.peak_bytes);
            refused += usize::from(!ended.status.success());
            let broken = complaints(&ended);
            row.tried(
                broken.iter().map(|line| format!("file {number}: `{}`: {line}", arguments[0])).collect(),
            );
        }
    }
    row.worst = format!("{slowest:.1} s, {:.0} MB; {refused} ended with a sentence", megabytes(largest));
    Ok(row)
}

fn attempt(program: &Program, stage: &Stage, store: &Path, arguments: &[&str]) -> Result<Ended> {
    let mut command = match arguments {
        ["copy"] => {
            let (from, to) =
                (crate::programs::locator(store), crate::programs::locator(&store.with_file_name("copy.db")));
            program.command(store.parent().unwrap_or(Path::new("/")), &["copy", "--from", &from, "--to", &to])
        }
        ["crawl"] => program.crawl(&stage.server.url(), store, &["--rate", "unlimited"]),
        _ => program.on(store, arguments),
    };
    run(&mut command, Duration::from_secs_f64(PATIENCE_S + program.slack))
}

/// Returns what is wrong with how a command ended on a file that may be damaged.
fn complaints(ended: &Ended) -> Vec<String> {
    let mut broken = ended.complaints(&[0, 1, 2, 3]);
    let is_refused = ended.status.code().is_some_and(|code| code == 1 || code == 2);
    if is_refused && !ended.err.contains("recrawl: ") && !ended.err.contains("is not finished") {
        broken.push(format!("ended with {} and without a sentence: {}", ended.status, ended.last_words()));
    }
    if ended.err.contains("Error code") {
        broken.push(format!("a number in place of a sentence: {}", ended.last_words()));
    }
    if megabytes(ended.usage.peak_bytes) > PEAK_MB {
        broken.push(format!("peak MB: {:.0}, at most {PEAK_MB}", megabytes(ended.usage.peak_bytes)));
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_leaves_another_file_and_the_same_one_for_the_same_seed() {
        let whole: Vec<u8> = (0..20 * PAGE_SIZE).map(|place| (place / 7 % 251).to_le_bytes()[0]).collect();
        for (id, _, damage) in DAMAGES {
            let [one, other] = [7, 7].map(|seed| {
                let mut bytes = whole.clone();
                damage.apply(&mut bytes, &mut Random::new(seed));
                bytes
            });
            assert!(one == other && one != whole, "{id}");
        }
    }
}
