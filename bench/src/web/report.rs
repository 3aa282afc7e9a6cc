//! The figures of the web page.

use std::fmt::Write as _;

use serde::Serialize;

use super::load::Load;
use crate::report::{Spread, TARGET_HEAD, float, target};

/// The outcome of `web`.
#[derive(Debug, Serialize)]
pub(crate) struct WebReport {
    pub(super) machine: String,
    pub(super) pages: u32,
    pub(super) rate: String,
    pub(super) requests: u32,
    pub(super) answers: Vec<Answer>,
    pub(super) rounds: Vec<Round>,
}

/// How fast one page was answered while nothing else happened.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) name: &'static str,
    /// The first request, for which everything had to be read.
    pub(super) first_ms: f64,
    pub(super) ms: Spread,
}

/// The same crawls without and with load.
#[derive(Debug, Serialize)]
pub(super) struct Round {
    pub(super) alone_s: f64,
    pub(super) loaded_s: f64,
    pub(super) load: Load,
}

impl Round {
    fn slowdown_percent(&self) -> f64 {
        100.0 * (self.loaded_s / self.alone_s - 1.0)
    }
}

impl WebReport {
    /// Writes the tables and the targets as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let Self { machine, pages, rate, requests, answers, rounds } = self;
        let mut text = format!(
            "{pages} pages, {machine}; median of {requests} requests (least..most)\n\n| page | first ms | ms |\n|---|---|---|\n"
        );
        for Answer { name, first_ms, ms } in answers {
            let _ = writeln!(text, "| {name} | {first_ms:.1} | {ms} |");
        }
        let _ = write!(
            text,
            "\ncrawls of another site into the same store at rate {rate}, alone and while pages are asked for; median of {} \
             (least..most)\n\n| crawls alone s | with load s | slower by % | requests | failed | answered a second | \
             half within ms | 99 of 100 within ms |\n|---|---|---|---|---|---|---|---|\n",
            rounds.len()
        );
        let spread = |figure: fn(&Round) -> f64| {
            Spread::of(rounds.iter().map(figure).collect())
                .map_or_else(String::new, |spread| spread.to_string())
        };
        let sum = |figure: fn(&Load) -> u64| rounds.iter().map(|round| figure(&round.load)).sum::<u64>();
        let failed = sum(|load| load.failed);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {failed} | {} | {} | {} |",
            spread(|round| round.alone_s),
            spread(|round| round.loaded_s),
            spread(Round::slowdown_percent),
            sum(|load| load.requests),
            spread(|round| round.load.answered_a_second),
            spread(|round| round.load.median_ms),
            spread(|round| round.load.slow_ms),
        );
        text.push_str(TARGET_HEAD);
        for Answer { name, ms, .. } in answers {
            text.push_str(&target(&format!("{name}, ms"), ms.median, "≤", 50.0));
        }
        let median = |figure: fn(&Round) -> f64| {
            Spread::of(rounds.iter().map(figure).collect()).map_or(f64::NAN, |spread| spread.median)
        };
        let answered = median(|round| round.load.answered_a_second);
        text.push_str(&target("requests answered a second during a crawl", answered, "≥", 200.0));
        text.push_str(&target("requests that failed", float(failed), "≤", 0.0));
        text.push_str(&target("the crawl is slower by, %", median(Round::slowdown_percent), "≤", 10.0));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_follow_from_medians() {
        let round = |alone_s, loaded_s, answered_a_second| Round {
            alone_s,
            loaded_s,
            load: Load { requests: 2_100, failed: 0, answered_a_second, median_ms: 3.0, slow_ms: 9.0 },
        };
        let text = WebReport {
            machine: String::new(),
            pages: 100,
            rate: "unlimited".to_owned(),
            requests: 50,
            answers: vec![
                Answer {
                    name: "changes",
                    first_ms: 90.0,
                    ms: Spread { median: 20.0, least: 10.0, most: 80.0 },
                },
                Answer {
                    name: "difference",
                    first_ms: 90.0,
                    ms: Spread { median: 51.0, least: 10.0, most: 80.0 },
                },
            ],
            rounds: vec![round(10.0, 12.0, 199.0), round(10.0, 10.5, 209.0), round(8.0, 8.4, 210.0)],
        }
        .markdown();
        for line in [
            "| changes | 90.0 | 20.0 (10.0..80.0) |",
            "| changes, ms | 20 | ≤ 50 | yes |",
            "| difference, ms | 51 | ≤ 50 | **no** |",
            "| requests answered a second during a crawl | 209 | ≥ 200 | yes |",
            "| requests that failed | 0.000 | ≤ 0 | yes |",
            "| the crawl is slower by, % | 5 | ≤ 10 | yes |",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
