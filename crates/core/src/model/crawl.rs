//! Sites and crawls.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::ids::{CrawlId, SiteId};
use crate::model::scope::ScopeSettings;
use crate::model::site_state::SiteState;
use crate::model::statistics::Statistics;
use crate::url::PageUrl;

/// What one root admits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Its name in the store.
    pub id: SiteId,
    /// Where crawls begin.
    pub root: PageUrl,
    /// What belongs to it beside the root's path.
    pub scope: ScopeSettings,
    /// When it was first crawled.
    pub created_at: Timestamp,
}

impl Site {
    /// The name of the one site of a deployment, which nobody chose.
    pub const UNNAMED: &str = "default";

    /// Returns the name under which people know it: its own, or its address where nobody gave it one.
    pub fn shown_name(&self) -> &str {
        shown_name(&self.id, &self.root)
    }
}

/// Returns the name under which people know the site with this root, as [`Site::shown_name`] does.
pub fn shown_name<'a>(site: &'a SiteId, root: &'a PageUrl) -> &'a str {
    if site.as_str() != Site::UNNAMED {
        return site.as_str();
    }
    let address = root.as_str();
    address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/')
}

/// One pass over a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Crawl {
    /// The site.
    pub site: SiteId,
    /// Its name, unique within the site.
    pub id: CrawlId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// How known pages are asked for.
    pub mode: Mode,
    /// Which pages it visits.
    #[serde(default)]
    pub kind: CrawlKind,
    /// The message that opened it, where one did: a redelivery opens nothing new.
    pub opened_by: Option<String>,
    /// How it ended; `None` while it is open.
    pub closed: Option<Closed>,
}

impl Crawl {
    /// Returns an open crawl of a whole site, in the usual mode.
    pub const fn new(site: SiteId, id: CrawlId, opened_at: Timestamp) -> Self {
        let (mode, kind) = (Mode::Incremental, CrawlKind::Full);
        Self { site, id, opened_at, mode, kind, opened_by: None, closed: None }
    }

    /// Tells whether the crawl still takes visits.
    pub const fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    /// Tells whether later crawls are compared with this one: not while it is suspect.
    pub fn is_trusted(&self) -> bool {
        self.closed.as_ref().is_none_or(Closed::is_trusted)
    }

    /// Tells whether others may act on what it found, as by archiving it: it is closed, and not suspect.
    pub fn is_settled(&self) -> bool {
        self.closed.as_ref().is_some_and(Closed::is_trusted)
    }

    /// Tells whether it is unusual and nobody has decided about it: neither a person nor a later crawl, except for
    /// `confirming`, which may be about to.
    pub fn is_unusual(&self, confirming: Option<CrawlId>) -> bool {
        let suspicion = self.closed.as_ref().and_then(|closed| closed.suspicion.as_ref());
        suspicion.is_some_and(|suspicion| {
            let is_confirmed = suspicion.confirmed_by.is_some() && suspicion.confirmed_by != confirming;
            suspicion.accepted_at.is_none() && !is_confirmed
        })
    }
}

/// How a crawl ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Closed {
    /// When.
    pub at: Timestamp,
    /// Whether it saw the whole site.
    pub ending: Ending,
    /// Why its findings are doubted, if they are.
    pub suspicion: Option<Suspicion>,
    /// Why the site could not be read, or not all of it, if that is so.
    #[serde(default)]
    pub state: Option<SiteState>,
    /// What it saw.
    pub statistics: Statistics,
}

impl Closed {
    /// Tells whether the findings are believed: they were never doubted, or were accepted.
    pub fn is_trusted(&self) -> bool {
        self.suspicion.as_ref().is_none_or(|suspicion| suspicion.accepted_at.is_some())
    }

    /// Returns why the findings are unusual, where they were told all the same: the crawl before was unusual, too, and
    /// nobody waits twice.
    pub fn told_as_unusual(&self) -> Option<&Suspicion> {
        self.suspicion.as_ref().filter(|suspicion| suspicion.accepted_at == Some(self.at))
    }

    /// Tells whether the crawl saw the whole site and is believed, so that one needs to look no further back.
    pub fn is_whole(&self) -> bool {
        self.ending == Ending::Complete && self.is_trusted()
    }
}

/// Why a crawl is unusual and its findings are doubted. Nothing is announced, and later crawls are compared with those
/// before it, until it is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspicion {
    /// What looked wrong, in words.
    pub reason: String,
    /// When the findings were accepted all the same: by somebody, or, as the crawl was closed, because the one before was
    /// unusual, too ([`Closed::told_as_unusual`]).
    pub accepted_at: Option<Timestamp>,
    /// The crawl that found the same and told it. What this one found is then never announced, archived or counted.
    #[serde(default)]
    pub confirmed_by: Option<CrawlId>,
}

impl Suspicion {
    /// Doubts for this reason, and nobody has decided about it yet.
    pub const fn new(reason: String) -> Self {
        Self { reason, accepted_at: None, confirmed_by: None }
    }
}

/// Whether a crawl saw the whole site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Every known page was visited.
    Complete,
    /// It ended early, for this reason, and is never compared as if it were whole.
    Partial(String),
}

/// Operations that a provider counts and bills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Documents read, and queries that found none.
    pub reads: u64,
    /// Documents written.
    pub writes: u64,
    /// Documents deleted.
    pub deletes: u64,
    /// Messages published.
    pub messages: u64,
    /// Bytes that documents and their entries in indexes take which were written anew, by the rules of the provider.
    #[serde(default)]
    pub stored_bytes: u64,
    /// Milliseconds in which something was worked on, for which a processor is billed.
    #[serde(default)]
    pub busy_ms: u64,
}

impl Operations {
    /// Returns what came after `earlier`.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            reads: self.reads.saturating_sub(earlier.reads),
            writes: self.writes.saturating_sub(earlier.writes),
            deletes: self.deletes.saturating_sub(earlier.deletes),
            messages: self.messages.saturating_sub(earlier.messages),
            stored_bytes: self.stored_bytes.saturating_sub(earlier.stored_bytes),
            busy_ms: self.busy_ms.saturating_sub(earlier.busy_ms),
        }
    }
}

impl std::ops::Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            deletes: self.deletes + other.deletes,
            messages: self.messages + other.messages,
            stored_bytes: self.stored_bytes + other.stored_bytes,
            busy_ms: self.busy_ms + other.busy_ms,
        }
    }
}

/// Which pages a crawl visits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrawlKind {
    /// All that can be found.
    #[default]
    Full,
    /// Known pages that were due when it was opened. It is partial when it is closed.
    Due,
    /// Exactly the pages that it is given, on any number of hosts, and where those redirect. It follows no links.
    List,
}

impl CrawlKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Full, Self::Due, Self::List];

    /// Returns the word used in stores.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Due => "due",
            Self::List => "list",
        }
    }

    /// Returns the kind of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// How known pages are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Everything is fetched whole.
    Full,
    /// Known pages are asked for with `If-None-Match` and `If-Modified-Since`.
    #[default]
    Incremental,
    /// Incremental, until a sample shows that much changed: then full. Pages that a trustworthy sitemap calls
    /// unchanged are not asked for.
    Smart,
}

impl Mode {
    /// Returns the word used in settings, stores and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Incremental => "incremental",
            Self::Smart => "smart",
        }
    }
}
