//! How many stored copies are current under three policies that make the same number of requests, on
//! simulated sites.

mod crawler;
mod freshness;
mod world;

use std::fmt::Write as _;

use recrawl_core::plan::due;
use serde::Serialize;

use self::crawler::Policy;
use self::world::{Rates, World};
use crate::report::{TARGET_HEAD, target};

/// Weeks at the end over which the result is taken, when what can be learnt has been learnt.
const LAST_WEEKS: usize = 4;

const WEEK: f64 = 7.0;

/// The outcome of `simulate`.
#[derive(Debug, Serialize)]
pub(crate) struct SimulateReport {
    pages: u32,
    seed: u64,
    sites: Vec<SiteReport>,
}

/// What the policies came to on one site. All figures are shares of copies that are current.
#[derive(Debug, Serialize)]
struct SiteReport {
    rates: Rates,
    /// One figure a week.
    weekly: Vec<f64>,
    learning: Vec<f64>,
    informed: Vec<f64>,
    /// What no policy with as many requests can beat, in the mean over time.
    optimum: f64,
}

/// Lets every policy loose on every kind of site, with as many requests a week as there are pages.
pub(crate) fn run(pages: u32, weeks: u32, seed: u64) -> SimulateReport {
    let sites = [Rates::LogNormal, Rates::Survey].map(|rates| {
        eprintln!("{}", rates.words());
        simulate(rates, pages, weeks, seed)
    });
    SimulateReport { pages, seed, sites: sites.into() }
}

fn simulate(rates: Rates, pages: u32, weeks: u32, seed: u64) -> SiteReport {
    let freshness = |policy| crawler::freshness_by_week(policy, World::new(rates, pages, seed), weeks);
    SiteReport {
        rates,
        weekly: freshness(Policy::Weekly),
        learning: freshness(Policy::Learning),
        informed: freshness(Policy::Informed),
        optimum: optimum(&World::new(rates, pages, seed)),
    }
}

/// Returns the mean freshness with the best intervals for the true rates.
fn optimum(world: &World) -> f64 {
    let rates = world.rates();
    let allocation = due::optimal_intervals(&rates, f64::from(world.size()) / WEEK);
    let pages = rates.iter().zip(&allocation.intervals);
    let sum: f64 = pages.map(|(&rate, &interval)| due::freshness(rate, interval)).sum();
    sum / f64::from(world.size())
}

/// Returns the mean of the last weeks.
fn settled(weeks: &[f64]) -> f64 {
    let last = &weeks[weeks.len().saturating_sub(LAST_WEEKS)..];
    last.iter().sum::<f64>() / f64::from(u32::try_from(last.len()).unwrap_or(u32::MAX))
}

/// Writes the tables and the targets as Markdown.
pub(crate) fn markdown(report: &SimulateReport) -> String {
    let mut text = String::new();
    let mut targets = TARGET_HEAD.to_owned();
    for site in &report.sites {
        let words = site.rates.words();
        let _ = write!(
            text,
            "{} pages, seed {}: {words}\n\n\
            | week | weekly crawl | adaptive, learning | adaptive, rates known | optimum | learning ÷ optimum |\n\
            |---|---|---|---|---|---|\n",
            report.pages, report.seed
        );
        for week in shown_weeks(site.weekly.len()) {
            let figures = [&site.weekly, &site.learning, &site.informed].map(|weeks| weeks[week - 1]);
            text += &line(&week.to_string(), figures, site.optimum);
        }
        let figures = [&site.weekly, &site.learning, &site.informed].map(|weeks| settled(weeks));
        text += &line(&format!("mean of the last {LAST_WEEKS}"), figures, site.optimum);
        text += "\n";
        let name = site.rates.name();
        targets += &target(&format!("{name}: learning ÷ optimum"), figures[1] / site.optimum, "≥", 0.95);
        targets += &target(&format!("{name}: learning ÷ weekly crawl"), figures[1] / figures[0], "≥", 1.0);
    }
    text + targets.trim_start()
}

fn line(name: &str, [weekly, learning, informed]: [f64; 3], optimum: f64) -> String {
    let ratio = learning / optimum;
    format!("| {name} | {weekly:.3} | {learning:.3} | {informed:.3} | {optimum:.3} | {ratio:.3} |\n")
}

/// Returns the weeks that are worth a line: all at first, then ever fewer.
fn shown_weeks(weeks: usize) -> impl Iterator<Item = usize> {
    [1, 2, 3, 4, 6, 8, 12, 16, 26, 39, 52, 104, 156].into_iter().filter(move |&week| week <= weeks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_is_within_five_percent_of_the_optimum() {
        for rates in [Rates::LogNormal, Rates::Survey] {
            let site = simulate(rates, 2_000, 30, 1);
            let [weekly, learning, informed] =
                [&site.weekly, &site.learning, &site.informed].map(|weeks| settled(weeks));
            let optimum = site.optimum;
            assert!(learning > 0.95 * optimum, "{rates:?}: {learning} of {optimum}");
            assert!(learning > 1.01 * weekly, "{rates:?}: {learning}, weekly {weekly}");
            // Small samples scatter, but none is better than the optimum by more than that.
            assert!((informed / optimum - 1.0).abs() < 0.02, "{rates:?}: {informed} of {optimum}");
        }
    }

    #[test]
    fn a_weekly_crawl_is_as_fresh_as_the_formula_says() {
        let world = World::new(Rates::Survey, 2_000, 1);
        let sum: f64 = world.rates().iter().map(|&rate| due::freshness(rate, WEEK)).sum();
        let formula = sum / 2_000.0;
        let simulated = settled(&crawler::freshness_by_week(Policy::Weekly, world, 20));
        assert!((simulated / formula - 1.0).abs() < 0.01, "{simulated}, by the formula {formula}");
    }

    #[test]
    fn the_report_says_whether_the_targets_are_met() {
        let site = SiteReport {
            rates: Rates::Survey,
            weekly: vec![0.4; 9],
            learning: vec![0.6; 9],
            informed: vec![0.8; 9],
            optimum: 0.8,
        };
        let text = markdown(&SimulateReport { pages: 100, seed: 1, sites: vec![site] });
        for line in [
            "| 8 | 0.400 | 0.600 | 0.800 | 0.800 | 0.750 |",
            "| survey: learning ÷ optimum | 0.750 | ≥ 0.95 | **no** |",
            "| survey: learning ÷ weekly crawl | 1.500 | ≥ 1 | yes |",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
