//! Times, sizes and counts as people read them.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};
pub(crate) use recrawl_core::words::{bytes, counted, grouped as number};

/// Returns a time in UTC with its year; the script puts relative words beside it.
pub(crate) fn time(time: Timestamp) -> Markup {
    let words = time.to_zoned(TimeZone::UTC).strftime("%-d %B %Y, %H:%M").to_string();
    html! { time datetime=(second(time)) data-ago { (words) } }
}

/// Returns a time in UTC as rows and lines have it: `Mon 16 Nov, 06:00`, `today, 05:30`.
pub(crate) fn moment(time: Timestamp, now: Timestamp) -> Markup {
    html! { time datetime=(second(time)) { (moment_words(time, now)) } }
}

/// Returns a time in UTC in full: `16 November, 06:09`.
pub(crate) fn stamp(time: Timestamp, now: Timestamp) -> Markup {
    let clock = time.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string();
    html! { time datetime=(second(time)) { (recrawl_reports::day(time, now)) ", " (clock) } }
}

/// Returns a day in UTC: `16 November`.
pub(crate) fn day(time: Timestamp, now: Timestamp) -> Markup {
    html! { time datetime=(second(time)) { (recrawl_reports::day(time, now)) } }
}

fn moment_words(time: Timestamp, now: Timestamp) -> String {
    let (time, now) = (time.to_zoned(TimeZone::UTC), now.to_zoned(TimeZone::UTC));
    let clock = time.strftime("%H:%M");
    match (time.date() - now.date()).get_days() {
        0 => format!("today, {clock}"),
        1 => format!("tomorrow, {clock}"),
        -1 => format!("yesterday, {clock}"),
        _ if time.year() == now.year() => format!("{}, {clock}", time.strftime("%a %-d %b")),
        _ => format!("{}, {clock}", time.strftime("%a %-d %b %Y")),
    }
}

/// Returns a day in UTC, as people say it: with its year where that is another one.
pub(crate) fn date(time: Timestamp, now: Timestamp) -> Markup {
    html! { time datetime=(second(time)) { (recrawl_reports::day(time, now)) } }
}

fn second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns a duration in its two largest units.
pub(crate) fn duration(seconds: i64) -> String {
    recrawl_reports::duration(u64::try_from(seconds).unwrap_or(0))
}

/// Returns a text of which at most `first` characters and the `last` ones are kept.
pub(crate) fn shortened(text: &str, first: usize, last: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= first + last {
        return text.into();
    }
    let beginning: String = text.chars().take(first).collect();
    let end: String = text.chars().skip(length - last).collect();
    format!("{}…{end}", beginning.trim_end()).into()
}

/// Returns a rate in as many digits as mean something.
pub(crate) fn rate(rate: f64) -> String {
    if rate >= 10.0 { format!("{rate:.0}") } else { format!("{rate:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_days_have_names_and_others_their_date() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = time("2026-11-18T12:00:00Z");
        for (text, expected) in [
            ("2026-11-18T05:30:00Z", "today, 05:30"),
            ("2026-11-19T04:00:00Z", "tomorrow, 04:00"),
            ("2026-11-17T23:59:00Z", "yesterday, 23:59"),
            ("2026-11-16T06:00:00Z", "Mon 16 Nov, 06:00"),
            ("2025-11-16T06:00:00Z", "Sun 16 Nov 2025, 06:00"),
        ] {
            assert_eq!(moment_words(time(text), now), expected);
        }
    }

    #[test]
    fn what_people_read_is_short() {
        for (value, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3600, "1 h"),
            (5400, "1 h 30 min"),
            (180_000, "2 d 2 h"),
        ] {
            assert_eq!(duration(value), expected);
        }
        for (text, first, last, expected) in [
            ("", 0, 0, ""),
            ("short", 5, 0, "short"),
            ("a long one", 7, 0, "a long…"),
            ("a long one", 2, 3, "a…one"),
            ("äöüß", 1, 1, "ä…ß"),
        ] {
            assert_eq!(shortened(text, first, last), expected, "{text}");
        }
    }
}
