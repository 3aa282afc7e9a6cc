//! Where a window of changes begins: `7d`, a time, or a crawl.

use std::str::FromStr;

use jiff::{Span, Timestamp};
use recrawl_reports::changes::Since;

use crate::read::when::{Edge, Point, When};

/// The beginning of a window, as people give it.
#[derive(Debug, Clone)]
pub(crate) struct Beginning(Point);

impl Beginning {
    /// Returns the beginning that is meant at `now`.
    pub(crate) fn at(&self, now: Timestamp) -> Since {
        match &self.0 {
            Point::Crawl(crawl) => Since::Crawl(*crawl),
            Point::Time(when) => Since::Time(when.moment(Edge::Start, now)),
        }
    }
}

impl FromStr for Beginning {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let short = text.trim().split_at_checked(text.trim().len().saturating_sub(1));
        let span = short.and_then(|(number, unit)| {
            let number: i32 = number.parse().ok().filter(|number| (0..=10_000).contains(number))?;
            match unit {
                "h" => Some(Span::new().hours(-number)),
                "d" => Some(Span::new().days(-number)),
                "w" => Some(Span::new().weeks(-number)),
                _ => None,
            }
        });
        match span {
            Some(span) => Ok(Self(Point::Time(When::Ago(span)))),
            None => text.parse().map(Self).map_err(|error: String| format!("{error}, or 7d, 2w, 12h")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_begins_so_long_ago_or_at_a_time_or_with_a_crawl() {
        let now: Timestamp = "2026-11-18T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("7d", "2026-11-11T12:00:00Z"),
            ("2w", "2026-11-04T12:00:00Z"),
            ("12h", "2026-11-18T00:00:00Z"),
            ("2026-11-16", "2026-11-16T00:00:00Z"),
        ] {
            let since = text.parse::<Beginning>().unwrap().at(now);
            assert_eq!(since, Since::Time(expected.parse().unwrap()), "{text}");
        }
        let crawl = "crawl-2026-11-16".parse::<Beginning>().unwrap().at(now);
        assert_eq!(crawl, Since::Crawl("crawl-2026-11-16".parse().unwrap()));
        for text in ["", "7", "d", "-7d", "7 d", "soon"] {
            assert!(text.parse::<Beginning>().is_err(), "{text}");
        }
    }
}
