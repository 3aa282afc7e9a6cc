//! How the text of a setting becomes its value: one reading of each type, in both homes.

mod quantities;
mod words;

pub(crate) use self::quantities::*;
pub use self::words::page;
pub(crate) use self::words::*;

/// What the value should have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad(pub String);

fn bad<T>(expected: &str) -> Result<T, Bad> {
    Err(Bad(expected.to_owned()))
}

pub(crate) fn text(text: &str) -> Result<String, Bad> {
    if text.is_empty() { bad("not empty") } else { Ok(text.to_owned()) }
}

pub(crate) fn truth(text: &str) -> Result<bool, Bad> {
    match text {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => bad("true or false"),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a reader like the others")]
pub(crate) fn list(values: &[String]) -> Result<Vec<String>, Bad> {
    Ok(values.to_vec())
}

pub(crate) fn some_list(values: &[String]) -> Result<Option<Vec<String>>, Bad> {
    list(values).map(Some)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use recrawl_core::decide::traps::PageLimit;
    use recrawl_core::model::archive::ArchivePolicy;

    use super::*;

    #[test]
    fn a_rate_is_read_as_a_delay() {
        for (text, milliseconds) in [("1", 1000), ("2", 500), ("0.5", 2000), ("unlimited", 0)] {
            assert_eq!(rate(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["0", "-1", "fast", "", "inf", "NaN", "1e9"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_is_in_seconds_or_has_units() {
        for (text, milliseconds) in [
            ("1.5", 1500),
            ("0", 0),
            ("500ms", 500),
            ("2s", 2_000),
            ("2m", 120_000),
            ("15m", 900_000),
            ("1h", 3_600_000),
            ("90s", 90_000),
        ] {
            assert_eq!(seconds(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["-1", "soon", "", "-5m", "NaN"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        assert!(positive_seconds("0").is_err() && quiet("8d").is_err() && ack_deadline("700").is_err());
        assert_eq!((quiet("0"), ack_deadline("10m")), (Ok(Duration::ZERO), Ok(Duration::from_mins(10))));
    }

    #[test]
    fn a_truth_has_four_spellings() {
        assert!(["true", "yes", "on", "1"].iter().all(|text| truth(text) == Ok(true)));
        assert!(["false", "no", "off", "0"].iter().all(|text| truth(text) == Ok(false)));
        assert!(["", "2", "maybe"].iter().all(|text| truth(text).is_err()));
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
        assert_eq!(budget("7"), Ok(7));
        assert!(budget("0").is_err() && budget("-1").is_err() && budget("many").is_err());
        assert!(weight("-1").is_err() && weight("100").is_ok());
        assert!(parallel("0").is_err() && parallel("9").is_err() && parallel("8") == Ok(8));
        assert!(bytes("0").is_err() && bytes("1073741825").is_err() && bytes("1024") == Ok(1024));
        assert!(kept_crawls("1").is_err() && kept_crawls("2") == Ok(2));
        assert_eq!(page_limit("0"), Ok(PageLimit::Unlimited));
    }

    #[test]
    fn aspects_and_media_types_are_read_from_lists() {
        let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let read = |values: &[&str]| aspects(&texts(values)).ok().map(|aspects| aspects.to_string());
        assert_eq!(read(&["text, media"]).as_deref(), Some("text, media"));
        assert_eq!(read(&["links", "text"]).as_deref(), Some("text, links"));
        assert_eq!((read(&[""]), read(&["title"]), read(&["text,"])), (None, None, None));
        assert_eq!(media_types(&texts(&["Text/Gemini"])), Ok(texts(&["text/gemini"])));
        for text in ["gemini", "text/", "/x", "text/html; charset=utf-8"] {
            assert!(media_types(&texts(&["text/plain", text])).is_err(), "{text}");
        }
    }

    #[test]
    fn archiving_is_a_word_or_a_truth() {
        let cases = [
            ("never", ArchivePolicy::Never),
            ("false", ArchivePolicy::Never),
            ("changes", ArchivePolicy::Changes),
            ("true", ArchivePolicy::Changes),
            ("all", ArchivePolicy::All),
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

    #[test]
    fn a_root_is_typed_with_or_without_its_scheme() {
        for (text, expected) in [
            ("https://example.org/news", "https://example.org/news"),
            ("example.org/news", "https://example.org/news"),
            ("http://localhost:8000/", "http://localhost:8000/"),
        ] {
            assert_eq!(page(text).unwrap().as_str(), expected);
        }
        for (text, expected) in [
            ("news", "a URL such as"),
            ("ftp://example.org/", "a URL such as"),
            ("http://169.254.169.254/", "never visited"),
            ("http://[::ffff:168.63.129.16]/", "never visited"),
        ] {
            let Bad(said) = page(text).unwrap_err();
            assert!(said.contains(expected), "{text}: {said}");
        }
    }
}
