//! Since when and until when, as people give it: `7d`, a time, a crawl, or when they last looked.

use std::str::FromStr;

use jiff::{SignedDuration, Span, Timestamp};
use recrawl_core::model::ids::{CrawlId, IdError};

use super::{Bounds, Since, Until};
use crate::when::{Edge, NotATime, When};

/// Where nobody has looked yet, a window goes back so far.
const NEVER_LOOKED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// An end of a window, as people give it.
#[derive(Debug, Clone)]
pub enum Given {
    /// `last-look`: when somebody last looked.
    LastLook,
    /// A crawl.
    Crawl(CrawlId),
    /// A time, or so long ago.
    Time(When),
}

impl Given {
    /// The word for the time when somebody last looked.
    pub const LAST_LOOK: &'static str = "last-look";

    /// A week ago.
    pub fn a_week_ago() -> Self {
        Self::Time(When::Ago(Span::new().weeks(-1)))
    }

    /// Returns the window between the two at `now`, where somebody has `looked` last.
    pub fn bounds(since: &Self, until: Option<&Self>, looked: Option<Timestamp>, now: Timestamp) -> Bounds {
        let looked = looked.unwrap_or_else(|| now.checked_sub(NEVER_LOOKED).unwrap_or(Timestamp::MIN));
        let since = match since {
            Self::LastLook => Since::Time(looked),
            Self::Crawl(crawl) => Since::Crawl(*crawl),
            Self::Time(when) => Since::Time(when.moment(Edge::Start, now)),
        };
        let until = until.map(|until| match until {
            Self::LastLook => Until::Time(looked),
            Self::Crawl(crawl) => Until::Crawl(*crawl),
            Self::Time(when) => Until::Time(when.moment(Edge::End, now)),
        });
        Bounds { since, until }
    }

    /// Tells whether it depends on when somebody last looked.
    pub const fn is_last_look(&self) -> bool {
        matches!(self, Self::LastLook)
    }
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == Self::LAST_LOOK {
            return Ok(Self::LastLook);
        }
        if text.starts_with("crawl-") {
            return text.parse().map(Self::Crawl).map_err(|error: IdError| error.to_string());
        }
        let time = text.parse().map(Self::Time);
        time.map_err(|error: NotATime| format!("{error}, the name of a crawl, or {}", Self::LAST_LOOK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_between_times_crawls_or_the_last_look() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-11-18T12:00:00Z");
        let looked = at("2026-11-13T09:00:00Z");
        let crawl: CrawlId = "crawl-2026-11-16".parse().unwrap();
        let given = |text: &str| text.parse::<Given>().unwrap();
        for (text, since, until) in [
            ("7d", Since::Time(at("2026-11-11T12:00:00Z")), Until::Time(at("2026-11-11T12:00:00Z"))),
            (
                "2026-11-16",
                Since::Time(at("2026-11-16T00:00:00Z")),
                Until::Time(at("2026-11-16T23:59:59.999999999Z")),
            ),
            ("last-look", Since::Time(looked), Until::Time(looked)),
            ("crawl-2026-11-16", Since::Crawl(crawl), Until::Crawl(crawl)),
        ] {
            let found = Given::bounds(&given(text), Some(&given(text)), Some(looked), now);
            assert_eq!(found, Bounds { since, until: Some(until) }, "{text}");
        }
        let never = Given::bounds(&given("last-look"), None, None, now);
        assert_eq!(
            never,
            Bounds::since(Since::Time(at("2026-11-11T12:00:00Z"))),
            "a week where nobody looked"
        );
        for text in ["", "soon", "crawl-7", "last look"] {
            assert!(text.parse::<Given>().is_err(), "{text}");
        }
    }
}
