//! What is told of how often a page changes, wherever somebody asks.

use jiff::SignedDuration;

use super::{days_between, estimated, expected, meaning, suggested_interval};
use crate::model::record::{PageState, PageSummary};

/// What is told of how often a page changes. One page has one such value, whoever tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// Changes a day, of late; `None` while no visit could have seen a change.
    pub changes_a_day: Option<f64>,
    /// Changes a day over all visits, see [`estimated`]; `None` while no visit could have seen a change.
    pub estimated_changes_a_day: Option<f64>,
    /// After how long the page is worth another visit: what planning goes by, see [`expected`].
    pub interval: SignedDuration,
    /// How many visits could have seen a change.
    pub observations: u32,
    /// How many did.
    pub changes: u32,
}

impl Shown {
    fn new(observations: u32, changes: u32, days: f64, of_late: f64) -> Self {
        let is_known = observations > 0;
        Self {
            changes_a_day: (is_known && of_late.is_finite()).then_some(of_late),
            estimated_changes_a_day: is_known.then(|| estimated(observations, changes, days)),
            interval: suggested_interval(expected(observations, changes, days)),
            observations,
            changes,
        }
    }

    /// Returns what the figure means, in words.
    pub fn meaning(&self) -> &'static str {
        self.changes_a_day.map_or("not known yet", meaning)
    }
}

impl From<&PageSummary> for Shown {
    fn from(page: &PageSummary) -> Self {
        let days = days_between(page.first_seen, page.last_seen);
        Self::new(page.observations, page.changes_detected, days, page.change_frequency)
    }
}

impl From<&PageState> for Shown {
    fn from(known: &PageState) -> Self {
        let days = days_between(known.first_seen, known.last_seen);
        Self::new(known.observations, known.changes_detected, days, known.change_frequency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::change_rate::PRIOR;

    #[test]
    fn nothing_is_known_before_a_visit_could_see_a_change() {
        let first = Shown::new(0, 0, 0.0, PRIOR);
        assert_eq!((first.changes_a_day, first.estimated_changes_a_day), (None, None));
        assert_eq!((first.meaning(), first.interval.as_hours()), ("not known yet", 7 * 24));
        let second = Shown::new(1, 0, 7.0, 0.014);
        assert_eq!((second.changes_a_day, second.estimated_changes_a_day), (Some(0.014), Some(0.0)));
        assert_eq!(second.meaning(), "static, rarely changes");
    }

    #[test]
    fn no_change_is_no_negative_zero() {
        let quiet = Shown::new(3, 0, 21.0, 0.0);
        assert!(quiet.estimated_changes_a_day.unwrap().is_sign_positive());
    }

    #[test]
    fn a_figure_that_was_lost_is_not_known() {
        assert_eq!(Shown::new(3, 1, 21.0, f64::NAN).changes_a_day, None);
    }
}
