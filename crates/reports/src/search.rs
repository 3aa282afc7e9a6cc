//! Pages that were found.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Found, FoundPassages, Hit, Passage, Search, SearchedBy, StoreError};
use recrawl_core::search::{Piece, Query, marked};
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

/// Pages that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SearchView {
    /// What was asked for.
    pub query: String,
    /// What was searched; nothing where this store cannot be searched, or nothing was asked for.
    pub by: Option<ComparedWith>,
    /// Pages whose text was compared; nothing where texts are not.
    pub indexed: Option<u64>,
    /// Pages of which only title and address were compared, because their text is not in the index yet.
    pub waiting: Option<u64>,
    /// The pages, the best first.
    pub hits: Vec<HitView>,
}

/// What a query is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedWith {
    /// The text of pages, their titles and addresses.
    TextAndAddress,
    /// The beginning of addresses, and nothing else: all that this store can do.
    AddressPrefix,
}

impl ComparedWith {
    /// Returns what is searched, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TextAndAddress => "text and address",
            Self::AddressPrefix => "the beginning of addresses only",
        }
    }
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct HitView {
    /// The site that the page belongs to.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Its title.
    pub title: Option<String>,
    /// Its title in pieces, with what was asked for set apart; empty where it has none.
    pub marked_title: Vec<PieceView>,
    /// Some of its text, in pieces; empty where no text was compared.
    pub excerpt: Vec<PieceView>,
    /// The latest crawl that recorded the page.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// When the page was last seen.
    #[schema(value_type = String, format = DateTime)]
    pub last_seen: Timestamp,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PieceView {
    /// What it says.
    pub text: String,
    /// It is what was asked for.
    pub matches: bool,
}

impl From<Piece> for PieceView {
    fn from(piece: Piece) -> Self {
        Self { text: piece.text, matches: piece.is_match }
    }
}

impl SearchView {
    /// Returns an answer to a question that was not asked, or to nobody.
    fn of_nothing(query: &str) -> Self {
        Self { query: query.to_owned(), by: None, indexed: None, waiting: None, hits: Vec::new() }
    }

    fn new(query: &str, found: Found) -> Self {
        let (by, indexed, waiting) = match found.by {
            SearchedBy::TextAndAddress { indexed, waiting } => {
                (ComparedWith::TextAndAddress, Some(indexed), Some(waiting))
            }
            SearchedBy::AddressPrefix => (ComparedWith::AddressPrefix, None, None),
        };
        let read = Query::read(query);
        let hits = found.hits.into_iter().map(|hit| HitView::new(hit, &read)).collect();
        Self { query: query.to_owned(), by: Some(by), indexed, waiting, hits }
    }
}

impl HitView {
    fn new(hit: Hit, query: &Query) -> Self {
        let title = hit.title.as_deref().unwrap_or_default();
        Self {
            marked_title: marked(title, query).into_iter().map(PieceView::from).collect(),
            excerpt: hit.excerpt.into_iter().map(PieceView::from).collect(),
            site: hit.site,
            url: hit.url,
            title: hit.title,
            crawl: hit.crawl,
            last_seen: hit.last_seen,
        }
    }
}

/// What pages said, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SearchHistoryView {
    /// What was asked for.
    pub query: String,
    /// Different texts that were compared; nothing where this store cannot compare what pages said before.
    pub compared: Option<u64>,
    /// Visits whose text was not compared: there is none, it is not kept, or there are too many older ones.
    pub left_out: Option<u64>,
    /// When pages said it, what was seen last first.
    pub passages: Vec<PassageView>,
}

/// A stretch of time in which a page said what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PassageView {
    /// The site that the page belongs to.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Its title when it was last seen so.
    pub title: Option<String>,
    /// Some of its text then, in pieces.
    pub excerpt: Vec<PieceView>,
    /// The crawl that saw it first.
    #[schema(value_type = String)]
    pub first_crawl: CrawlId,
    /// When that was.
    #[schema(value_type = String, format = DateTime)]
    pub first_seen: Timestamp,
    /// The last crawl that saw it.
    #[schema(value_type = String)]
    pub last_crawl: CrawlId,
    /// When that was.
    #[schema(value_type = String, format = DateTime)]
    pub last_seen: Timestamp,
    /// The page still says it.
    pub is_current: bool,
}

impl From<Passage> for PassageView {
    fn from(passage: Passage) -> Self {
        Self {
            site: passage.site,
            url: passage.url,
            title: passage.title,
            excerpt: passage.excerpt.into_iter().map(PieceView::from).collect(),
            first_crawl: passage.first.0,
            first_seen: passage.first.1,
            last_crawl: passage.last.0,
            last_seen: passage.last.1,
            is_current: passage.is_current,
        }
    }
}

/// Says why a query asks for nothing; `None` if it asks for something.
pub fn asks_for_nothing(query: &str) -> Option<&'static str> {
    let read = Query::read(query);
    if !read.is_empty() {
        None
    } else if read.unwanted().is_empty() {
        Some(
            "there is nothing to look for: give a word, words between double quotes, or a path such as /news",
        )
    } else {
        Some("there is nothing to look for: give a word that must be there, beside those that must not")
    }
}

/// Looks for pages, where the home can.
pub async fn search(
    search: Option<&dyn Search>,
    site: Option<&SiteId>,
    query: &str,
    limit: usize,
) -> Result<SearchView, StoreError> {
    match search {
        Some(search) if asks_for_nothing(query).is_none() => {
            Ok(SearchView::new(query, search.search(site, query, limit).await?))
        }
        Some(_) | None => Ok(SearchView::of_nothing(query)),
    }
}

/// Looks for what pages said, also before, where the home can.
pub async fn search_history(
    search: Option<&dyn Search>,
    site: Option<&SiteId>,
    query: &str,
    limit: usize,
) -> Result<SearchHistoryView, StoreError> {
    let found = match search {
        Some(search) if asks_for_nothing(query).is_none() => {
            search.search_history(site, query, limit).await?
        }
        Some(_) | None => None,
    };
    let (compared, left_out) =
        (found.as_ref().map(|found| found.compared), found.as_ref().map(|found| found.left_out));
    let passages = found.map_or_else(Vec::new, |FoundPassages { passages, .. }| passages);
    let passages = passages.into_iter().map(PassageView::from).collect();
    Ok(SearchHistoryView { query: query.to_owned(), compared, left_out, passages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_without_anything_to_look_for_says_what_to_give() {
        for (query, expected) in [
            ("", Some("or a path such as /news")),
            (" \"\" ", Some("or a path such as /news")),
            ("-bridge", Some("beside those that must not")),
            ("bridge -closed", None),
            ("/news", None),
        ] {
            let said = asks_for_nothing(query);
            assert_eq!(said.is_some(), expected.is_some(), "{query:?}");
            assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{query:?}");
        }
    }
}
