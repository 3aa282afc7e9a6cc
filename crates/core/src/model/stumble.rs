//! Failures of Recrawl itself on a page (a panic, a time limit): what is said of them, and what is kept for a report.

use jiff::Timestamp;

use crate::model::ids::{CrawlId, RulesVersion, SiteId};
use crate::panics::Panic;
use crate::url::PageUrl;

/// The most bytes that the body of one such page takes, as it is stored.
pub const LARGEST_BODY: usize = 1_000_000;

/// The most bodies that are kept for a crawl.
pub const MOST_BODIES: usize = 20;

/// How the reason of a visit begins that Recrawl broke off by its own fault.
pub(crate) const STUMBLED: &str = "Recrawl stumbled over this page: ";

/// A page that Recrawl itself could not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stumble {
    /// The site.
    pub site: SiteId,
    /// The crawl.
    pub crawl: CrawlId,
    /// The page.
    pub url: PageUrl,
    /// When it happened.
    pub at: Timestamp,
    /// What went wrong, and where in the program.
    pub fault: Panic,
    /// The rules by which the page was to be read.
    pub rules: RulesVersion,
    /// The media type that the server named, with its parameters.
    pub content_type: Option<String>,
}

impl Stumble {
    /// Returns why the visit failed, in words.
    pub fn reason(&self) -> String {
        format!("{STUMBLED}{}", self.fault)
    }
}

/// What became of the body that Recrawl stumbled over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// None had come.
    None,
    /// It was too large, or enough were kept before.
    Dropped {
        /// How many bytes it had.
        bytes: u64,
    },
    /// It is kept.
    Kept {
        /// How many bytes it has.
        bytes: u64,
    },
}

impl Aside {
    /// Says what becomes of a body of `bytes` bytes that takes `stored`, where `others` are kept already.
    pub const fn of(bytes: u64, stored: usize, others: usize) -> Self {
        if stored <= LARGEST_BODY && others < MOST_BODIES {
            Self::Kept { bytes }
        } else {
            Self::Dropped { bytes }
        }
    }

    /// Returns how many bytes the body had, if one had come.
    pub const fn bytes(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Dropped { bytes } | Self::Kept { bytes } => Some(bytes),
        }
    }

    /// Tells whether the body is kept.
    pub const fn is_kept(self) -> bool {
        matches!(self, Self::Kept { .. })
    }
}

/// A stumble as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptStumble {
    /// What happened.
    pub stumble: Stumble,
    /// What became of the body.
    pub body: Aside,
}
