//! How often a page changes, as it is shown.

use recrawl_core::model::record::PageState;
use recrawl_core::plan::change_rate::Shown;
use recrawl_core::words::counted;
use serde::Serialize;
use utoipa::ToSchema;

/// How often a page changes; its JSON form is stable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct Frequency {
    /// Changes a day, of late; nothing while no visit could have seen one.
    pub changes_a_day: Option<f64>,
    /// Changes a day over all visits, by the estimator of Cho and Garcia-Molina.
    pub estimated_changes_a_day: Option<f64>,
    /// What the figure means, in words.
    #[schema(value_type = String)]
    pub meaning: &'static str,
    /// After how long the page is worth another visit, as `recrawl plan` has it.
    pub suggested_interval_hours: f64,
    /// The same in seconds.
    pub suggested_interval_seconds: i64,
    /// How many visits could have seen a change.
    pub observations: u32,
    /// How many did.
    pub changes: u32,
}

impl Frequency {
    /// Works out how often a page changes from what is known of it.
    pub fn of(known: &PageState) -> Self {
        let shown = Shown::from(known);
        Self {
            changes_a_day: shown.changes_a_day,
            estimated_changes_a_day: shown.estimated_changes_a_day,
            meaning: shown.meaning(),
            suggested_interval_hours: shown.interval.as_secs_f64() / 3600.0,
            suggested_interval_seconds: shown.interval.as_secs(),
            observations: shown.observations,
            changes: shown.changes,
        }
    }

    /// Writes the interval at which the page is worth a visit: `every 11 days`.
    pub fn interval(&self) -> String {
        match self.suggested_interval_hours {
            days if days >= 36.0 => format!("every {:.0} days", days / 24.0),
            day if day >= 23.5 => "daily".to_owned(),
            hours if hours >= 1.5 => format!("every {hours:.0} hours"),
            _ => "hourly".to_owned(),
        }
    }

    /// Says it in words: `changes about every 17 days (1 change in 2 visits)`.
    pub fn sentence(&self) -> String {
        let visits = counted(self.observations.into(), "visit");
        match self.changes_a_day {
            None => "not known yet how often it changes (no visit after the first told anything)".to_owned(),
            Some(_) if self.changes == 0 => format!("has not changed in {visits} after the first"),
            Some(of_late) => {
                let changes = counted(self.changes.into(), "change");
                format!("changes {} ({changes} in {visits})", about_every(of_late))
            }
        }
    }
}

/// Says how often something happens that happens so many times a day: `about every 9 weeks`.
fn about_every(times_a_day: f64) -> String {
    let hours = 24.0 / times_a_day.max(f64::MIN_POSITIVE);
    let days = hours / 24.0;
    let (number, unit) = match days {
        years if years >= 700.0 => (years / 365.25, "year"),
        months if months >= 100.0 => (months / 30.44, "month"),
        weeks if weeks >= 28.0 => (weeks / 7.0, "week"),
        days if days >= 1.5 => (days, "day"),
        day if day >= 0.75 => return "about every day".to_owned(),
        _ if hours >= 1.5 => (hours, "hour"),
        _ => return "about every hour or more often".to_owned(),
    };
    format!("about every {number:.0} {unit}s")
}

/// Writes a figure as [`figure`] does, and a dash where it is not known yet.
pub fn figure_if_known(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), figure)
}

/// Writes a figure with the digits that mean something: `0.013`, `0.24`, `12`.
pub fn figure(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    match value {
        small if small < 0.0005 => "under 0.001".to_owned(),
        small if small < 0.1 => format!("{small:.3}"),
        middling if middling < 10.0 => format!("{middling:.2}"),
        large => format!("{large:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_the_digits_that_mean_something() {
        for (value, expected) in [
            (0.0, "0"),
            (-1.0, "0"),
            (f64::NAN, "0"),
            (0.0001, "under 0.001"),
            (0.0142, "0.014"),
            (0.142, "0.14"),
            (3.0, "3.00"),
            (41.6, "42"),
        ] {
            assert_eq!(figure(value), expected);
        }
    }

    #[test]
    fn an_interval_is_written_in_its_largest_units() {
        let frequency = |hours| Frequency {
            changes_a_day: Some(0.2),
            estimated_changes_a_day: Some(0.3),
            meaning: "changes occasionally",
            suggested_interval_hours: hours,
            suggested_interval_seconds: 0,
            observations: 4,
            changes: 2,
        };
        for (hours, expected) in [
            (1.0, "hourly"),
            (2.4, "every 2 hours"),
            (12.0, "every 12 hours"),
            (24.0, "daily"),
            (48.0, "every 2 days"),
            (180.0, "every 8 days"),
            (720.0, "every 30 days"),
        ] {
            assert_eq!(frequency(hours).interval(), expected);
        }
        assert_eq!(frequency(24.0).sentence(), "changes about every 5 days (2 changes in 4 visits)");
        let calm = Frequency { changes: 0, ..frequency(24.0) };
        assert_eq!(calm.sentence(), "has not changed in 4 visits after the first");
        let unknown = Frequency {
            changes_a_day: None,
            estimated_changes_a_day: None,
            meaning: "not known yet",
            observations: 0,
            ..frequency(168.0)
        };
        assert_eq!(
            unknown.sentence(),
            "not known yet how often it changes (no visit after the first told anything)"
        );
    }

    #[test]
    fn how_often_is_said_in_the_unit_that_people_would_choose() {
        for (a_day, expected) in [
            (48.0, "about every hour or more often"),
            (4.0, "about every 6 hours"),
            (1.0, "about every day"),
            (0.057, "about every 18 days"),
            (0.016, "about every 9 weeks"),
            (0.007, "about every 5 months"),
            (0.001, "about every 3 years"),
        ] {
            assert_eq!(about_every(a_day), expected, "{a_day}");
        }
    }
}
