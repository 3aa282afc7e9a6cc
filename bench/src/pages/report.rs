//! The figures of the pages.

use std::fmt::Write as _;

use serde::Serialize;

use crate::report::{Spread, TARGET_HEAD, float, target};

/// A page may have so many kilobytes of HTML.
const LARGEST_KB: f64 = 150.0;

/// The outcome of `pages`.
#[derive(Debug, Serialize)]
pub(crate) struct PagesReport {
    pub(super) machine: String,
    pub(super) pages: usize,
    pub(super) weeks: usize,
    pub(super) requests: u32,
    pub(super) answers: Vec<Page>,
}

/// How fast one page was answered, and how large it is.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    pub(super) name: &'static str,
    pub(super) address: String,
    /// The first request, for which everything had to be read.
    pub(super) first_ms: f64,
    pub(super) ms: Spread,
    /// Bytes of its HTML, as they are before anything compresses them.
    pub(super) bytes: u64,
    /// How long it may take.
    pub(super) most_ms: f64,
}

impl PagesReport {
    /// Writes the tables and the targets as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let Self { machine, pages, weeks, requests, answers } = self;
        let mut text = format!(
            "{pages} pages, {weeks} crawls, {machine}; median of {requests} requests (least..most)\n\n\
             | page | first ms | ms | kB |\n|---|---|---|---|\n"
        );
        for Page { name, first_ms, ms, bytes, .. } in answers {
            let _ = writeln!(text, "| {name} | {first_ms:.1} | {ms} | {:.1} |", float(*bytes) / 1e3);
        }
        text.push_str(TARGET_HEAD);
        for Page { name, ms, bytes, most_ms, address, .. } in answers {
            text.push_str(&target(&format!("{name}, ms"), ms.median, "≤", *most_ms));
            // Feeds are for programs.
            if !address.starts_with("/feeds") {
                text.push_str(&target(&format!("{name}, kB"), float(*bytes) / 1e3, "≤", LARGEST_KB));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_time_and_size() {
        let page = |name, address: &str, median, bytes| Page {
            name,
            address: address.to_owned(),
            first_ms: 90.0,
            ms: Spread { median, least: 1.0, most: 400.0 },
            bytes,
            most_ms: 100.0,
        };
        let answers =
            vec![page("first screen", "/", 99.0, 150_001), page("a feed", "/feeds.atom", 101.0, 900_000)];
        let report = PagesReport { machine: String::new(), pages: 3_500, weeks: 52, requests: 50, answers };
        let text = report.markdown();
        for line in [
            "| first screen | 90.0 | 99.0 (1.0..400.0) | 150.0 |",
            "| first screen, ms | 99 | ≤ 100 | yes |",
            "| first screen, kB | 150 | ≤ 150 | **no** |",
            "| a feed, ms | 101 | ≤ 100 | **no** |",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("a feed, kB"), "{text}");
    }
}
