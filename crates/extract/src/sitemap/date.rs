//! Dates of changes.

use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Serialize, Serializer};

/// When a page was last changed: a day, or an instant where a time was given.
///
/// Written as `2024-05-01` or, in UTC, as `2024-05-01T10:00:00Z`. A year or a month stands for its
/// first day, a time without an offset for UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastModified {
    /// Some time on this day.
    Day(Date),
    /// This instant.
    Instant(Timestamp),
}

impl LastModified {
    /// Reads all W3C forms, and the dates of RSS.
    pub(super) fn read(text: &str) -> Option<Self> {
        // Years before the first, and beyond the four digits that W3C's form has.
        if text.starts_with(['-', '+']) {
            return None;
        }
        let whole_day = match text.len() {
            4 => Some(format!("{text}-01-01")),
            7 => Some(format!("{text}-01")),
            10 => Some(text.to_owned()),
            _ => None,
        };
        if let Some(day) = whole_day {
            return Date::strptime("%Y-%m-%d", day).ok().map(Self::Day);
        }
        let instant = text.parse::<Timestamp>().ok().or_else(|| {
            let time: DateTime = text.parse().ok()?;
            Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
        });
        instant.or_else(|| Some(rfc2822::parse(text).ok()?.timestamp())).map(Self::Instant)
    }

    /// Returns the latest moment that it can mean: a page visited at noon may have been changed in the evening of
    /// that day.
    pub fn latest(self) -> Option<Timestamp> {
        match self {
            Self::Day(day) => Some(day.checked_add(1.day()).ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp()),
            Self::Instant(instant) => Some(instant),
        }
    }

    /// Returns whether the change may be later than `time`.
    pub(super) fn may_be_after(self, time: Timestamp) -> bool {
        self.latest().is_some_and(|latest| latest > time)
    }
}

impl fmt::Display for LastModified {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(formatter),
            Self::Instant(instant) => instant.fmt(formatter),
        }
    }
}

impl Serialize for LastModified {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_date_is_read() {
        for (text, expected) in [
            ("2024", Some("2024-01-01")),
            ("-120", None),
            ("+002024-05-31T10:30Z", None),
            ("2024-05", Some("2024-05-01")),
            ("2024-05-31", Some("2024-05-31")),
            ("2024-05-31T10:30Z", Some("2024-05-31T10:30:00Z")),
            ("2024-05-31T10:30+02:00", Some("2024-05-31T08:30:00Z")),
            ("2024-05-31T10:30:15-07:00", Some("2024-05-31T17:30:15Z")),
            ("2024-05-31T23:30:15.25+00:00", Some("2024-05-31T23:30:15.25Z")),
            ("2024-05-31T10:30:15.123456789Z", Some("2024-05-31T10:30:15.123456789Z")),
            ("2024-05-31T10:30:15+0200", Some("2024-05-31T08:30:15Z")),
            ("2024-05-31 10:30:15", Some("2024-05-31T10:30:15Z")),
            ("2024-05-31T10:30", Some("2024-05-31T10:30:00Z")),
            ("Fri, 31 May 2024 10:30:15 GMT", Some("2024-05-31T10:30:15Z")),
            ("Fri, 31 May 2024 10:30:15 +0200", Some("2024-05-31T08:30:15Z")),
            ("2024-13", None),
            ("2024-02-30", None),
            ("abcd", None),
            ("31.05.2024", None),
            ("yesterday", None),
            ("", None),
        ] {
            let read = LastModified::read(text).map(|date| date.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
