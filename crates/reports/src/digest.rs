//! What a closed crawl tells people (digest): its figures, and the changes worth telling.

mod made_up;
mod reading;

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;

use crate::changes::ChangeEntry;

/// What a closed crawl found.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// The site.
    pub site: SiteId,
    /// Where its crawls begin.
    pub root: PageUrl,
    /// The crawl.
    pub crawl: CrawlId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it was closed.
    pub closed_at: Timestamp,
    /// Why it ended before it saw the whole site, if it did.
    pub partial: Option<String>,
    /// Why it is unusual, if it is and its changes wait.
    pub suspicion: Option<String>,
    /// Why the site could not be read, or not all of it.
    pub state: Option<SiteState>,
    /// Why it is unusual, where its changes are told all the same: the crawl before was unusual, too.
    pub told_as_unusual: Option<String>,
    /// It is a first crawl ([`is_first_crawl`]): pages that are new to it are counted and not among the changes.
    ///
    /// [`is_first_crawl`]: recrawl_core::decide::is_first_crawl
    pub is_first: bool,
    /// It is made up, to try whether targets can be reached.
    pub is_test: bool,
    /// Its figures.
    pub statistics: Statistics,
    /// How many pages changed around their content alone.
    pub around: usize,
    /// Pages, what matters most first; then shared changes, each as the entry of its first page.
    pub changes: Vec<ChangeEntry>,
}

/// How much is read for a digest.
#[derive(Debug, Clone, Copy)]
pub struct DigestDetail {
    /// Up to which tier changes are wanted.
    pub tier: Tier,
    /// All words that went and came are wanted.
    pub has_words: bool,
}

impl Default for DigestDetail {
    fn default() -> Self {
        Self { tier: Tier::Content, has_words: false }
    }
}

impl Digest {
    /// Returns how many pages are new to a first crawl, and therefore not among the changes.
    pub fn first_found(&self) -> u64 {
        if self.is_first { self.statistics.counts[Verdict::New] } else { 0 }
    }
}

/// What differs between two texts of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefDifference {
    /// The lines that went and came, each after `-` or `+`, shortened.
    pub brief: String,
    /// How many characters of [`BriefDifference::brief`] are in words that went or came.
    pub size: usize,
}
