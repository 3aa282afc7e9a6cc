//! Which pages are visited next, so that as many stored copies as possible are current.
//!
//! A page that changes at random, `rate` times a day, has a current copy for a part of the time that depends
//! on how often it is visited. One visit more is worth most for pages that change about as often as they
//! can be visited: those that hardly change are current anyway, those that change all the time are
//! stale again at once. [`value`] is that worth; visiting the page of the highest value again and again gives
//! the allocation of visits with the most current copies (`docs/adr/0009-change-frequency.md`).

mod allocation;
mod choice;

pub use self::allocation::{Allocation, optimal_intervals};
pub use self::choice::{Candidate, Due, due};

/// Returns what a visit of a page is worth: days of a current copy gained for one visit more.
///
/// `rate` is in changes a day, `age_days` the time since the last visit. It is the derivative of
/// [`freshness`] by the number of visits a day: `(1 - exp(-x) (1 + x)) / rate` with `x = rate * age`. It rises with the
/// age, from 0 to `1 / rate`. A rate or an age that is not above zero is worth nothing.
pub fn value(rate: f64, age_days: f64) -> f64 {
    let changes = rate * age_days;
    if changes.is_nan() || changes <= 0.0 { 0.0 } else { share_missed(changes) / rate }
}

/// Returns the part of the time in which the copy of a page is current that changes `rate` times a day and
/// is visited at intervals of this many days.
///
/// A page that never changes is always current; another one that is never visited never is.
pub fn freshness(rate: f64, interval_days: f64) -> f64 {
    if rate.is_nan() || rate <= 0.0 {
        return 1.0;
    }
    let changes = rate * interval_days;
    if changes < 1e-9 { 1.0 } else { -(-changes).exp_m1() / changes }
}

/// Returns the probability of two changes or more where `changes` are expected.
fn share_missed(changes: f64) -> f64 {
    if changes < 1e-3 {
        // The difference below would lose its digits.
        return changes * changes * (0.5 - changes / 3.0 + changes * changes / 8.0);
    }
    if changes > 700.0 { 1.0 } else { 1.0 - (-changes).exp() * (1.0 + changes) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_value_is_the_derivative_of_freshness_by_visits() {
        for rate in [0.001, 0.02, 0.3, 1.0, 5.0] {
            for interval in [0.1, 1.0, 7.0, 30.0, 300.0] {
                let visits: f64 = 1.0 / interval;
                let step = visits * 1e-5;
                let gained = freshness(rate, 1.0 / (visits + step)) - freshness(rate, 1.0 / (visits - step));
                let (slope, value) = (gained / (2.0 * step), value(rate, interval));
                let tolerance = 1e-4 * value + 1e-6 * interval;
                assert!((slope - value).abs() < tolerance, "{rate} {interval}: {slope}, not {value}");
            }
        }
    }

    #[test]
    fn the_value_has_its_limits() {
        for (rate, age, expected) in [
            (0.0, 7.0, 0.0),
            (1.0, 0.0, 0.0),
            (-1.0, 7.0, 0.0),
            (1.0, -7.0, 0.0),
            (f64::NAN, 7.0, 0.0),
            (f64::INFINITY, 7.0, 0.0),
            (f64::INFINITY, 0.0, 0.0),
            (0.5, f64::INFINITY, 2.0),
            (0.5, 1e300, 2.0),
            (1e-12, 7.0, 24.5e-12),
            (1.0, 1.0, 1.0 - 2.0 / std::f64::consts::E),
        ] {
            let value = value(rate, age);
            assert!((value - expected).abs() <= 1e-9 * expected, "{rate} {age}: {value}");
        }
    }

    #[test]
    fn freshness_has_its_limits() {
        for (rate, interval, expected) in [
            (0.0, 7.0, 1.0),
            (0.0, f64::INFINITY, 1.0),
            (1.0, 0.0, 1.0),
            (1.0, f64::INFINITY, 0.0),
            (1.0, 1.0, 1.0 - 1.0 / std::f64::consts::E),
            (1e-15, 7.0, 1.0),
        ] {
            let share = freshness(rate, interval);
            assert!((share - expected).abs() < 1e-12, "{rate} {interval}: {share}");
        }
    }

    proptest! {
        #[test]
        fn the_value_is_finite_and_rises_with_age(rate in 1e-9..1e4, age in 0.0..1e4, more in 0.0..1e4) {
            let (now, later) = (value(rate, age), value(rate, age + more));
            prop_assert!(now.is_finite() && now >= 0.0, "{now}");
            prop_assert!(later >= now * (1.0 - 1e-7), "{now} to {later}");
            prop_assert!(later <= 1.0 / rate * (1.0 + 1e-12));
        }
    }
}
