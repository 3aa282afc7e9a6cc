//! What settling a large crawl takes: processor time and memory, without the store that its records come from.

mod week;

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use recrawl_core::changes::settle::{Grouping, SharingRules, ToldChanges};
use recrawl_core::model::record::PageRecord;
use serde::Serialize;

use self::week::{Shape, Week};
use crate::report::{TARGET_HEAD, float, machine, target};

/// So many records are there at a time, as when a crawl is closed.
const CHUNK: u32 = 300;

/// Seconds of processor time that the largest crawl may take.
const MOST_CPU_S: f64 = 2.0;

/// Megabytes that 100,000 pages may take.
const MOST_MB: f64 = 100.0;

/// Megabytes that a site of at most [`FEW_PAGES`] pages may take.
const MOST_MB_OF_FEW: f64 = 20.0;

const FEW_PAGES: u32 = 3_500;

/// The outcome of `grouping`.
#[derive(Debug, Serialize)]
pub(crate) struct GroupingReport {
    machine: String,
    rows: Vec<Row>,
}

/// One crawl.
#[derive(Debug, Serialize)]
struct Row {
    pages: u32,
    shape: Shape,
    edits: usize,
    /// The shared changes that were found.
    shared: usize,
    cpu_s: f64,
    /// By how much the process grew, at most.
    bytes: u64,
}

/// Settles a crawl of each size in which every page changed, in each way that pages change.
pub(crate) fn run(sizes: &[u32]) -> Result<GroupingReport> {
    let machine = machine();
    let mut rows = Vec::new();
    for &pages in sizes {
        for shape in Shape::ALL.into_iter().filter(|shape| shape.is_measured(pages)) {
            eprintln!("{pages} pages: {}", shape.words());
            rows.push(settle(shape, pages)?);
        }
    }
    Ok(GroupingReport { machine, rows })
}

fn settle(shape: Shape, pages: u32) -> Result<Row> {
    let week = Week::new(shape);
    let (mut edits, mut cpu_ns) = (0, 0);
    // What records take themselves is there before anything is measured.
    drop(chunk(&week, 0, pages));
    let before = memory("VmRSS")?;
    fs::write("/proc/self/clear_refs", "5").context("the peak of the memory cannot be begun anew")?;
    let mut grouping =
        Grouping::new(SharingRules::default(), week.crawl, pages.into(), &ToldChanges::default());
    for first in (0..pages).step_by(CHUNK as usize) {
        let records = chunk(&week, first, pages);
        let begun = cpu_time()?;
        for record in &records {
            grouping.add(record);
        }
        cpu_ns += cpu_time()? - begun;
        edits +=
            records.iter().filter_map(|record| Some(record.visit.edits.as_ref()?.list.len())).sum::<usize>();
    }
    let begun = cpu_time()?;
    let mut grouped = grouping.group();
    cpu_ns += cpu_time()? - begun;
    for first in (0..pages).step_by(CHUNK as usize) {
        let mut records = chunk(&week, first, pages);
        let begun = cpu_time()?;
        for record in &mut records {
            grouped.settle(record);
        }
        cpu_ns += cpu_time()? - begun;
    }
    let begun = cpu_time()?;
    let settled = grouped.finish();
    cpu_ns += cpu_time()? - begun;
    let bytes = memory("VmHWM")?.saturating_sub(before);
    ensure!(settled.loss.lost_content == 0, "pages lost their content that did not");
    Ok(Row { pages, shape, edits, shared: settled.shared.len(), cpu_s: float(cpu_ns) / 1e9, bytes })
}

fn chunk(week: &Week, first: u32, pages: u32) -> Vec<PageRecord> {
    (first..pages.min(first + CHUNK)).map(|page| week.record(page)).collect()
}

/// Returns nanoseconds of processor time of this thread.
fn cpu_time() -> Result<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split(' ').next().context("schedstat is empty")?;
    first.parse().context("schedstat begins with a number")
}

/// Returns how many bytes a line of the status of this process tells.
fn memory(name: &str) -> Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()).context("no such line")?;
    Ok(1_024 * kilobytes.parse::<u64>()?)
}

/// Writes the table and the targets as Markdown.
pub(crate) fn markdown(report: &GroupingReport) -> String {
    let GroupingReport { machine, rows } = report;
    let mut text = format!(
        "settling crawls in which every page changed, {machine}\n\n\
         | pages | what changed | edits | shared changes | CPU s | MB more |\n|---|---|---|---|---|---|\n"
    );
    for Row { pages, shape, edits, shared, cpu_s, bytes } in rows {
        let megabytes = float(*bytes) / 1e6;
        let words = shape.words();
        let _ = writeln!(text, "| {pages} | {words} | {edits} | {shared} | {cpu_s:.3} | {megabytes:.1} |");
    }
    text.push_str(TARGET_HEAD);
    for Row { pages, shape, cpu_s, bytes, .. } in rows {
        let name = format!("{pages} pages, {}", shape.words());
        text.push_str(&target(&format!("{name}, CPU s"), *cpu_s, "≤", MOST_CPU_S));
        let most = if *pages <= FEW_PAGES { MOST_MB_OF_FEW } else { MOST_MB };
        text.push_str(&target(&format!("{name}, MB more"), float(*bytes) / 1e6, "≤", most));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_a_week_changed_and_what_is_shared_is_found() {
        for (shape, edits, shared) in
            [(Shape::Menu, 300 + 30 + 6, 2), (Shape::Redesign, 300 * 12, 1), (Shape::Rewritten, 300 * 65, 0)]
        {
            let row = settle(shape, 300).unwrap();
            assert_eq!((row.edits, row.shared), (edits, shared), "{shape:?}");
            assert!(row.cpu_s > 0.0, "{shape:?}");
        }
    }

    #[test]
    fn targets_are_processor_time_and_memory_by_the_size_of_the_site() {
        let row = |pages, cpu_s, bytes| Row { pages, shape: Shape::Menu, edits: 9, shared: 1, cpu_s, bytes };
        let rows = vec![row(3_500, 0.1, 21_000_000), row(100_000, 2.5, 99_000_000)];
        let text = markdown(&GroupingReport { machine: String::new(), rows });
        for line in [
            "| 3500 | a menu entry on all, a build line on a tenth, a sentence on a hundredth | 9 | 1 | 0.100 | 21.0 |",
            "MB more | 21 | ≤ 20 | **no** |",
            "CPU s | 2.500 | ≤ 2 | **no** |",
            "MB more | 99 | ≤ 100 | yes |",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
