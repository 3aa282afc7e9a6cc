//! The best intervals where the rates of change are known.

use super::share_missed;

/// Halvings that find the logarithm of a figure to twelve digits.
const HALVINGS: u32 = 45;

/// How the visits of a day are best shared out.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// The value at which a page is visited again, the same for all: Lagrange's multiplier, in days.
    pub threshold: f64,
    /// The days between the visits of each page, in the order of the rates; infinite for a page that is not
    /// worth a visit, be it that it never changes or that it changes too fast for the visits there are.
    pub intervals: Vec<f64>,
}

/// Returns the allocation of `visits_a_day` to pages with these rates (changes a day) that keeps the most
/// copies current.
///
/// Freshness is concave in the visits of each page, so there is one best allocation, and in it the
/// [`value`](super::value) of one visit more is the same for all pages that get any.
pub fn optimal_intervals(rates: &[f64], visits_a_day: f64) -> Allocation {
    let visits_at = |threshold: f64| rates.iter().map(|&rate| 1.0 / interval(rate, threshold)).sum::<f64>();
    // In logarithms: days of gain a visit, from a microsecond to ten thousand years.
    let (mut low, mut high) = ((1e-11_f64).ln(), (4e6_f64).ln());
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if visits_at(middle.exp()) > visits_a_day {
            low = middle;
        } else {
            high = middle;
        }
    }
    let threshold = high.exp();
    Allocation { threshold, intervals: rates.iter().map(|&rate| interval(rate, threshold)).collect() }
}

/// Returns the age at which a visit of a page is worth the threshold; infinite where it never is.
fn interval(rate: f64, threshold: f64) -> f64 {
    let wanted = rate * threshold;
    if wanted.is_nan() || wanted <= 0.0 || wanted >= 1.0 {
        return f64::INFINITY;
    }

    // The share missed is below half the square of the changes, and is 1 to the last digit at 40 of them.
    let (mut low, mut high) = ((2.0 * wanted).sqrt().ln(), 40_f64.ln());
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if share_missed(middle.exp()) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high.exp() / rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::due::{freshness, value};

    fn mean_freshness(rates: &[f64], intervals: &[f64]) -> f64 {
        let each = rates.iter().zip(intervals).map(|(&rate, &interval)| freshness(rate, interval));
        let sum: f64 = each.sum();
        sum / f64::from(u32::try_from(rates.len()).unwrap())
    }

    #[test]
    fn the_visits_are_used_up_and_of_equal_value() {
        let rates = [0.001, 0.01, 0.03, 0.1, 0.3, 1.0];
        for visits_a_day in [0.05, 0.5, 6.0, 60.0] {
            let Allocation { threshold, intervals } = optimal_intervals(&rates, visits_a_day);
            let used: f64 = intervals.iter().map(|interval| 1.0 / interval).sum();
            assert!((used / visits_a_day - 1.0).abs() < 1e-6, "{used} of {visits_a_day}");
            for (&rate, &interval) in rates.iter().zip(&intervals) {
                if interval.is_finite() {
                    assert!((value(rate, interval) / threshold - 1.0).abs() < 1e-6, "{rate} {interval}");
                } else {
                    assert!(1.0 / rate <= threshold, "{rate} is worth {threshold}");
                }
            }
        }
    }

    #[test]
    fn pages_that_never_change_or_change_too_fast_get_nothing() {
        let intervals = optimal_intervals(&[0.0, 0.02, 100.0], 0.1).intervals;
        assert_eq!((intervals[0], intervals[2]), (f64::INFINITY, f64::INFINITY));
        assert!((intervals[1] - 10.0).abs() < 1e-5, "{intervals:?}");
    }

    #[test]
    fn no_shift_of_visits_between_two_pages_is_better() {
        let rates = [0.02, 0.1, 0.5];
        let best = optimal_intervals(&rates, 0.6).intervals;
        let most = mean_freshness(&rates, &best);
        for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] {
            let mut visits: Vec<f64> = best.iter().map(|interval| 1.0 / interval).collect();
            let moved = 0.1 * visits[from];
            visits[from] -= moved;
            visits[to] += moved;
            let intervals: Vec<f64> = visits.iter().map(|visits| 1.0 / visits).collect();
            assert!(mean_freshness(&rates, &intervals) < most, "from {from} to {to}");
        }
        assert!(mean_freshness(&rates, &[5.0; 3]) < most);
    }

    #[test]
    fn no_pages_and_no_visits_are_no_trouble() {
        assert_eq!(optimal_intervals(&[], 1.0).intervals, []);
        let none = optimal_intervals(&[0.1, 1.0], 0.0).intervals;
        assert!(none.iter().all(|interval| interval.is_infinite()), "{none:?}");
    }
}
