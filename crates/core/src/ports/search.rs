use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::model::ids::{CrawlId, SiteId};
use crate::search::Piece;
use crate::url::PageUrl;

/// Finds pages.
///
/// # Contract
/// Every text is a query, as [`Query`](crate::search::Query) reads it: none makes it fail, and one without words finds
/// nothing. Pages are found as they were last seen in a crawl that is trusted; pages that have gone or redirect are
/// not found. An answer has at most `limit` hits, the best first, and no page of a site twice.
#[async_trait]
pub trait Search: Send + Sync {
    /// Tells whether texts and titles are compared; otherwise only the beginning of addresses is.
    fn compares_texts(&self) -> bool {
        true
    }

    /// Returns pages of `site`, or of every site, that `query` is about.
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError>;

    /// Returns when pages of `site`, or of every site, said what `query` asks for, also those that have gone or say
    /// something else now; `None` if the store cannot compare what pages said before.
    ///
    /// Texts and addresses are compared, in the visits of crawls that are trusted. Visits that follow each other and saw
    /// it are one [`Passage`]; a visit that saw nothing neither begins nor ends one. At most `limit` come back, those
    /// that were seen last first.
    async fn search_history(
        &self,
        site: Option<&SiteId>,
        query: &str,
        limit: usize,
    ) -> Result<Option<FoundPassages>, StoreError>;
}

/// When pages said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPassages {
    /// What was found, the newest first.
    pub passages: Vec<Passage>,
    /// Different texts that were compared.
    pub compared: u64,
    /// Visits whose text was not compared: there is none, it is not kept, or there are too many older ones.
    pub left_out: u64,
}

/// A stretch of time in which a page said what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The site that the page belongs to.
    pub site: SiteId,
    /// The page.
    pub url: PageUrl,
    /// Its title when it was last seen so.
    pub title: Option<String>,
    /// Some of its text then, with what was asked for set apart.
    pub excerpt: Vec<Piece>,
    /// The crawl that saw it first, and when.
    pub first: (CrawlId, Timestamp),
    /// The last crawl that saw it, and when.
    pub last: (CrawlId, Timestamp),
    /// The page still says it: no later visit saw anything else.
    pub is_current: bool,
}

/// What was found, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The pages, the best first.
    pub hits: Vec<Hit>,
    /// What was compared with the query.
    pub by: SearchedBy,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The site that the page belongs to.
    pub site: SiteId,
    /// The page.
    pub url: PageUrl,
    /// Its title.
    pub title: Option<String>,
    /// Some of its text, with what was asked for set apart; empty where no text was compared.
    pub excerpt: Vec<Piece>,
    /// The latest crawl that recorded the page.
    pub crawl: CrawlId,
    /// When the page was last seen.
    pub last_seen: Timestamp,
}

/// What a query was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchedBy {
    /// The text of pages, their titles and addresses.
    TextAndAddress {
        /// Pages whose text was compared.
        indexed: u64,
        /// Pages of which only title and address were compared, because their text is not in the index yet.
        waiting: u64,
    },
    /// The beginning of addresses, and nothing else: all that the store can do.
    AddressPrefix,
}
