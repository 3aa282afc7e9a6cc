//! How the text of a setting becomes its value.

use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use recrawl_core::archive::ArchiveWish;
use recrawl_core::aspect::{Aspect, Aspects};
use recrawl_core::content::KeepBodies;
use recrawl_core::crawl::Mode;
use recrawl_core::ids::SiteId;
use recrawl_core::traps::{BadPageLimit, PageLimit};

/// What the value should have been.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bad(pub(super) String);

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// More at a time is not polite on any site.
pub(super) const MOST_PARALLEL: usize = 8;

/// Stands in the user agent until the person who crawls says where to reach them.
pub(super) const CONTACT: &str = "https://recrawl.example/";

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
    some(text, positive_seconds)
}

/// Reads `none`, which takes back what a file or a preset says, or a value.
pub(super) fn some<T>(text: &str, read: impl Fn(&str) -> Result<T, Bad>) -> Result<Option<T>, Bad> {
    if text == "none" { Ok(None) } else { read(text).map(Some) }
}

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, Bad> {
    text.parse().or_else(|_| bad("a whole number"))
}

pub(super) fn some_number<T: FromStr>(text: &str) -> Result<Option<T>, Bad> {
    some(text, number)
}

/// Reads how many pages are asked for at most.
pub(super) fn page_limit(text: &str) -> Result<PageLimit, Bad> {
    text.parse().map_err(|error: BadPageLimit| Bad(error.to_string()))
}

/// Reads a number of requests, or `none`.
pub(super) fn budget(text: &str) -> Result<Option<u64>, Bad> {
    let at_least_one = |text: &str| match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        Ok(_) | Err(_) => bad("a whole number of requests, at least 1, or none"),
    };
    some(text, at_least_one)
}

/// Reads a part of a whole.
pub(super) fn share(text: &str) -> Result<f64, Bad> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.map_or_else(|| bad("a share from 0 to 1, such as 0.2"), Ok)
}

/// Reads what a part of a priority counts.
pub(super) fn weight(text: &str) -> Result<f64, Bad> {
    let weight = text.parse().ok().filter(|weight| (0.0..=1e6).contains(weight));
    weight.map_or_else(|| bad("a number from 0 to 1000000"), Ok)
}

/// Reads a number of hours.
pub(super) fn hours(text: &str) -> Result<Duration, Bad> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.0..=87_600.0).contains(hours));
    hours.map_or_else(|| bad("a number of hours"), |hours| Ok(Duration::from_secs_f64(hours * 3_600.0)))
}

/// Reads the sides from which a page can change, separated by commas or given one by one.
pub(super) fn aspects(values: &[String]) -> Result<Aspects, Bad> {
    let words = values.iter().flat_map(|value| value.split(',')).map(str::trim);
    let aspects: Result<Aspects, _> = words.map(str::parse::<Aspect>).collect();
    match aspects {
        Ok(aspects) if !aspects.is_empty() => Ok(aspects),
        Ok(_) | Err(_) => bad("some of text, links and media"),
    }
}

/// Reads a media type without parameters.
pub(super) fn media_type(text: &str) -> Result<String, Bad> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    match text.split_once('/') {
        Some((kind, name)) if is_name(kind) && is_name(name) => Ok(text.to_ascii_lowercase()),
        Some(_) | None => bad("a media type, such as text/gemini"),
    }
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
        "smart" => Ok(Mode::Smart),
        _ => bad("full, incremental or smart"),
    }
}

pub(super) fn archiving(text: &str) -> Result<ArchiveWish, Bad> {
    match (text, truth(text)) {
        ("never", _) | (_, Ok(false)) => Ok(ArchiveWish::Never),
        ("changes", _) | (_, Ok(true)) => Ok(ArchiveWish::Changes),
        ("all", _) => Ok(ArchiveWish::All),
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
    fn numbers_have_their_bounds() {
        for (text, expected) in
            [("0", Some(0.0)), ("0.2", Some(0.2)), ("1", Some(1.0)), ("1.1", None), ("-0.1", None)]
        {
            assert_eq!(share(text).ok(), expected, "{text}");
        }
        for text in ["NaN", "inf", "", "a fifth", "20%"] {
            assert!(share(text).is_err() && weight(text).is_err() && hours(text).is_err(), "{text}");
        }
        assert_eq!(hours("1.5"), Ok(Duration::from_mins(90)));
        assert_eq!((budget("7"), budget("none")), (Ok(Some(7)), Ok(None)));
        assert!(budget("0").is_err() && budget("-1").is_err() && budget("many").is_err());
        assert!(weight("-1").is_err() && weight("100").is_ok());
    }

    #[test]
    fn aspects_and_media_types_are_read_from_lists() {
        let read = |values: &[&str]| {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            aspects(&values).ok().map(|aspects| aspects.to_string())
        };
        assert_eq!(read(&["text, media"]).as_deref(), Some("text, media"));
        assert_eq!(read(&["links", "text"]).as_deref(), Some("text, links"));
        assert_eq!((read(&[""]), read(&["title"]), read(&["text,"])), (None, None, None));
        assert_eq!(media_type("Text/Gemini"), Ok("text/gemini".to_owned()));
        for text in ["gemini", "text/", "/x", "text/html; charset=utf-8"] {
            assert!(media_type(text).is_err(), "{text}");
        }
    }

    #[test]
    fn archiving_is_a_word_or_a_truth() {
        let cases = [
            ("never", ArchiveWish::Never),
            ("false", ArchiveWish::Never),
            ("changes", ArchiveWish::Changes),
            ("true", ArchiveWish::Changes),
            ("all", ArchiveWish::All),
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
