//! A search that a fault of ours does not end.

use recrawl_core::model::scope::Scope;
use recrawl_core::panics::{Panic, caught};
use recrawl_core::url::PageUrl;

use super::{Search, SitemapFinder, SitemapPages};

/// How many sitemaps may break the search before it is given up.
const MOST_BROKEN: u32 = 10;

/// A search for sitemaps in which one that makes Recrawl itself stumble costs nothing but itself.
pub(crate) struct SteadySearch<'a> {
    finder: &'a SitemapFinder,
    root: &'a PageUrl,
    scope: &'a Scope,
    search: Option<Search<'a>>,
    broken: u32,
}

impl<'a> SteadySearch<'a> {
    /// Searches for the sitemaps of the host of `root`, the root of a site with this scope.
    pub(crate) fn new(finder: &'a SitemapFinder, root: &'a PageUrl, scope: &'a Scope) -> Self {
        Self { finder, root, scope, search: None, broken: 0 }
    }

    /// Reads the next sitemap, or says what broke over it; `None` when there is none left.
    pub(crate) async fn next(&mut self) -> Option<Result<SitemapPages, Panic>> {
        if self.broken >= MOST_BROKEN {
            return None;
        }
        let (finder, root, scope, search) = (self.finder, self.root, self.scope, &mut self.search);
        let reading = caught(async move {
            match search {
                Some(search) => search.next().await,
                None => search.insert(finder.search(root, scope).await).next().await,
            }
        });
        match reading.await {
            Ok(found) => found.map(Ok),
            Err(panic) => {
                self.broken += 1;
                let Panic { message, place } = &panic;
                tracing::error!(host = %root.host_key(), message, place, "Recrawl stumbled over a sitemap");
                Some(Err(panic))
            }
        }
    }
}
