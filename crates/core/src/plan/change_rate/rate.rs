//! The figure that is shown: an exponential average over visits at irregular intervals.

use jiff::Timestamp;

use super::{PRIOR, SHORTEST_DAYS, days_between};

/// The weight of the newest visit.
const ALPHA: f64 = 0.3;

/// The days between visits from which the average starts: crawls are weekly where nobody says otherwise.
const PRIOR_INTERVAL: f64 = 7.0;

/// How often a page changed lately.
///
/// Two exponential averages over the visits that could tell: changes found a visit, and days a visit.
/// The frequency is the one by the other. At equal intervals that is the average of `1 / interval` for a
/// change and 0 for none; at unequal ones a visit counts by its time, so that a change a minute after the
/// last visit does not look like a storm. It falls while nothing changes. Both figures are always finite,
/// not negative, and at most 1,440 changes a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Changes a day.
    pub changes_a_day: f64,
    /// The weighted mean of the days between visits.
    pub mean_interval: f64,
}

impl Rate {
    /// Returns what is assumed of a page that was visited once.
    pub const fn prior() -> Self {
        Self { changes_a_day: PRIOR, mean_interval: PRIOR_INTERVAL }
    }

    /// Returns the rate after a visit at `now`, where the last one that told something was at `before`.
    ///
    /// Figures that are not finite or below zero are taken for unknown.
    #[must_use]
    pub fn after(self, before: Timestamp, now: Timestamp, changed: bool) -> Self {
        let prior = Self::prior();
        let known = |figure: f64, prior: f64| {
            if figure.is_finite() && figure >= 0.0 { figure } else { prior }
        };
        let old_interval = known(self.mean_interval, prior.mean_interval);
        // A change a visit is the most there can be.
        let old_found = (known(self.changes_a_day, prior.changes_a_day) * old_interval).min(1.0);
        let found = averaged(f64::from(u8::from(changed)), old_found);
        let mean_interval = averaged(days_between(before, now), old_interval).max(SHORTEST_DAYS);
        Self { changes_a_day: found / mean_interval, mean_interval }
    }
}

impl Default for Rate {
    fn default() -> Self {
        Self::prior()
    }
}

fn averaged(new: f64, old: f64) -> f64 {
    ALPHA * new + (1.0 - ALPHA) * old
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, ToSpan};
    use proptest::prelude::*;

    use super::*;

    const START: Timestamp = Timestamp::UNIX_EPOCH;

    /// Visits at these intervals, in hours, finding a change or not.
    fn visited(start: Rate, visits: &[(i64, bool)]) -> Rate {
        let mut now = START;
        visits.iter().fold(start, |rate, &(hours, changed)| {
            let before = now;
            now += hours.hours();
            rate.after(before, now, changed)
        })
    }

    #[test]
    fn at_equal_intervals_it_is_the_exponential_average() {
        let changes = [true, false, false, true, true, false, true, false];
        let mut expected = PRIOR;
        for changed in changes {
            let observed = if changed { 1.0 / 7.0 } else { 0.0 };
            expected = 0.3 * observed + 0.7 * expected;
        }
        let rate = visited(Rate::prior(), &changes.map(|changed| (7 * 24, changed)));
        assert!((rate.changes_a_day - expected).abs() < 1e-12, "{rate:?} instead of {expected}");
        assert!((rate.mean_interval - 7.0).abs() < 1e-12);
    }

    #[test]
    fn a_rhythm_is_learnt_and_forgotten() {
        for (hours, a_day) in [(7 * 24, 1.0 / 7.0), (24, 1.0), (2, 12.0)] {
            let rate = visited(Rate::prior(), &[(hours, true); 60]);
            assert!((rate.changes_a_day - a_day).abs() < 0.001 * a_day, "{hours} h: {rate:?}");
            let rate = visited(rate, &[(hours, false); 30]);
            assert!(rate.changes_a_day < 0.001 * a_day, "{hours} h: {rate:?}");
        }
    }

    #[test]
    fn a_change_a_minute_after_the_last_visit_does_not_explode() {
        let now = START + 1.minute();
        let rate = Rate::prior().after(START, now, true);
        assert!(rate.changes_a_day < 0.1, "{rate:?}");
    }

    #[test]
    fn an_interval_counts_by_its_length() {
        let often = visited(Rate::prior(), &[(1, true), (7 * 24, false)]);
        let seldom = visited(Rate::prior(), &[(7 * 24, true), (1, false)]);
        assert!(often.changes_a_day < seldom.changes_a_day, "{often:?} and {seldom:?}");
    }

    #[test]
    fn a_clock_that_went_backwards_is_an_interval_of_nothing() {
        let later = START + 48.hours();
        assert_eq!(Rate::prior().after(later, START, true), Rate::prior().after(START, START, true));
    }

    proptest! {
        #[test]
        fn no_figure_is_ever_out_of_bounds(
            changes_a_day in prop::num::f64::ANY,
            mean_interval in prop::num::f64::ANY,
            visits in prop::collection::vec((any::<i32>(), any::<bool>()), 1..20),
        ) {
            let mut rate = Rate { changes_a_day, mean_interval };
            for (seconds, changed) in visits {
                rate = rate.after(START, START + SignedDuration::from_secs(seconds.into()), changed);
                prop_assert!(rate.changes_a_day >= 0.0 && rate.changes_a_day <= 1440.0, "{rate:?}");
                prop_assert!(rate.mean_interval.is_finite() && rate.mean_interval > 0.0, "{rate:?}");
            }
        }

        #[test]
        fn a_visit_without_a_change_never_raises_it(
            (changes_a_day, mean_interval) in (0.0..10.0, 0.01..100.0),
            hours in 0_i64..10_000,
        ) {
            // Where changes a visit are at most one, as every rate that grew from the prior has them.
            let rate = Rate { changes_a_day: f64::min(changes_a_day, 1.0 / mean_interval), mean_interval };
            let after = rate.after(START, START + hours.hours(), false);
            prop_assert!(after.changes_a_day <= rate.changes_a_day + 1e-12, "{rate:?} to {after:?}");
        }
    }
}
