//! How many pages a crawl asks for at most.

use std::str::FromStr;

use thiserror::Error;

/// How many pages a crawl asks for at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageLimit {
    /// [`PageLimit::USUAL`], or twice as many as are known, whichever is more.
    #[default]
    Usual,
    /// This many.
    Pages(u64),
    /// As many as there are.
    Unlimited,
}

impl PageLimit {
    /// More pages than this are unusual for a site of which little is known.
    pub const USUAL: u64 = 200_000;

    /// Returns the limit for a site of which this many pages are known, if there is one.
    pub fn of(self, known: u64) -> Option<u64> {
        match self {
            Self::Usual => Some(Self::USUAL.max(known.saturating_mul(2))),
            Self::Pages(pages) => Some(pages),
            Self::Unlimited => None,
        }
    }

    /// Says that the limit, which came to this many pages, was reached.
    pub fn words(self, pages: u64) -> String {
        let hint = match self {
            Self::Usual => "; max-pages sets another",
            Self::Pages(_) | Self::Unlimited => "",
        };
        format!("the limit of {pages} pages was reached{hint}")
    }
}

/// What should have been a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a whole number of pages, or none")]
pub struct BadPageLimit;

impl FromStr for PageLimit {
    type Err = BadPageLimit;

    fn from_str(text: &str) -> Result<Self, BadPageLimit> {
        match (text, text.parse()) {
            ("none", _) | (_, Ok(0)) => Ok(Self::Unlimited),
            (_, Ok(pages)) => Ok(Self::Pages(pages)),
            (_, Err(_)) => Err(BadPageLimit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_limit_follows_what_is_known() {
        for (limit, known, expected) in [
            (PageLimit::Usual, 0, Some(200_000)),
            (PageLimit::Usual, 100_000, Some(200_000)),
            (PageLimit::Usual, 100_001, Some(200_002)),
            (PageLimit::Usual, u64::MAX, Some(u64::MAX)),
            (PageLimit::Pages(5), 100, Some(5)),
            (PageLimit::Unlimited, 100, None),
        ] {
            assert_eq!(limit.of(known), expected, "{limit:?} {known}");
        }
    }

    #[test]
    fn a_limit_is_a_number_or_none() {
        for (text, expected) in [
            ("5", Ok(PageLimit::Pages(5))),
            ("0", Ok(PageLimit::Unlimited)),
            ("none", Ok(PageLimit::Unlimited)),
            ("-1", Err(BadPageLimit)),
            ("many", Err(BadPageLimit)),
            ("", Err(BadPageLimit)),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
    }
}
