//! Which page is visited first: the higher number.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::plan::change_rate::days_between;

/// What a sitemap says of a page, beside its last visit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SitemapHint {
    /// Nothing that asks for a visit.
    #[default]
    None,
    /// The time in which it is said to change has passed.
    Due,
    /// It is said to have changed since.
    Newer,
}

/// What the parts of a priority count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Weights {
    /// A day since the last visit.
    pub age: f64,
    /// A tenth of a change a day.
    pub frequency: f64,
    /// The nearness to the root: one over the depth plus one.
    pub depth: f64,
    /// Never having been visited.
    pub unvisited: f64,
    /// A sitemap that says it changed since the last visit.
    pub sitemap_newer: f64,
    /// A sitemap by which the time for a visit has come.
    pub sitemap_due: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { age: 0.4, frequency: 0.4, depth: 0.2, unvisited: 100.0, sitemap_newer: 50.0, sitemap_due: 5.0 }
    }
}

/// Returns the priority of a page at `now`; higher ones are visited first.
///
/// The weighted sum of the days since the last visit, ten times the change frequency and the nearness to the
/// root, plus a bonus for a page that was never visited, or else for what a sitemap says: new pages
/// first, then stale ones. A frequency that is not finite counts as none.
pub fn priority(
    weights: &Weights,
    last_visit: Option<Timestamp>,
    changes_a_day: f64,
    depth: u32,
    sitemap: SitemapHint,
    now: Timestamp,
) -> f64 {
    let frequency = if changes_a_day.is_finite() { changes_a_day } else { 0.0 };
    let standing = weights.frequency * 10.0 * frequency + weights.depth / (f64::from(depth) + 1.0);
    let Some(last_visit) = last_visit else {
        return standing + weights.unvisited;
    };
    let hint = match sitemap {
        SitemapHint::None => 0.0,
        SitemapHint::Due => weights.sitemap_due,
        SitemapHint::Newer => weights.sitemap_newer,
    };
    standing + hint + weights.age * days_between(last_visit, now)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn the_parts_add_up_as_in_the_table() {
        use SitemapHint::{Due, Newer, None as Silent};
        let now = Timestamp::UNIX_EPOCH + 1_000_000.hours();
        for (days_ago, changes_a_day, depth, sitemap, expected) in [
            (None, 0.0, 0, Silent, 100.2),
            (None, 0.0, 3, Silent, 100.05),
            (None, 0.5, 0, Silent, 102.2),
            (None, 0.0, 0, Newer, 100.2),
            (Some(0), 0.0, 0, Silent, 0.2),
            (Some(7), 0.0, 1, Silent, 2.9),
            (Some(7), 0.1, 1, Silent, 3.3),
            (Some(7), 2.0, 1, Silent, 10.9),
            (Some(7), 0.1, 1, Due, 8.3),
            (Some(7), 0.1, 1, Newer, 53.3),
            (Some(7), f64::NAN, 1, Silent, 2.9),
            (Some(7), f64::INFINITY, 1, Silent, 2.9),
            (Some(-7), 0.0, 1, Silent, 0.1),
            (Some(7), 0.0, u32::MAX, Silent, 2.8),
        ] {
            let last_visit = days_ago.map(|days: i64| now - (days * 24).hours());
            let sum = priority(&Weights::default(), last_visit, changes_a_day, depth, sitemap, now);
            assert!((sum - expected).abs() < 1e-6, "{days_ago:?} {changes_a_day} {depth} {sitemap:?}: {sum}");
        }
    }

    #[test]
    fn new_pages_come_first_then_those_a_sitemap_calls_newer() {
        let now = Timestamp::UNIX_EPOCH + 1_000_000.hours();
        let of = |days_ago: Option<i64>, changes_a_day, depth, sitemap| {
            let last_visit = days_ago.map(|days| now - (days * 24).hours());
            priority(&Weights::default(), last_visit, changes_a_day, depth, sitemap, now)
        };
        let new = of(None, 0.02, 20, SitemapHint::None);
        let newer = of(Some(7), 0.02, 20, SitemapHint::Newer);
        let lively = of(Some(7), 2.0, 0, SitemapHint::Due);
        let quiet = of(Some(7), 0.02, 0, SitemapHint::None);
        assert!(new > newer && newer > lively && lively > quiet, "{new} {newer} {lively} {quiet}");
    }

    #[test]
    fn every_weight_counts() {
        let now = Timestamp::UNIX_EPOCH + 1_000_000.hours();
        let nothing = Weights {
            age: 0.0,
            frequency: 0.0,
            depth: 0.0,
            unvisited: 0.0,
            sitemap_newer: 0.0,
            sitemap_due: 0.0,
        };
        let day_ago = Some(now - 24.hours());
        for (weights, last_visit, sitemap, expected) in [
            (Weights { age: 3.0, ..nothing }, day_ago, SitemapHint::Newer, 3.0),
            (Weights { frequency: 3.0, ..nothing }, day_ago, SitemapHint::Newer, 30.0),
            (Weights { depth: 3.0, ..nothing }, day_ago, SitemapHint::Newer, 1.5),
            (Weights { unvisited: 3.0, ..nothing }, None, SitemapHint::Newer, 3.0),
            (Weights { sitemap_newer: 3.0, ..nothing }, day_ago, SitemapHint::Newer, 3.0),
            (Weights { sitemap_due: 3.0, ..nothing }, day_ago, SitemapHint::Due, 3.0),
        ] {
            let sum = priority(&weights, last_visit, 1.0, 1, sitemap, now);
            assert!((sum - expected).abs() < 1e-9, "{weights:?}: {sum}");
        }
    }
}
