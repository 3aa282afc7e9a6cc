//! Pages that were found.

use recrawl_core::ids::SiteId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::WebError;
use crate::search::{Hit, SearchedBy};

/// Pages that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SearchView {
    /// What was asked for.
    pub query: String,
    /// What was searched; nothing where this store cannot be searched.
    pub by: Option<SearchedBy>,
    /// The pages, the best first.
    pub hits: Vec<Hit>,
}

/// Looks for pages.
pub(crate) async fn search(
    app: &App,
    site: Option<&SiteId>,
    query: &str,
    limit: usize,
) -> Result<SearchView, WebError> {
    let found = match &app.search {
        Some(search) if !query.is_empty() => Some(search.search(site, query, limit).await?),
        Some(_) | None => None,
    };
    let (by, hits) = found.map_or((None, Vec::new()), |found| (Some(found.by), found.hits));
    Ok(SearchView { query: query.to_owned(), by, hits })
}
