//! What a frequency means in words, and how often such a page is worth a visit.

use jiff::SignedDuration;

/// How lively a page is: the rows of the table of frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Liveliness {
    /// Less than 0.1 changes a day.
    Static,
    /// 0.1 to 0.5 changes a day.
    Occasional,
    /// 0.5 to 2 changes a day.
    Regular,
    /// 2 to 10 changes a day.
    Frequent,
    /// 10 changes a day and more.
    Dynamic,
}

impl Liveliness {
    /// Returns the row of a frequency; an upper border belongs to the next row.
    ///
    /// What is not a number counts as no changes.
    pub fn of(changes_a_day: f64) -> Self {
        match changes_a_day {
            f if f >= 10.0 => Self::Dynamic,
            f if f >= 2.0 => Self::Frequent,
            f if f >= 0.5 => Self::Regular,
            f if f >= 0.1 => Self::Occasional,
            _ => Self::Static,
        }
    }

    /// Returns the row in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Static => "static, rarely changes",
            Self::Occasional => "changes occasionally",
            Self::Regular => "changes regularly",
            Self::Frequent => "changes frequently",
            Self::Dynamic => "very dynamic",
        }
    }
}

/// Returns what a frequency means, in words.
pub fn meaning(changes_a_day: f64) -> &'static str {
    Liveliness::of(changes_a_day).words()
}

/// Returns after how long a page with this frequency is worth another visit.
///
/// Monthly to weekly below 0.1 changes a day, every 7 to 2 days below 0.5, daily below 2, every 12 to
/// 2.4 hours below 10, then hourly. It falls steadily within a row, and never rises.
pub fn suggested_interval(changes_a_day: f64) -> SignedDuration {
    let between = |from: (f64, f64), to: (f64, f64)| {
        let share = (changes_a_day - from.0) / (to.0 - from.0);
        from.1 + share * (to.1 - from.1)
    };
    let days = match Liveliness::of(changes_a_day) {
        // Also what is below zero or not a number.
        Liveliness::Static if changes_a_day.is_nan() || changes_a_day < 0.0 => 30.0,
        Liveliness::Static => between((0.0, 30.0), (0.1, 7.0)),
        Liveliness::Occasional => between((0.1, 7.0), (0.5, 2.0)),
        Liveliness::Regular => 1.0,
        // One visit a change: twice a day for 2 changes to ten times for 10.
        Liveliness::Frequent => 1.0 / changes_a_day,
        Liveliness::Dynamic => 1.0 / 24.0,
    };
    SignedDuration::from_secs_f64((days * 86_400.0).round())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_row_and_its_borders_are_those_of_the_table() {
        let (minute, hour, day) = (60, 3_600, 86_400);
        for (frequency, words, seconds) in [
            (0.0, "static, rarely changes", 30 * day),
            (0.05, "static, rarely changes", 18 * day + 12 * hour),
            (0.099_999_999, "static, rarely changes", 7 * day),
            (0.1, "changes occasionally", 7 * day),
            (0.3, "changes occasionally", 4 * day + 12 * hour),
            (0.499_999_999, "changes occasionally", 2 * day),
            (0.5, "changes regularly", day),
            (1.0, "changes regularly", day),
            (1.999, "changes regularly", day),
            (2.0, "changes frequently", 12 * hour),
            (4.0, "changes frequently", 6 * hour),
            (9.999_999_9, "changes frequently", 2 * hour + 24 * minute),
            (10.0, "very dynamic", hour),
            (1440.0, "very dynamic", hour),
            (f64::INFINITY, "very dynamic", hour),
            (f64::NAN, "static, rarely changes", 30 * day),
            (-1.0, "static, rarely changes", 30 * day),
        ] {
            assert_eq!(meaning(frequency), words, "{frequency}");
            assert_eq!(suggested_interval(frequency), SignedDuration::from_secs(seconds), "{frequency}");
        }
    }

    proptest! {
        #[test]
        fn a_livelier_page_is_never_visited_later(one in 0.0..20.0, other in 0.0..20.0) {
            let (slow, fast) = (f64::min(one, other), f64::max(one, other));
            prop_assert!(suggested_interval(fast) <= suggested_interval(slow));
        }
    }
}
