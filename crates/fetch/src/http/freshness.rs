//! HTTP caching: until when a response stays fresh, by `Cache-Control` and `Expires`.

use std::time::Duration;

use http::header::{AGE, CACHE_CONTROL, DATE, EXPIRES, HeaderMap, HeaderName};
use jiff::{SignedDuration, Timestamp};

use crate::http::headers::{date, joined};

/// Nobody knows further ahead than this, whatever the server says.
const LONGEST: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Returns until when an answer that came at `fetched_at` stays fresh: by `Cache-Control: max-age`, or else by
/// `Expires` (RFC 9111 section 4.2.1).
///
/// `s-maxage` is for caches that many share, and not for us. `fetched_at` is the server's own date where that is
/// believable, so an `Expires` needs no other; where it is not, only the time between the two dates counts.
pub(crate) fn fresh_until(headers: &HeaderMap, fetched_at: Timestamp) -> Option<Timestamp> {
    let control = joined(headers, &CACHE_CONTROL).unwrap_or_default().to_ascii_lowercase();
    let mut directives = control.split(',').map(str::trim);
    if directives.clone().any(|directive| matches!(name_of(directive), "no-store" | "no-cache")) {
        return None;
    }
    let lifetime = if let Some(directive) = directives.find(|directive| name_of(directive) == "max-age") {
        seconds(directive.split_once('=')?.1)?
    } else {
        let expires = date(headers, &EXPIRES)?;
        expires.duration_since(date(headers, &DATE).unwrap_or(fetched_at))
    };
    let age = number(headers, &AGE).unwrap_or(SignedDuration::ZERO);
    let left = lifetime.min(LONGEST).checked_sub(age)?;
    (left > SignedDuration::ZERO).then(|| fetched_at.checked_add(left).ok()).flatten()
}

/// Returns the name of a directive: `no-cache="set-cookie"` speaks of that header, and is a no all the same.
fn name_of(directive: &str) -> &str {
    directive.split('=').next().unwrap_or_default().trim_end()
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Option<SignedDuration> {
    seconds(headers.get(name)?.to_str().ok()?)
}

/// Reads a number of seconds, at most a century: more digits than a number holds mean a very long time.
fn seconds(text: &str) -> Option<SignedDuration> {
    const CENTURY: Duration = Duration::from_hours(100 * 365 * 24);
    let digits = text.trim().trim_matches('"');
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = Duration::from_secs(digits.parse().unwrap_or(u64::MAX)).min(CENTURY);
    plain.then(|| SignedDuration::try_from(seconds).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// How many seconds an answer with these headers stays fresh, that came at its `Date` of 08:00:00.
    fn left(fields: &[(HeaderName, &str)]) -> Option<i64> {
        let fetched_at: Timestamp = "1994-11-06T08:00:00Z".parse().unwrap();
        let fields = fields.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
        let headers: HeaderMap = fields.collect();
        fresh_until(&headers, fetched_at).map(|until| until.duration_since(fetched_at).as_secs())
    }

    #[test]
    fn a_lifetime_is_read_from_cache_control() {
        const YEAR: i64 = 365 * 86_400;
        for (control, expected) in [
            ("max-age=60", Some(60)),
            ("public, Max-Age=\"60\", must-revalidate", Some(60)),
            ("s-maxage=600", None),
            ("s-maxage=600, max-age=60", Some(60)),
            ("max-age=0", None),
            ("max-age", None),
            ("max-age=soon", None),
            ("max-age=-1", None),
            ("max-age=60, no-cache", None),
            ("no-store, max-age=60", None),
            ("no-cache=\"set-cookie\", max-age=60", None),
            ("max-age=99999999999999999999999", Some(YEAR)),
            ("", None),
        ] {
            assert_eq!(left(&[(CACHE_CONTROL, control)]), expected, "{control}");
        }
        assert_eq!(left(&[]), None);
    }

    #[test]
    fn time_spent_in_caches_counts() {
        for (age, expected) in [("20", Some(40)), ("60", None), ("600", None), ("old", Some(60))] {
            assert_eq!(left(&[(CACHE_CONTROL, "max-age=60"), (AGE, age)]), expected, "{age}");
        }
    }

    #[test]
    fn expires_counts_where_there_is_no_lifetime_and_by_the_servers_own_clock() {
        let at = |hour: &str| format!("Sun, 06 Nov 1994 {hour} GMT");
        let date = |hour: &str| (DATE, at(hour));
        for (date, expires, expected) in [
            (date("08:00:00"), at("08:10:00"), Some(600)),
            (date("06:00:00"), at("06:10:00"), Some(600)),
            (date("08:00:00"), at("08:00:00"), None),
            (date("08:00:00"), at("07:00:00"), None),
            (date("08:00:00"), "0".to_owned(), None),
            (date("08:00:00"), "-1".to_owned(), None),
        ] {
            let fields = [(date.0, date.1.as_str()), (EXPIRES, expires.as_str())];
            assert_eq!(left(&fields), expected, "{expires}");
        }
        assert_eq!(left(&[(EXPIRES, &at("08:10:00"))]), Some(600), "no date: ours");
        let both = [(CACHE_CONTROL, "max-age=60"), (EXPIRES, &at("08:10:00"))];
        assert_eq!(left(&both), Some(60));
    }
}
