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
    /// Returns pages of `site`, or of every site, that `query` is about.
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError>;
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
