//! Estimates from all visits of a page, for changes that are seen only as «changed since the last visit».

use super::SHORTEST_DAYS;

/// What is assumed before the first visit: as if the page had been watched for 3 days and had changed
/// 0.3 times.
///
/// A gamma distribution of rates with a mean of one change in 10 days and a shape of 0.3: half of the pages
/// change less than once in 40 days, and a few many times a day, as sites are.
const ASSUMED_CHANGES: f64 = 0.3;
const ASSUMED_DAYS: f64 = 3.0;

/// The longest interval that counts, in days: a century. It keeps the sums within their digits.
const LONGEST_DAYS: f64 = 36_525.0;

/// Newton's method takes about ten steps here; it converges from any start, see [`expected`].
const MOST_STEPS: u32 = 100;

/// Returns changes a day by the bias-reduced estimator of Cho and Garcia-Molina.
///
/// Of `observations` visits within `total_days`, `changes` found a change. Several changes between
/// two visits look like one; the estimator allows for them: `-ln((n - X + 0.5) / (n + 0.5)) / (T / n)`. It is made
/// for regular visits; irregular ones enter by their mean, which makes it a little too low. Where nothing was
/// observed it is 0. The result is finite, not negative, and never falls as `changes` grows.
pub fn estimated(observations: u32, changes: u32, total_days: f64) -> f64 {
    let Some(interval) = mean_interval(observations, total_days) else {
        return 0.0;
    };
    let visits = f64::from(observations);
    let unchanged = f64::from(observations - changes.min(observations));
    // Not the negative of the inverse, which is -0.0 where nothing changed.
    ((visits + 0.5) / (unchanged + 0.5)).ln() / interval
}

/// Returns changes a day to plan with: what [`estimated`] sees, held back while there are few visits.
///
/// It is the rate `l` for which the days that the page was watched, 3 assumed ones included, hold the changes
/// that there were, 0.3 assumed ones included: `l (3 + T) = 0.3 + X f(l I)`. Each of the `X` changes
/// that were found stands for `f(x) = x / (1 - exp(-x))`, the mean number of changes in an interval `I = T / n`
/// that had any. Without the assumed ones this is the estimator of maximum likelihood, which is
/// infinite for a page that changed each time. So the first change found brings more visits, not a rate
/// at which the page would be given up; a page that changes many times a day is believed late. Finite, above
/// zero, and never falls as `changes` grows.
pub fn expected(observations: u32, changes: u32, total_days: f64) -> f64 {
    let Some(interval) = mean_interval(observations, total_days) else {
        return ASSUMED_CHANGES / ASSUMED_DAYS;
    };
    let changes = f64::from(changes.min(observations));
    let days = ASSUMED_DAYS + interval * f64::from(observations);
    // The difference of both sides is concave and rising in the rate, and the start, at one change for
    // each that was found, is below its root: every step goes up and none goes too far.
    let mut rate = (ASSUMED_CHANGES + changes) / days;
    for _ in 0..MOST_STEPS {
        let (mean, slope) = changes_where_any(rate * interval);
        let missing = ASSUMED_CHANGES + changes * mean - rate * days;
        let step = missing / (days - changes * interval * slope);
        if step <= rate * 1e-12 {
            break;
        }
        rate += step;
    }
    rate
}

/// Returns the days between visits, or nothing where none could tell anything.
fn mean_interval(observations: u32, total_days: f64) -> Option<f64> {
    let is_usable = observations > 0 && total_days.is_finite();
    is_usable.then(|| (total_days / f64::from(observations)).clamp(SHORTEST_DAYS, LONGEST_DAYS))
}

/// Returns the mean of a Poisson number with mean `x` where it is not 0, and the slope of that mean.
fn changes_where_any(x: f64) -> (f64, f64) {
    if x < 1e-3 {
        return (1.0 + x / 2.0 + x * x / 12.0, 0.5 + x / 6.0);
    }
    let any = -(-x).exp_m1();
    (x / any, (any - x * (1.0 - any)) / (any * any))
}

#[cfg(test)]
mod tests;
