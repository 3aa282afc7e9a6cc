//! Finds the pages that a site lists in its sitemaps.

mod listed;
mod reliability;
mod search;
mod steady;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::model::scope::Scope;
use recrawl_core::ports::{Fetcher, Response, StateEntry, StateKey, StateStore};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::sitemap::{self, EntryKind, MAX_BYTES, WELL_KNOWN_PATHS};

use self::listed::Listed;
pub use self::listed::ListedPage;
pub(crate) use self::reliability::ReliabilityCache;
pub use self::reliability::remember as remember_reliability;
pub use self::search::Search;
pub(crate) use self::steady::SteadySearch;
use crate::documents::{Answered, Documents, Follows, Read};
use crate::robots::RobotsCache;

/// How long a site without a sitemap is not searched again.
const PATIENCE: Duration = Duration::from_hours(24);

/// How often a server in trouble is asked again for a sitemap. A crawl can do without it.
const RETRIES: usize = 1;

/// The pages of one sitemap.
#[derive(Debug)]
pub struct SitemapPages {
    /// The sitemap; robots.txt where nothing is said but what was not read.
    pub sitemap: PageUrl,
    /// When it was read.
    pub read_at: Timestamp,
    /// The pages it lists.
    pub pages: Vec<ListedPage>,
    /// What was wrong with it.
    pub warnings: Vec<String>,
}

impl SitemapPages {
    /// Tells whether there are only warnings here.
    pub fn is_only_warnings(&self) -> bool {
        self.pages.is_empty() && !self.warnings.is_empty()
    }
}

/// Finds sitemaps through robots.txt, then at the well-known paths.
pub struct SitemapFinder {
    documents: Documents,
    robots: Arc<RobotsCache>,
    url_rules: UrlRules,
    clock: fn() -> Timestamp,
}

impl SitemapFinder {
    /// Reads sitemaps through `fetcher`, as far as `robots` permits; one that was read less than `lifetime` ago is
    /// not asked for again.
    pub fn new(
        fetcher: Arc<dyn Fetcher>,
        state_store: Arc<dyn StateStore>,
        robots: Arc<RobotsCache>,
        url_rules: UrlRules,
        lifetime: Duration,
        clock: fn() -> Timestamp,
    ) -> Self {
        let (body_limit, retries, follows) = (MAX_BYTES, RETRIES, Follows::OnOneHost);
        let documents =
            Documents { fetcher, state_store, body_limit, lifetime, retries, follows, on_retry: None };
        Self { documents, robots, url_rules, clock }
    }

    /// Starts a search for the sitemaps of the host of `root`, the root of a site with this scope.
    pub async fn search<'a>(&'a self, root: &PageUrl, scope: &'a Scope) -> Search<'a> {
        let mut search = Search::new(self, scope, root);
        // Where nothing on this host may be visited now, there is nothing to search.
        if let Ok(rules) = self.robots.rules(root).await {
            search.add_named(rules.sitemaps().iter().filter_map(|text| self.page(text, root)));
            // Capsules have no usual place for one.
            if search.is_empty() && !root.is_gemini() && !self.searched_lately(root).await {
                search.guess(WELL_KNOWN_PATHS.iter().filter_map(|path| self.page(path, root)));
            }
        }
        search
    }

    fn page(&self, text: &str, base: &PageUrl) -> Option<PageUrl> {
        self.url_rules.page(text, Some(&base.to_url())).ok()
    }

    /// Asks once for a sitemap that nobody named.
    async fn guess(&self, url: &PageUrl) -> Answered<Read<Listed>> {
        let documents = Documents { retries: 0, ..self.documents.clone() };
        documents.get(url, (self.clock)(), |url, response| self.listed(url, response)).await
    }

    async fn read(&self, url: &PageUrl) -> Answered<Read<Listed>> {
        self.documents.get(url, (self.clock)(), |url, response| self.listed(url, response)).await
    }

    fn listed(&self, url: &PageUrl, response: &Response) -> Listed {
        let content_type = response.headers.content_type.as_deref();
        let sitemap = sitemap::parse(&response.body, content_type, url.as_str());
        let mut listed = Listed { warnings: sitemap.warnings, ..Listed::default() };
        if response.truncated {
            listed.warnings.push(format!("is longer than {MAX_BYTES} bytes, the rest is not read"));
        }
        for entry in sitemap.entries {
            let Some(page) = self.page(&entry.loc, url) else { continue };
            match entry.kind {
                EntryKind::Page => listed.pages.push(ListedPage::new(page, &entry)),
                EntryKind::Sitemap => listed.sitemaps.push(page),
            }
        }
        listed
    }

    async fn searched_lately(&self, root: &PageUrl) -> bool {
        let memo = self.documents.state_store.state(&StateKey::no_sitemap(root)).await.ok().flatten();
        memo.is_some_and(|memo| (self.clock)().duration_since(memo.saved_at).unsigned_abs() < PATIENCE)
    }

    async fn remember_none(&self, root: &PageUrl) {
        let memo = StateEntry { saved_at: (self.clock)(), value: String::new() };
        if let Err(error) = self.documents.state_store.save_state(&StateKey::no_sitemap(root), &memo).await {
            tracing::warn!(%error, "a search for sitemaps could not be remembered");
        }
    }
}
