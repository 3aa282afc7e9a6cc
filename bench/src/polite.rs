//! The default rate as the server sees it.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::measure::measure;
use crate::programs;
use crate::report::{TARGET_HEAD, float, target};
use crate::server::Builtin;
use crate::site::Shape;

/// The delay between request starts that the default rate promises.
const PROMISED_S: f64 = 1.0;

/// Arrivals of one crawl at the server.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Politeness {
    requests: usize,
    smallest_gap_s: f64,
    expected_s: f64,
    actual_s: f64,
}

/// Crawls a site of small pages at the default rate.
pub(crate) fn run(recrawl: &Path, pages: u32) -> Result<Politeness> {
    eprintln!("crawling {pages} pages at the default rate, about {pages} seconds");
    let server = Builtin::start(Shape::Small, pages)?;
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("recrawl.db");
    let mut command = programs::polite_crawl(recrawl, &server.url(), &store);
    measure(&mut command, &folder.path().join("output.log"))?;
    judge(&server.arrivals()?).context("the crawl made fewer than two requests")
}

fn judge(arrivals: &[u64]) -> Option<Politeness> {
    let gaps = arrivals.windows(2).map(|pair| pair[1] - pair[0]);
    let smallest = gaps.min()?;
    let span = arrivals.last()? - arrivals.first()?;
    let intervals = u32::try_from(arrivals.len() - 1).ok()?;
    Some(Politeness {
        requests: arrivals.len(),
        smallest_gap_s: float(smallest) / 1e6,
        expected_s: PROMISED_S * f64::from(intervals),
        actual_s: float(span) / 1e6,
    })
}

/// Writes the figures as Markdown.
pub(crate) fn markdown(politeness: &Politeness) -> String {
    let Politeness { requests, smallest_gap_s, expected_s, actual_s } = politeness;
    let gap = target("smallest gap between two requests, s", *smallest_gap_s, "≥", PROMISED_S);
    let used = target("use of the rate, expected ÷ actual", expected_s / actual_s, "≥", 0.97);
    format!(
        "{requests} requests in {actual_s:.3} s by the server's clock, {expected_s:.0} s expected\n\
        {TARGET_HEAD}{gap}{used}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_gap_and_the_whole_span_are_judged() {
        let politeness = judge(&[500_000, 1_500_000, 2_490_000, 3_540_000]).unwrap();
        let expected = Politeness { requests: 4, smallest_gap_s: 0.99, expected_s: 3.0, actual_s: 3.04 };
        assert_eq!(politeness, expected);
        let text = markdown(&politeness);
        assert!(text.contains("| 0.990 | ≥ 1 | **no** |"), "{text}");
        assert!(text.contains("| 0.987 | ≥ 0.97 | yes |"), "{text}");
        assert_eq!(judge(&[1]), None);
    }
}
