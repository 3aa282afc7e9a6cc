use proptest::prelude::*;

use super::*;

/// A `SplitMix64` generator of numbers between 0 and 1.
struct Random(u64);

impl Random {
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns how many of `visits` at intervals of `days` find a change of a page with this rate.
    fn changes_found(&mut self, rate: f64, days: f64, visits: u32) -> u32 {
        let probability = 1.0 - f64::exp(-rate * days);
        (0..visits).map(|_| u32::from(self.next() < probability)).sum()
    }
}

#[test]
fn the_formula_of_cho_and_garcia_molina_holds() {
    for (observations, changes, days, expected) in [
        (0, 0, 0.0, 0.0),
        (10, 0, 70.0, 0.0),
        (1, 1, 7.0, 3.0_f64.ln() / 7.0),
        (10, 5, 70.0, -(5.5_f64 / 10.5).ln() / 7.0),
        (10, 10, 70.0, 21.0_f64.ln() / 7.0),
        (10, 99, 70.0, 21.0_f64.ln() / 7.0),
    ] {
        let rate = estimated(observations, changes, days);
        assert!((rate - expected).abs() < 1e-12, "{changes} of {observations}: {rate}, not {expected}");
    }
}

#[test]
fn pages_of_known_rates_are_estimated_within_a_tenth() {
    const PAGES: u32 = 2_000;
    const VISITS: u32 = 26;
    let mut random = Random(42);
    for rate in [0.01, 0.03, 0.1, 1.0 / 7.0] {
        let found: Vec<u32> = (0..PAGES).map(|_| random.changes_found(rate, 7.0, VISITS)).collect();
        let mean_of = |estimator: fn(u32, u32, f64) -> f64| {
            let days = 7.0 * f64::from(VISITS);
            found.iter().map(|&changes| estimator(VISITS, changes, days)).sum::<f64>() / f64::from(PAGES)
        };
        let ratio = mean_of(estimated) / rate;
        assert!((0.9..1.1).contains(&ratio), "{ratio} of {rate}");
        // Half a year outweighs nearly all of what is assumed, one change in ten days.
        let ratio = mean_of(expected) / rate;
        assert!((0.9..1.2).contains(&ratio), "{ratio} of {rate}, expected");
    }
}

#[test]
fn counting_changes_alone_would_be_too_low() {
    let found = Random(1).changes_found(1.0 / 7.0, 7.0, 10_000);
    let counted = f64::from(found) / 70_000.0;
    assert!(counted < 0.7 / 7.0, "{counted}");
    assert!(estimated(10_000, found, 70_000.0) > 0.97 / 7.0);
}

#[test]
fn without_visits_the_assumption_stands_and_few_visits_move_it_a_little() {
    let assumed = expected(0, 0, 0.0);
    assert!((assumed - 0.1).abs() < 1e-12);
    for (observations, changes, days, least, most) in [
        (1, 0, 7.0, 0.029, 0.031),
        (10, 0, 70.0, 0.004, 0.005),
        (1, 1, 7.0, 0.15, 0.4),
        (3, 3, 21.0, 0.2, 0.6),
        (30, 30, 30.0, 1.2, 3.0),
        (1000, 500, 1000.0, 0.68, 0.70),
    ] {
        let rate = expected(observations, changes, days);
        assert!((least..most).contains(&rate), "{changes} of {observations} in {days} days: {rate}");
    }
}

#[test]
fn many_visits_outweigh_what_was_assumed() {
    for (observations, changes, days) in
        [(1_000, 100, 7_000.0), (1_000, 500, 1_000.0), (10_000, 5_000, 2_000.0)]
    {
        let (plain, held_back) =
            (estimated(observations, changes, days), expected(observations, changes, days));
        assert!((held_back / plain - 1.0).abs() < 0.03, "{held_back} beside {plain}");
    }
}

proptest! {
    #[test]
    fn estimates_are_finite_and_grow_with_the_changes_found(
        observations in 0_u32..5_000,
        changes in any::<u32>(),
        total_days in prop_oneof![0.0..5_000.0, prop::num::f64::ANY],
    ) {
        for estimator in [estimated, expected] {
            let rate = estimator(observations, changes, total_days);
            prop_assert!(rate.is_finite() && rate >= 0.0, "{rate}");
            let more = estimator(observations, changes.saturating_add(1), total_days);
            prop_assert!(more >= rate, "{more} for one change more than {rate}");
        }
    }

    #[test]
    fn the_expected_rate_solves_its_equation(
        observations in 1_u32..2_000,
        share in 0.0..=1.0,
        interval in 0.001..400.0,
    ) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a u32")]
        let changes = (f64::from(observations) * share) as u32;
        let days = f64::from(observations) * interval;
        let rate = expected(observations, changes, days);
        let had = ASSUMED_CHANGES + f64::from(changes) * changes_where_any(rate * interval).0;
        prop_assert!((rate * (ASSUMED_DAYS + days) / had - 1.0).abs() < 1e-6, "{rate}");
    }
}
