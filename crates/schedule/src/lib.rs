//! When crawls begin: a cron expression in a time zone.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use thiserror::Error;

/// Why there is no schedule.
#[derive(Debug, Error)]
pub enum ScheduleError {
    /// The expression cannot be read.
    #[error("{expression:?} is not a cron expression of five fields, like \"0 3 * * 1\" for Mondays at 3:00")]
    Expression {
        /// The expression as it was given.
        expression: String,
        /// What is wrong with it.
        source: croner::errors::CronError,
    },
    /// No day is such a day.
    #[error("{0:?} never comes")]
    Never(String),
    /// The zone is not in the database of time zones.
    #[error("{0:?} is not a time zone, like Etc/UTC or America/Los_Angeles")]
    Zone(String),
}

/// A cron expression in a time zone.
#[derive(Debug, Clone)]
pub struct Schedule {
    cron: Cron,
    zone: TimeZone,
}

impl Schedule {
    /// Reads a cron expression of five fields, as it is understood in `zone`.
    pub fn new(expression: &str, zone: &str) -> Result<Self, ScheduleError> {
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser
            .parse(expression)
            .map_err(|source| ScheduleError::Expression { expression: expression.to_owned(), source })?;
        let zone = TimeZone::get(zone).map_err(|_| ScheduleError::Zone(zone.to_owned()))?;
        let schedule = Self { cron, zone };
        match schedule.next_run(Timestamp::UNIX_EPOCH) {
            Some(_) => Ok(schedule),
            None => Err(ScheduleError::Never(expression.to_owned())),
        }
    }

    /// Returns the first run later than `after`.
    ///
    /// Where clocks are set forward, a run in the gap takes place when the gap ends; where they are set back,
    /// a run in the hour that comes twice takes place the first time.
    pub fn next_run(&self, after: Timestamp) -> Option<Timestamp> {
        // Only the wall clock is asked of the crate; what that means in the zone is decided here.
        let mut wall = self.zone.to_datetime(after);
        loop {
            wall = self.cron.find_next_occurrence(&wall, false).ok()?;
            let run = self.instant(wall)?;
            if run > after {
                return Some(run);
            }
        }
    }

