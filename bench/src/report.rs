//! Figures as people and programs read them.

use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::counters::Counters;
use crate::measure::Usage;

/// What one row of the main table measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scenario {
    /// Plain download and hash of every page.
    FloorDownload,
    /// A 304 for every page.
    FloorRevalidate,
    /// `wget2 -r` into an empty folder.
    WgetFirst,
    /// `wget2 -r -N` over what it has.
    WgetAgain,
    /// `recrawl crawl` into an empty store.
    CrawlFirst,
    /// The second crawl, nothing changed.
    CrawlUnchanged,
    /// The third crawl, 5 % of the pages changed.
    CrawlChanged,
}

impl Scenario {
    /// Returns the words for a row.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::FloorDownload => "floor: download + SHA-256",
            Self::FloorRevalidate => "floor: 304s",
            Self::WgetFirst => "wget2 -r",
            Self::WgetAgain => "wget2 -r -N",
            Self::CrawlFirst => "recrawl: first crawl",
            Self::CrawlUnchanged => "recrawl: unchanged",
            Self::CrawlChanged => "recrawl: 5 % changed",
        }
    }

    /// Returns the floor and the wget2 run that it is fair to compare with.
    fn peers(self) -> (Self, Self) {
        match self {
            Self::FloorDownload | Self::WgetFirst | Self::CrawlFirst => {
                (Self::FloorDownload, Self::WgetFirst)
            }
            Self::FloorRevalidate | Self::WgetAgain | Self::CrawlUnchanged | Self::CrawlChanged => {
                (Self::FloorRevalidate, Self::WgetAgain)
            }
        }
    }
}

/// Everything measured of one scenario.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) scenario: Scenario,
    /// One entry a timed round.
    pub(crate) usages: Vec<Usage>,
    /// From the round that counts.
    pub(crate) counters: Option<Counters>,
    /// From the last round.
    pub(crate) store_bytes: Option<u64>,
}

impl Row {
    /// Starts an empty row.
    pub(crate) fn new(scenario: Scenario) -> Self {
        Self { scenario, usages: Vec::new(), counters: None, store_bytes: None }
    }

    fn spread(&self, figure: impl Fn(&Usage) -> f64) -> Option<Spread> {
        Spread::of(self.usages.iter().map(figure).collect())
    }

    /// Compares wall times round by round, so that a slow round slows both sides.
    fn ratio(&self, other: &Self) -> Option<Spread> {
        let pairs = self.usages.iter().zip(&other.usages);
        Spread::of(pairs.map(|(own, other)| own.wall_s / other.wall_s).collect())
    }
}

/// How many of the planted changes `recrawl changes` reports.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Changes {
    pub(crate) planted: usize,
    pub(crate) found: usize,
}

/// The outcome of `run`.
#[derive(Debug, Serialize)]
pub(crate) struct RunReport {
    /// Where it was measured.
    pub(crate) machine: String,
    pub(crate) pages: u32,
    pub(crate) server: &'static str,
    pub(crate) rows: Vec<Row>,
    pub(crate) changes: Option<Changes>,
}

impl RunReport {
    fn row(&self, scenario: Scenario) -> Option<&Row> {
        self.rows.iter().find(|row| row.scenario == scenario)
    }

    fn ratio(&self, own: Scenario, other: Scenario) -> Option<Spread> {
        self.row(own)?.ratio(self.row(other)?)
    }

    /// Writes the tables as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let rounds = self.rows.first().map_or(0, |row| row.usages.len());
        let mut text = format!(
            "{} pages on {}, {}; median of {rounds} (least..most)\n\n\
            | | wall s | ÷ floor | ÷ wget2 | CPU s | peak MB | requests | 304s | MB received | store MB |\n\
            |---|---|---|---|---|---|---|---|---|---|\n",
            self.pages, self.server, self.machine
        );
        for row in &self.rows {
            let (floor, wget) = row.scenario.peers();
            let counters = row.counters.unwrap_or_default();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {} |",
                row.scenario.name(),
                cell(row.spread(|usage| usage.wall_s)),
                cell(self.ratio(row.scenario, floor)),
                cell(self.ratio(row.scenario, wget)),
                cell(row.spread(|usage| usage.cpu_s)),
                cell(row.spread(|usage| megabytes(usage.peak_bytes))),
                counters.requests,
                counters.not_modified,
                megabytes(counters.bytes),
                row.store_bytes.map_or(String::new(), |bytes| format!("{:.1}", megabytes(bytes))),
            );
        }
        text + &self.targets()
    }

    fn targets(&self) -> String {
        let mut lines = Vec::new();
        if let Some(ratio) = self.ratio(Scenario::CrawlFirst, Scenario::WgetFirst) {
            lines.push(target("first crawl ÷ wget2 -r", ratio.median, "≤", 2.0));
        }
        if let Some(ratio) = self.ratio(Scenario::CrawlUnchanged, Scenario::WgetAgain) {
            lines.push(target("unchanged ÷ wget2 -r -N", ratio.median, "≤", 0.6));
        }
        let crawls = [Scenario::CrawlFirst, Scenario::CrawlUnchanged, Scenario::CrawlChanged];
        let usages = crawls.iter().filter_map(|&crawl| self.row(crawl)).flat_map(|row| &row.usages);
        if let Some(peak) = usages.map(|usage| usage.peak_bytes).max() {
            lines.push(target("peak memory, MB, worst of all crawls", megabytes(peak), "≤", 100.0));
        }
        let counters = |scenario| self.row(scenario).and_then(|row| row.counters);
        let first = counters(Scenario::CrawlFirst);
        if let (Some(first), Some(second)) = (first, counters(Scenario::CrawlUnchanged)) {
            let share = 100.0 * float(second.bytes) / float(first.bytes);
            lines.push(target("bytes of the unchanged crawl, % of the first", share, "≤", 2.0));
            let pages = f64::from(self.pages);
            lines.push(target("304s of the unchanged crawl", float(second.not_modified), "≥", pages));
        }
        if let Some(changes) = self.changes {
            let verdict = if changes.found == changes.planted { "yes" } else { "**no**" };
            lines.push(format!(
                "| changed pages reported | {} | = {} | {verdict} |\n",
                changes.found, changes.planted
            ));
        }
        if lines.is_empty() { String::new() } else { TARGET_HEAD.to_owned() + &lines.concat() }
    }
}

