//! How often a page changes.

use jiff::Timestamp;

/// The weight of the newest observation.
const ALPHA: f64 = 0.3;

/// The shortest interval that counts; shorter ones would make one change look like a storm.
const SHORTEST_DAYS: f64 = 1.0 / 24.0;

/// Returns the new estimate, in changes a day, after a visit at `now` of a page last seen at `before`.
///
/// An exponential average: a change is an observation of one over the interval, an unchanged visit an
/// observation of zero, so that the estimate decays while nothing happens.
pub fn updated(estimate: f64, before: Timestamp, now: Timestamp, changed: bool) -> f64 {
    let days = (now.duration_since(before).as_secs_f64() / 86_400.0).max(SHORTEST_DAYS);
    let observed = if changed { 1.0 / days } else { 0.0 };
    ALPHA * observed + (1.0 - ALPHA) * estimate
}

/// Returns what a frequency means, in words.
pub fn meaning(changes_a_day: f64) -> &'static str {
    match changes_a_day {
        f if f < 0.1 => "static, rarely changes",
        f if f < 0.5 => "changes occasionally",
        f if f < 2.0 => "changes regularly",
        f if f < 10.0 => "changes frequently",
        _ => "very dynamic",
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn a_weekly_change_is_learnt_and_forgotten() {
        let mut now = Timestamp::UNIX_EPOCH;
        let mut estimate = 0.0;
        for _ in 0..20 {
            let next = now + (7 * 24).hours();
            estimate = updated(estimate, now, next, true);
            now = next;
        }
        assert!((estimate - 1.0 / 7.0).abs() < 0.001, "{estimate}");
        for _ in 0..20 {
            estimate = updated(estimate, now, now + (7 * 24).hours(), false);
        }
        assert!(estimate < 0.001, "{estimate}");
    }

    #[test]
    fn two_visits_in_one_second_do_not_explode() {
        let now = Timestamp::UNIX_EPOCH;
        assert!(updated(0.0, now, now, true) <= 0.3 * 24.0 + 1e-9);
    }

    #[test]
    fn each_range_has_its_meaning() {
        let cases = [
            (0.0, "static, rarely changes"),
            (0.1, "changes occasionally"),
            (0.5, "changes regularly"),
            (2.0, "changes frequently"),
            (10.0, "very dynamic"),
        ];
        for (frequency, words) in cases {
            assert_eq!(meaning(frequency), words);
        }
    }
}
