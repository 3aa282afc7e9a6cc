//! Times as people give them: `2026-11-16T03:12:00Z`, `2026-11-16`, `3 weeks ago`, `7d`.

use std::str::FromStr;

use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use thiserror::Error;

/// The largest number of hours, days or weeks.
const LONGEST: i32 = 10_000;

/// A time that may depend on when it is read.
#[derive(Debug, Clone)]
pub enum When {
    /// A moment.
    Moment(Timestamp),
    /// A day in UTC.
    Day(Date),
    /// So long before now, as a negative span.
    Ago(Span),
}

/// The end of a day that is meant where only the day is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Its first moment.
    Start,
    /// Its last moment.
    End,
}

/// The text is not a time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a time: write 2026-11-16T03:12:00Z, 2026-11-16 (UTC), \"3 weeks ago\", or 7d, 2w, 12h")]
pub struct NotATime;

impl When {
    /// Returns the moment that is meant at `now`.
    ///
    /// A time before the beginning of the calendar is its beginning.
    pub fn moment(&self, edge: Edge, now: Timestamp) -> Timestamp {
        match self {
            Self::Moment(moment) => *moment,
            Self::Day(day) => {
                let time = match edge {
                    Edge::Start => time(0, 0, 0, 0),
                    Edge::End => time(23, 59, 59, 999_999_999),
                };
                let moment = TimeZone::UTC.to_timestamp(day.to_datetime(time));
                moment.unwrap_or(match edge {
                    Edge::Start => Timestamp::MIN,
                    Edge::End => Timestamp::MAX,
                })
            }
            Self::Ago(span) => {
                let zoned = now.to_zoned(TimeZone::UTC).checked_add(*span);
                zoned.map_or(Timestamp::MIN, |zoned| zoned.timestamp())
            }
        }
    }
}

impl FromStr for When {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let text = text.trim();
        match text {
            "now" | "today" => return Ok(Self::Ago(Span::new())),
            "yesterday" => return Ok(Self::Ago(Span::new().days(-1))),
            _ => {}
        }
        if let Some(span) = short_span(text) {
            return Ok(Self::Ago(span));
        }
        if text.ends_with(" ago") {
            return ago(text).map(Self::Ago).ok_or(NotATime);
        }
        // `Date` would take the day of a longer text and drop the rest.
        if text.len() == 10 {
            return text.parse().map(Self::Day).map_err(|_| NotATime);
        }
        text.parse().map(Self::Moment).map_err(|_| NotATime)
    }
}

fn ago(text: &str) -> Option<Span> {
    let one = ["a ", "an "].into_iter().find_map(|article| text.strip_prefix(article));
    let span: Span = match one {
        Some(rest) => format!("1 {rest}").parse().ok()?,
        None => text.parse().ok()?,
    };
    span.is_negative().then_some(span)
}

/// Reads `7d`, `2w` or `12h`: so long ago.
fn short_span(text: &str) -> Option<Span> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i32 = number.parse().ok().filter(|number| *number <= LONGEST)?;
    match unit {
        "h" => Some(Span::new().hours(-number)),
        "d" => Some(Span::new().days(-number)),
        "w" => Some(Span::new().weeks(-number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now: Timestamp = "2026-11-16T03:12:30Z".parse().unwrap();
        for (text, start, end) in [
            ("2026-11-09T01:02:03Z", "2026-11-09T01:02:03Z", "2026-11-09T01:02:03Z"),
            ("2026-11-09T01:02:03+02:00", "2026-11-08T23:02:03Z", "2026-11-08T23:02:03Z"),
            ("2026-11-09 01:02Z", "2026-11-09T01:02:00Z", "2026-11-09T01:02:00Z"),
            ("2026-11-09", "2026-11-09T00:00:00Z", "2026-11-09T23:59:59.999999999Z"),
            (" 3 weeks ago ", "2026-10-26T03:12:30Z", "2026-10-26T03:12:30Z"),
            ("1 month ago", "2026-10-16T03:12:30Z", "2026-10-16T03:12:30Z"),
            ("a week ago", "2026-11-09T03:12:30Z", "2026-11-09T03:12:30Z"),
            ("an hour ago", "2026-11-16T02:12:30Z", "2026-11-16T02:12:30Z"),
            ("2 days 3 hours ago", "2026-11-14T00:12:30Z", "2026-11-14T00:12:30Z"),
            ("7d", "2026-11-09T03:12:30Z", "2026-11-09T03:12:30Z"),
            ("2w", "2026-11-02T03:12:30Z", "2026-11-02T03:12:30Z"),
            ("12h", "2026-11-15T15:12:30Z", "2026-11-15T15:12:30Z"),
            ("yesterday", "2026-11-15T03:12:30Z", "2026-11-15T03:12:30Z"),
            ("now", "2026-11-16T03:12:30Z", "2026-11-16T03:12:30Z"),
        ] {
            let when: When = text.parse().expect(text);
            assert_eq!(when.moment(Edge::Start, now).to_string(), start, "{text}");
            assert_eq!(when.moment(Edge::End, now).to_string(), end, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in [
            "",
            "soon",
            "3 weeks",
            "7",
            "d",
            "-7d",
            "+7d",
            "7 d",
            "10001d",
            "7y",
            "1é",
            "ago",
            "weeks ago",
            "2026-11-31",
            "2026-11",
            "2026-11-09T01:02:03",
            "-3 weeks ago",
            "2026-11-09x",
        ] {
            assert_eq!(text.parse::<When>().unwrap_err(), NotATime, "{text}");
        }
    }

    #[test]
    fn the_beginning_of_the_calendar_is_long_enough_ago() {
        let when: When = "9000 years ago".parse().unwrap();
        assert!(when.moment(Edge::End, Timestamp::UNIX_EPOCH) < "-007000-01-01T00:00:00Z".parse().unwrap());
    }
}
