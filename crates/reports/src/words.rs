//! Times as people read them, on terminals and pages.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Writes a stretch of time in its two largest units: `59 s`, `58 min 20 s`, `2 h 5 min`, `3 d 4 h`.
pub fn duration(seconds: u64) -> String {
    let two = |large: u64, large_unit: &str, small: u64, small_unit: &str| {
        if small == 0 {
            format!("{large} {large_unit}")
        } else {
            format!("{large} {large_unit} {small} {small_unit}")
        }
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    if days > 0 {
        two(days, "d", hours % 24, "h")
    } else if hours > 0 {
        two(hours, "h", minutes % 60, "min")
    } else if minutes > 0 {
        two(minutes, "min", seconds % 60, "s")
    } else {
        format!("{seconds} s")
    }
}

/// Writes a time in UTC to the minute: `2026-11-16 03:12`.
pub fn day_and_time(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Writes a day in UTC as [`day`] does, with its hour where one of `others` is on the same day: `16 November, 06:00`.
pub fn day_among(time: Timestamp, others: impl IntoIterator<Item = Timestamp>, now: Timestamp) -> String {
    let date = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
    if others.into_iter().any(|other| other != time && date(other) == date(time)) {
        format!("{}, {}", day(time, now), time.to_zoned(TimeZone::UTC).strftime("%H:%M"))
    } else {
        day(time, now)
    }
}

/// Writes a day in UTC, with its year if that is not the present one: `16 November`, `16 November 2025`.
pub fn day(time: Timestamp, now: Timestamp) -> String {
    let (time, now) = (time.to_zoned(TimeZone::UTC), now.to_zoned(TimeZone::UTC));
    let format = if time.year() == now.year() { "%-d %B" } else { "%-d %B %Y" };
    time.strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_shows_its_two_largest_units() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3500, "58 min 20 s"),
            (7500, "2 h 5 min"),
            (3600, "1 h"),
            (273_600, "3 d 4 h"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn a_time_is_written_in_utc() {
        let time = "2026-11-16T05:12:59+02:00".parse().unwrap();
        assert_eq!(day_and_time(time), "2026-11-16 03:12");
    }

    #[test]
    fn a_day_with_several_crawls_is_told_with_its_hour() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-11-20T05:00:00Z");
        let (first, second, other) =
            (at("2026-11-16T06:00:00Z"), at("2026-11-16T18:30:00Z"), at("2026-11-17T06:00:00Z"));
        let all = [first, second, other];
        assert_eq!(day_among(first, all, now), "16 November, 06:00");
        assert_eq!(day_among(second, all, now), "16 November, 18:30");
        assert_eq!(day_among(other, all, now), "17 November");
    }

    #[test]
    fn a_day_has_its_year_only_where_that_is_another() {
        let now = "2026-11-16T05:12:59Z".parse().unwrap();
        assert_eq!(day("2026-11-09T23:00:00Z".parse().unwrap(), now), "9 November");
        assert_eq!(day("2025-12-31T23:00:00Z".parse().unwrap(), now), "31 December 2025");
    }
}
