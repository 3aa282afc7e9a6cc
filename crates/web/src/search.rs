//! The port that finds pages.

use async_trait::async_trait;
use recrawl_core::ids::SiteId;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

/// Finds pages of the latest crawls.
///
/// # Contract
/// Any text is a query: none makes it fail. An answer has at most `limit` hits, the best first, and no page of a
/// site twice.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Hit {
    /// The site that the page belongs to.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Its title.
    pub title: Option<String>,
    /// Some of its text, around what was asked for.
    pub excerpt: Option<String>,
}

/// What a query is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchedBy {
    /// The text of pages and their addresses.
    TextAndAddress,
    /// The beginning of addresses, and nothing else: all that this store can do.
    AddressPrefix,
}

impl SearchedBy {
    /// Returns what is searched, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TextAndAddress => "text and address",
            Self::AddressPrefix => "address prefix only",
        }
    }
}
