//! Measures settling without a store: the edits of many changed pages are grouped, and every page gets its verdict.
//!
//! `cargo run --release -p recrawl-core --example grouping [PAGES]`

#![expect(clippy::print_stdout, reason = "the figures are what it is run for")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::time::Instant;

use recrawl_core::changes::edits::{OwnMarks, content_words, edits};
use recrawl_core::changes::settle::{Grouping, SharingRules, ToldChanges};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Reading;
use recrawl_core::model::kind::WordCount;
use recrawl_core::model::outline::Outline;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::model::verdict::Verdict;
use recrawl_testkit::contract::samples::bare_record;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// As many records are made and settled at a time: a crawl does not hold all of them either.
const CHUNK: usize = 300;

fn main() -> Result<(), Failure> {
    let pages: usize = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse())?;
    let numbers: Vec<usize> = (0..pages).collect();
    let made = records(&numbers[..pages.min(CHUNK)]);
    let each = made.iter().filter_map(|record| record.visit.edits.as_ref()).map(|edits| edits.list.len());
    let each = each.sum::<usize>() / made.len().max(1);
    drop(made);
    let crawl = "crawl-2026-11-18".parse()?;
    let told = ToldChanges::default();
    let before = peak()?;
    let (mut took, mut grouping) = (0.0, Grouping::new(SharingRules::default(), crawl, pages as u64, &told));
    for chunk in numbers.chunks(CHUNK) {
        let records = records(chunk);
        let begun = Instant::now();
        for record in &records {
            grouping.add(record);
        }
        took += begun.elapsed().as_secs_f64();
    }
    let begun = Instant::now();
    let mut grouped = grouping.group();
    let grouping_took = took + begun.elapsed().as_secs_f64();
    took = grouping_took;
    for chunk in numbers.chunks(CHUNK) {
        let mut records = records(chunk);
        let begun = Instant::now();
        for record in &mut records {
            grouped.settle(record);
        }
        took += begun.elapsed().as_secs_f64();
    }
    let begun = Instant::now();
    let settled = grouped.finish();
    took += begun.elapsed().as_secs_f64();
    let more = peak()?.saturating_sub(before);
    println!("{pages} changed pages with {each} edits each, {} shared changes", settled.shared.len());
    println!(
        "grouped in {grouping_took:.2} s, with all verdicts {took:.2} s, {} MB more at most",
        more / 1_000
    );
    Ok(())
}

/// Returns the most memory that this process ever had, in kB.
fn peak() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Pages that have a new menu entry in common, and three edits of their own.
fn records(numbers: &[usize]) -> Vec<PageRecord> {
    numbers.iter().map(|number| record(*number)).collect()
}

fn record(number: usize) -> PageRecord {
    let path = format!("/section-{}/page-{number}", number % 50);
    let name = letters(number);
    let own = |week: &str| -> Vec<String> {
        (0..3).map(|line| format!("The {name} street is {week} {} again", letters(line))).collect()
    };
    let before = reading(&["Home", "News"], &own("closed by"));
    let after = reading(&["Home", "News", "Jobs"], &own("opened for"));
    let mut record = bare_record("example", "crawl-2026-11-18", &path);
    let own = OwnMarks::new(&record.url, &[]);
    record.visit.verdict = Verdict::Changed;
    record.visit.words = WordCount { changed: 0, of: content_words(&after) };
    record.visit.edits = Some(Box::new(edits(&before, &after, &own, Aspects::ALL)));
    record
}

/// A word that only this number has, without a digit: numbers alone are one shape.
fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect()
}

fn size(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

fn reading(menu: &[&str], content: &[String]) -> Reading {
    let lines = vec![(Mark::of(Region::Nav), size(menu.len())), (Mark::CONTENT, size(content.len()))];
    let outline = Outline { lines, ..Outline::default() };
    let lines: Vec<&str> = menu.iter().copied().chain(content.iter().map(String::as_str)).collect();
    Reading { text: lines.join("\n"), outline: Some(outline) }
}
