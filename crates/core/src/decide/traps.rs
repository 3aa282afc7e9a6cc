//! Traps: addresses without end, recognised by what they have in common.
//!
//! A server can give out new addresses for ever: redirects to redirects, relative links that make paths longer and
//! longer, calendars, session ids in paths. Whoever follows them never comes to an end and finds nothing.

mod chain;
mod limit;
mod repetition;
mod shape;
mod tally;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use self::limit::{BadPageLimit, PageLimit};

use self::chain::Redirects;
use self::repetition::repeated_segment;
use self::shape::shape;
use self::tally::Tally;
use crate::decide::judge::redirect_target;
use crate::model::ids::SemanticHash;
use crate::model::record::{Found, FoundBy, PageRecord, Presence};
use crate::model::verdict::Sight;
use crate::url::{PageUrl, UrlRules};

/// How many redirects in a row are followed.
pub const MOST_REDIRECTS: usize = 20;

/// How many redirects in a row lead to a redirect that counts as a page with nothing on it.
///
/// A server that redirects to a new address each time would otherwise begin a new chain, in every crawl, at every
/// address of the chains before. Sites that people made redirect to `https`, to `www` and to a slash at the end, and
/// no further.
const SUSPECT_REDIRECTS: usize = 3;

/// How the reason begins for which a page in a trap is left out.
const PREFIX: &str = "a trap: ";

/// Why a page is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trap {
    /// More redirects in a row lead to it than are followed.
    Redirects,
    /// This segment of its path is there again and again.
    Repetition(String),
    /// More addresses of this shape had the same text, or none, than are believed to be pages of their own.
    SameText {
        /// What the addresses have in common, with `*` for what differs.
        shape: String,
        /// How many of them were visited without doubt.
        limit: u32,
    },
}

impl Trap {
    /// Returns what a recorded reason says of a trap, without what differs from page to page; `None` if it is
    /// about something else.
    pub fn kind(reason: &str) -> Option<&str> {
        let kind = reason.strip_prefix(PREFIX)?;
        Some(kind.split_once(" (").map_or(kind, |(kind, _)| kind))
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(PREFIX)?;
        match self {
            Self::Redirects => write!(formatter, "a chain of more than {MOST_REDIRECTS} redirects"),
            Self::Repetition(segment) => {
                let most = repetition::MOST;
                write!(formatter, "a part of the path is repeated more than {most} times (\"{segment}\")")
            }
            Self::SameText { shape, limit } => {
                write!(formatter, "more than {limit} addresses like {shape} have the same text")
            }
        }
    }
}

/// What a crawl has learnt about the traps of its site.
///
/// It follows from the records of the crawl, so a restarted process learns it again from them. Holds a few
/// megabytes at most, and 32 bytes a redirect.
#[derive(Debug)]
pub struct Traps {
    limit: u32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    redirects: Redirects,
    tally: Tally,
}

impl Traps {
    /// Knows of no trap yet. More than `limit` addresses of one shape with the same text make one; 0 recognises
    /// none but chains of redirects.
    pub fn new(limit: u32) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Returns why a page that was not known before the crawl is left out, if it is.
    ///
    /// What somebody asked for by name is never in a trap.
    pub fn around(&self, url: &PageUrl, found: &Found) -> Option<Trap> {
        match found.by {
            FoundBy::Seed => return None,
            FoundBy::Link | FoundBy::Redirect | FoundBy::Sitemap | FoundBy::Memory | FoundBy::Image => {}
        }
        if self.state().redirects.before(url, found) > MOST_REDIRECTS {
            return Some(Trap::Redirects);
        }
        if self.limit == 0 {
            return None;
        }
        if let Some(segment) = repeated_segment(url.path()) {
            return Some(Trap::Repetition(segment.to_owned()));
        }
        let shape = shape(url).filter(|shape| self.state().tally.is_closed(shape))?;
        Some(Trap::SameText { shape, limit: self.limit })
    }

    /// Learns that `source` redirects to `target`.
    pub fn learn_redirect(&self, source: &PageUrl, target: &PageUrl) {
        self.state().redirects.add(source, target);
    }

    /// Learns from a record of the crawl, each once.
    pub fn learn(&self, record: &PageRecord, rules: &UrlRules) {
        if record.visit.verdict.sight() != Sight::There {
            return;
        }
        let known = &record.known;
        match known.presence {
            Presence::Redirect => {
                if let Some(target) = redirect_target(&record.url, &known.headers, rules) {
                    self.learn_redirect(&record.url, &target);
                }
                if self.limit > 0
                    && self.state().redirects.before(&record.url, &record.found) >= SUSPECT_REDIRECTS
                    && let Some(shape) = shape(&record.url)
                {
                    self.state().tally.add(&shape, &SemanticHash::of(b""), self.limit);
                }
            }
            Presence::Present => {
                let content = known.content.as_ref().filter(|_| self.limit > 0);
                if let Some((content, shape)) = content.zip(shape(&record.url)) {
                    self.state().tally.add(&shape, &content.semantic, self.limit);
                }
            }
            Presence::Unknown | Presence::Gone | Presence::GoneForGood => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A count that was lost in a panic is one page more to visit.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_tells_its_kind_without_what_differs_from_page_to_page() {
        let same = Trap::SameText { shape: "http://a/b/*".to_owned(), limit: 100 };
        for (trap, kind) in [
            (Trap::Redirects, "a chain of more than 20 redirects"),
            (Trap::Repetition("x".to_owned()), "a part of the path is repeated more than 3 times"),
            (same, "more than 100 addresses like http://a/b/* have the same text"),
        ] {
            assert_eq!(Trap::kind(&trap.to_string()), Some(kind));
        }
        assert_eq!(Trap::kind("robots.txt: Disallow: /x"), None);
    }

    #[test]
    fn a_page_asked_for_by_name_is_never_in_a_trap_and_0_recognises_no_paths() {
        let url: PageUrl = "http://a/x/x/x/x".parse().unwrap();
        let found = |by| Found { by, depth: 1, referrer: None };
        assert_eq!(Traps::new(100).around(&url, &found(FoundBy::Seed)), None);
        let trap = Some(Trap::Repetition("x".to_owned()));
        assert_eq!(Traps::new(100).around(&url, &found(FoundBy::Link)), trap);
        assert_eq!(Traps::new(0).around(&url, &found(FoundBy::Link)), None);
    }
}