    /// Returns when the wall clock shows `wall`; never earlier than for an earlier time on the wall.
    fn instant(&self, wall: DateTime) -> Option<Timestamp> {
        match self.zone.to_ambiguous_timestamp(wall).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(wall).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(wall).ok(),
            AmbiguousOffset::Gap { after, .. } => {
                // By the offset after the gap, a time in the gap lies before it.
                let before_gap = after.to_timestamp(wall).ok()?;
                self.zone.following(before_gap).next().map(|transition| transition.timestamp())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORTLAND: &str = "America/Los_Angeles";

    #[test]
    fn the_next_run_is_the_first_after_a_time() {
        for (expression, zone, after, expected) in [
            ("0 3 * * 1", "Etc/UTC", "2026-11-16T02:59:59Z", "2026-11-16T03:00:00Z"),
            ("0 3 * * 1", "Etc/UTC", "2026-11-16T03:00:00Z", "2026-11-23T03:00:00Z"),
            ("0 3 * * 1", "Etc/UTC", "2026-11-16T03:00:00.5Z", "2026-11-23T03:00:00Z"),
            ("0 3 * * 1", "Etc/UTC", "2026-12-28T03:00:00Z", "2027-01-04T03:00:00Z"),
            ("0 3 * * MON", "Etc/UTC", "2026-11-15T00:00:00Z", "2026-11-16T03:00:00Z"),
            ("0 3 * * 0", "Etc/UTC", "2026-11-16T00:00:00Z", "2026-11-22T03:00:00Z"),
            ("0 3 * * 7", "Etc/UTC", "2026-11-16T00:00:00Z", "2026-11-22T03:00:00Z"),
            ("@weekly", "Etc/UTC", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z"),
            // Monday in Auckland is Sunday in Greenwich.
            ("0 3 * * 1", "Pacific/Auckland", "2026-11-15T00:00:00Z", "2026-11-15T14:00:00Z"),
            // Either day counts where both fields are set, as in every cron.
            ("0 3 13 * 5", "Etc/UTC", "2026-11-01T00:00:00Z", "2026-11-06T03:00:00Z"),
            // Month ends.
            ("0 0 31 * *", "Etc/UTC", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"),
            ("0 0 L * *", "Etc/UTC", "2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z"),
            ("0 0 29 2 *", "Etc/UTC", "2026-01-31T00:00:00Z", "2028-02-29T00:00:00Z"),
            // Winter and summer.
            ("0 3 * * 1", PORTLAND, "2026-11-10T00:00:00Z", "2026-11-16T11:00:00Z"),
            ("0 3 * * 1", PORTLAND, "2026-07-14T00:00:00Z", "2026-07-20T10:00:00Z"),
            // On 2026-03-08 two o'clock is followed by three o'clock: the end of the gap is 10:00 UTC.
            ("30 2 * * *", PORTLAND, "2026-03-08T08:00:00Z", "2026-03-08T10:00:00Z"),
            ("30 2 * * *", PORTLAND, "2026-03-08T10:00:00Z", "2026-03-09T09:30:00Z"),
            ("*/30 * * * *", PORTLAND, "2026-03-08T09:30:00Z", "2026-03-08T10:00:00Z"),
            ("*/30 * * * *", PORTLAND, "2026-03-08T10:00:00Z", "2026-03-08T10:30:00Z"),
            ("30 1 * * *", PORTLAND, "2026-03-08T09:30:00Z", "2026-03-09T08:30:00Z"),
            // On 2026-11-01 one o'clock comes twice, at 08:00 and 09:00 UTC.
            ("30 1 * * *", PORTLAND, "2026-11-01T07:00:00Z", "2026-11-01T08:30:00Z"),
            ("30 1 * * *", PORTLAND, "2026-11-01T08:30:00Z", "2026-11-02T09:30:00Z"),
            ("30 1 * * *", PORTLAND, "2026-11-01T09:00:00Z", "2026-11-02T09:30:00Z"),
            ("*/30 * * * *", PORTLAND, "2026-11-01T08:30:00Z", "2026-11-01T10:00:00Z"),
            // Half an hour is left out here, from 02:00 to 02:30.
            ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z"),
        ] {
            let schedule = Schedule::new(expression, zone).unwrap();
            let next = schedule.next_run(after.parse().unwrap()).unwrap();
            assert_eq!(next.to_string(), expected, "{expression} in {zone} after {after}");
        }
    }

    #[test]
    fn every_day_has_its_runs_over_years_of_summer_time() {
        for zone in [PORTLAND, "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Etc/UTC"] {
            for expression in ["0 0 * * *", "30 1 * * *", "30 2 * * *", "0 3 * * *", "15 23 * * *"] {
                let schedule = Schedule::new(expression, zone).unwrap();
                let mut day = "2026-01-01".parse::<jiff::civil::Date>().unwrap();
                let mut last = schedule.zone.to_timestamp(day.at(0, 0, 0, 0)).unwrap();
                last -= jiff::SignedDuration::from_secs(1);
                for _ in 0..3 * 365 {
                    last = schedule.next_run(last).unwrap();
                    let run = schedule.zone.to_datetime(last);
                    assert_eq!(run.date(), day, "{expression} in {zone}");
                    day = day.tomorrow().unwrap();
                }
            }
        }
    }

    #[test]
    fn what_is_no_schedule_is_refused_in_a_sentence() {
        for (expression, zone, expected) in [
            ("", "Etc/UTC", "is not a cron expression"),
            ("0 3 * *", "Etc/UTC", "is not a cron expression"),
            ("0 25 * * *", "Etc/UTC", "is not a cron expression"),
            ("0 0 3 * * 1", "Etc/UTC", "is not a cron expression"),
            ("every monday", "Etc/UTC", "is not a cron expression"),
            ("0 0 30 2 *", "Etc/UTC", "never comes"),
            ("0 3 * * 1", "Mars/Olympus_Mons", "is not a time zone"),
            ("0 3 * * 1", "", "is not a time zone"),
        ] {
            let error = Schedule::new(expression, zone).unwrap_err().to_string();
            assert!(error.contains(expected), "{expression:?} in {zone:?}: {error}");
        }
    }
}
