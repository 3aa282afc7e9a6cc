//! What the program made of real pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use crate::measure::Usage;
use crate::report::{float, megabytes};

/// Addresses that are named for each finding.
const EXAMPLES: usize = 3;

/// The outcome of `real`.
#[derive(Debug, Serialize)]
pub(crate) struct RealReport {
    pub(crate) machine: String,
    pub(crate) rows: Vec<Row>,
}

/// One tree, crawled twice.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// HTML files of the tree.
    pub(crate) files: usize,
    /// Answers of 200 in the first crawl.
    pub(crate) pages: usize,
    /// Bytes received in the first crawl.
    pub(crate) bytes: u64,
    /// Both crawls, if they came to their ends.
    pub(crate) crawls: Vec<Usage>,
    /// How a crawl ended that did not come to its end.
    pub(crate) fell: Option<String>,
    /// Pages over which the program stumbled.
    pub(crate) stumbles: Vec<String>,
    /// Pages that failed otherwise, though they were served as they should be.
    pub(crate) failed: Vec<String>,
    /// Pages that the second crawl calls other than the first one found them.
    pub(crate) false_changes: Vec<String>,
}

/// A visit, as the store tells of it.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) crawl: String,
    pub(crate) url: String,
    pub(crate) verdict: String,
    pub(crate) status: Option<u64>,
    pub(crate) reason: Option<String>,
    pub(crate) bytes: u64,
}

impl Visit {
    fn is_stumble(&self) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.contains("stumbled over this page"))
    }
}

impl Row {
    /// Takes up what two crawls, in this order, say of every page.
    pub(crate) fn add(&mut self, visits: &[Visit]) {
        let crawls: BTreeSet<&str> = visits.iter().map(|visit| visit.crawl.as_str()).collect();
        let first = crawls.first().copied().unwrap_or_default();
        let once = |found: &mut Vec<String>, url: &str| {
            if !found.iter().any(|known| known == url) {
                found.push(url.to_owned());
            }
        };
        for visit in visits {
            let is_first = visit.crawl == first;
            if is_first {
                self.pages += usize::from(visit.status == Some(200));
                self.bytes += visit.bytes;
            }
            match visit.verdict.as_str() {
                "failed" if visit.is_stumble() => once(&mut self.stumbles, &visit.url),
                "failed" => once(&mut self.failed, &visit.url),
                "new" | "changed" | "moved" | "gone" if !is_first => {
                    once(&mut self.false_changes, &visit.url);
                }
                _ => {}
            }
        }
    }

    fn is_as_it_should_be(&self) -> bool {
        self.fell.is_none() && self.stumbles.is_empty() && self.false_changes.is_empty()
    }

    fn cpu_per_page(&self, crawl: usize) -> String {
        let (Some(usage), true) = (self.crawls.get(crawl), self.pages > 0) else {
            return String::new();
        };
        format!("{:.2}", 1_000.0 * usage.cpu_s / float(self.pages as u64))
    }

    fn peak(&self) -> u64 {
        self.crawls.iter().map(|usage| usage.peak_bytes).max().unwrap_or_default()
    }
}

impl RealReport {
    /// Returns whether no crawl fell, no page was stumbled over, and nothing was called changed.
    pub(crate) fn is_as_it_should_be(&self) -> bool {
        self.rows.iter().all(Row::is_as_it_should_be)
    }

    /// Returns the table, and below it what was found by name.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "### real\n\nreal pages, crawled twice, {}\n\n\
             | tree | files | pages | MB | stumbles | false changes | failed | CPU ms a page, first | second | peak MB |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
            self.machine
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.1} | {} | {} | {} | {} | {} | {:.1} |",
                row.name,
                row.files,
                row.pages,
                megabytes(row.bytes),
                row.stumbles.len(),
                row.false_changes.len(),
                row.failed.len(),
                row.cpu_per_page(0),
                row.cpu_per_page(1),
                megabytes(row.peak()),
            );
        }
        text.push('\n');
        for row in &self.rows {
            for (what, urls) in
                [("stumbled over", &row.stumbles), ("changed", &row.false_changes), ("failed", &row.failed)]
            {
                for url in urls.iter().take(EXAMPLES) {
                    let _ = writeln!(text, "* {}: {what}: {url}", row.name);
                }
            }
            if let Some(fell) = &row.fell {
                let _ = writeln!(text, "* {}: the crawl fell: {fell}", row.name);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(crawl: &str, url: &str, verdict: &str, reason: &str) -> Visit {
        Visit {
            crawl: crawl.to_owned(),
            url: url.to_owned(),
            verdict: verdict.to_owned(),
            status: Some(200),
            reason: Some(reason.to_owned()),
            bytes: 1_000_000,
        }
    }

    #[test]
    fn what_the_second_crawl_calls_changed_is_a_false_change() {
        let mut row = Row { name: "doc".to_owned(), files: 3, ..Row::default() };
        row.add(&[
            visit("crawl-2026-11-16", "a", "new", ""),
            visit("crawl-2026-11-16", "b", "new", ""),
            visit("crawl-2026-11-16", "c", "failed", "Recrawl stumbled over this page: it fell"),
            visit("crawl-2026-11-16-2", "a", "touched", ""),
            visit("crawl-2026-11-16-2", "b", "changed", ""),
            visit("crawl-2026-11-16-2", "c", "failed", "Recrawl stumbled over this page: it fell"),
        ]);
        assert_eq!((row.pages, row.bytes), (3, 3_000_000));
        assert_eq!((&row.stumbles, &row.false_changes), (&vec!["c".to_owned()], &vec!["b".to_owned()]));
        let report = RealReport { machine: "a machine".to_owned(), rows: vec![row] };
        assert!(!report.is_as_it_should_be());
        let text = report.markdown();
        assert!(text.contains("| doc | 3 | 3 | 3.0 | 1 | 1 | 0 |"), "{text}");
        assert!(text.contains("* doc: stumbled over: c\n* doc: changed: b\n"), "{text}");
    }

    #[test]
    fn a_tree_in_which_nothing_changed_is_as_it_should_be() {
        let mut row = Row::default();
        row.add(&[visit("crawl-1", "a", "new", ""), visit("crawl-2", "a", "unchanged", "")]);
        assert!(row.is_as_it_should_be());
        row.fell = Some("exit status 101".to_owned());
        assert!(!row.is_as_it_should_be());
    }
}