/// The head of a table of targets.
pub(crate) const TARGET_HEAD: &str = "\n| target | measured | wanted | met |\n|---|---|---|---|\n";

/// Writes a line of a table of targets; `relation` is `≤` or `≥`.
pub(crate) fn target(what: &str, measured: f64, relation: &str, wanted: f64) -> String {
    let is_met = if relation == "≥" { measured >= wanted } else { measured <= wanted };
    let verdict = if is_met { "yes" } else { "**no**" };
    let digits = if wanted < 10.0 { 3 } else { 0 };
    format!("| {what} | {measured:.digits$} | {relation} {wanted} | {verdict} |\n")
}

/// The middle and the ends of several measurements of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Sums up the values; none for no values.
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let middle = values.len() / 2;
        let median = if values.len().is_multiple_of(2) {
            f64::midpoint(values[middle - 1], values[middle])
        } else {
            values[middle]
        };
        Some(Self { median, least, most })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.median < 10.0 { 3 } else { 1 };
        let Self { median, least, most } = self;
        write!(formatter, "{median:.digits$} ({least:.digits$}..{most:.digits$})")
    }
}

fn cell(spread: Option<Spread>) -> String {
    spread.map_or_else(String::new, |spread| spread.to_string())
}

/// Returns millions of bytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    float(bytes) / 1e6
}

/// Returns a count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^52")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// Describes the machine, what else it is doing, and where all files are.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let details = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = details.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown processor", |rest| rest.trim_start_matches(['\t', ':', ' ']));
    let folder = tempfile::env::temp_dir();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!("{cores} cores of {model}, files in {}, load {load} before", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(scenario: Scenario, walls: &[f64]) -> Row {
        let usage = |&wall_s| Usage { wall_s, cpu_s: 0.5, peak_bytes: 60_000_000 };
        Row { usages: walls.iter().map(usage).collect(), ..Row::new(scenario) }
    }

    #[test]
    fn a_spread_has_the_middle_and_the_ends() {
        let spread = |median, least, most| Some(Spread { median, least, most });
        assert_eq!(Spread::of(vec![3.0, 1.0, 2.0]), spread(2.0, 1.0, 3.0));
        assert_eq!(Spread::of(vec![4.0, 1.0]), spread(2.5, 1.0, 4.0));
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn ratios_pair_the_rounds_and_targets_follow_them() {
        let crawl = |scenario, bytes, not_modified, wall: &[f64]| Row {
            counters: Some(Counters { requests: 101, ok: 100, not_modified, bytes }),
            ..row(scenario, wall)
        };
        let report = RunReport {
            pages: 100,
            machine: machine(),
            server: "nginx",
            rows: vec![
                row(Scenario::WgetFirst, &[1.0, 2.0]),
                row(Scenario::WgetAgain, &[1.0, 1.0]),
                crawl(Scenario::CrawlFirst, 1_000, 0, &[1.5, 3.0]),
                crawl(Scenario::CrawlUnchanged, 30, 100, &[0.5, 0.5]),
            ],
            changes: Some(Changes { planted: 5, found: 4 }),
        };
        let text = report.markdown();
        for line in [
            "| first crawl ÷ wget2 -r | 1.500 | ≤ 2 | yes |",
            "| unchanged ÷ wget2 -r -N | 0.500 | ≤ 0.6 | yes |",
            "| peak memory, MB, worst of all crawls | 60 | ≤ 100 | yes |",
            "| bytes of the unchanged crawl, % of the first | 3.000 | ≤ 2 | **no** |",
            "| 304s of the unchanged crawl | 100 | ≥ 100 | yes |",
            "| changed pages reported | 4 | = 5 | **no** |",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
