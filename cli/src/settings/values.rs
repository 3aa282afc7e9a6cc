//! How the text of a setting becomes its value.

use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use recrawl_core::content::KeepBodies;
use recrawl_core::crawl::Mode;
use recrawl_core::ids::SiteId;

/// What the value should have been.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bad(pub(super) String);

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// More at a time is not polite on any site.
pub(super) const MOST_PARALLEL: usize = 8;

/// Stands in the user agent until the person who crawls says where to reach them.
pub(super) const CONTACT: &str = "https://recrawl.example/";

/// Which changes are noted for the Wayback Machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Archiving {
    /// None.
    Never,
    /// Those that a crawl finds; not the whole site, which a first crawl finds.
    #[default]
    Changes,
    /// Those of a first crawl, too.
    All,
}

impl Archiving {
    /// Tells whether a crawl notes changes.
    pub(crate) const fn notes(self, is_first_crawl: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Changes => !is_first_crawl,
            Self::All => true,
        }
    }
}

fn bad<T>(expected: &str) -> Result<T, Bad> {
    Err(Bad(expected.to_owned()))
}

pub(super) fn text(text: &str) -> Result<String, Bad> {
    if text.is_empty() { bad("not empty") } else { Ok(text.to_owned()) }
}

pub(super) fn site(text: &str) -> Result<SiteId, Bad> {
    text.parse().or_else(|_| bad("a short name of a-z, 0-9, '.', '_' and '-'"))
}

/// Reads requests a second as the delay between them.
pub(super) fn rate(text: &str) -> Result<Duration, Bad> {
    if text == "unlimited" {
        return Ok(Duration::ZERO);
    }
    let expected = "requests a second, such as 1 or 0.5, or unlimited";
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && (0.000_1..=1_000.0).contains(&rate) => {
            Ok(Duration::from_secs_f64(1.0 / rate))
        }
        Ok(_) | Err(_) => bad(expected),
    }
}

/// Reads a time: seconds, or with units as in `500ms` or `2m`.
pub(super) fn seconds(text: &str) -> Result<Duration, Bad> {
    let plain =
        text.parse::<f64>().ok().filter(|seconds| (0.0..=1e9).contains(seconds)).map(Duration::from_secs_f64);
    let with_units = || text.parse::<SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    plain.or_else(with_units).map_or_else(|| bad("a time, such as 1.5, 500ms, 10m or 2h"), Ok)
}

pub(super) fn positive_seconds(text: &str) -> Result<Duration, Bad> {
    seconds(text).and_then(|time| if time.is_zero() { bad("more than 0 seconds") } else { Ok(time) })
}

pub(super) fn some_time(text: &str) -> Result<Option<Duration>, Bad> {
    positive_seconds(text).map(Some)
}

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, Bad> {
    text.parse().or_else(|_| bad("a whole number"))
}

pub(super) fn some_number<T: FromStr>(text: &str) -> Result<Option<T>, Bad> {
    number(text).map(Some)
}

pub(super) fn bytes(text: &str) -> Result<usize, Bad> {
    match text.parse() {
        Ok(bytes) if (1..=1 << 30).contains(&bytes) => Ok(bytes),
        Ok(_) | Err(_) => bad("a number of bytes, at most 1073741824"),
    }
}

pub(super) fn parallel(text: &str) -> Result<usize, Bad> {
    match text.parse() {
        Ok(number) if (1..=MOST_PARALLEL).contains(&number) => Ok(number),
        Ok(_) | Err(_) => bad("a whole number from 1 to 8"),
    }
}

pub(super) fn truth(text: &str) -> Result<bool, Bad> {
    match text {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => bad("true or false"),
    }
}

pub(super) fn mode(text: &str) -> Result<Mode, Bad> {
    match text {
        "full" => Ok(Mode::Full),
        "incremental" => Ok(Mode::Incremental),
        _ => bad("full or incremental"),
    }
}

pub(super) fn archiving(text: &str) -> Result<Archiving, Bad> {
    match (text, truth(text)) {
        ("never", _) | (_, Ok(false)) => Ok(Archiving::Never),
        ("changes", _) | (_, Ok(true)) => Ok(Archiving::Changes),
        ("all", _) => Ok(Archiving::All),
        (_, Err(_)) => bad("never, changes or all"),
    }
}

pub(super) fn keep_bodies(text: &str) -> Result<KeepBodies, Bad> {
    match text {
        "all" => Ok(KeepBodies::All),
        "changed" => Ok(KeepBodies::Changed),
        "none" => Ok(KeepBodies::None),
        _ => bad("all, changed or none"),
    }
}

/// Reads where site owners can reach the person who crawls.
pub(super) fn contact(text: &str) -> Result<String, Bad> {
    let plain = !text.is_empty()
        && text.chars().all(|character| character.is_ascii_graphic() && !"()".contains(character));
    let reachable =
        text.starts_with("https://") || text.starts_with("http://") || text.starts_with("mailto:");
    if plain && reachable {
        Ok(text.to_owned())
    } else {
        bad("a URL, such as https://example.org/bot or mailto:me@example.org")
    }
}

pub(super) fn user_agent(text: &str) -> Result<String, Bad> {
    let plain = text.chars().all(|character| character == ' ' || character.is_ascii_graphic());
    if plain && !text.trim().is_empty() { Ok(text.to_owned()) } else { bad("printable ASCII") }
}

/// Returns our user agent with this contact.
pub(super) fn user_agent_with(contact: &str) -> String {
    format!("{}/{} (+{contact})", super::PRODUCT, env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_as_a_delay() {
        let cases = [("1", 1000), ("2", 500), ("0.5", 2000), ("unlimited", 0)];
        for (text, milliseconds) in cases {
            assert_eq!(rate(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["0", "-1", "fast", "", "inf", "NaN", "1e9"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_is_in_seconds_or_has_units() {
        let cases =
            [("1.5", 1500), ("0", 0), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("90s", 90_000)];
        for (text, milliseconds) in cases {
            assert_eq!(seconds(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["-1", "soon", "", "-5m", "NaN"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn archiving_is_a_word_or_a_truth() {
        let cases = [
            ("never", Archiving::Never),
            ("false", Archiving::Never),
            ("changes", Archiving::Changes),
            ("true", Archiving::Changes),
            ("all", Archiving::All),
        ];
        for (text, expected) in cases {
            assert_eq!(archiving(text), Ok(expected), "{text}");
        }
        assert!(archiving("first").is_err() && archiving("").is_err());
    }

    #[test]
    fn a_contact_can_be_reached() {
        for text in ["https://example.org/bot", "mailto:me@example.org"] {
            assert!(contact(text).is_ok(), "{text}");
        }
        for text in ["", "me", "https://example.org/a b", "https://example.org/)"] {
            assert!(contact(text).is_err(), "{text}");
        }
    }
}
