//! Finds the pages that a site lists in its sitemaps.

mod listed;
mod steady;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::ports::{Fetcher, Memo, Memos, Permission, Response, RobotsGate};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::sitemap::{self, EntryKind, MAX_BYTES, MAX_DEPTH, MAX_SITEMAPS, WELL_KNOWN_PATHS};

use self::listed::Listed;
pub use self::listed::ListedPage;
pub use self::steady::SteadySearch;
use crate::documents::{Answered, Documents, RETRIES, Read};
use crate::robots_cache::RobotsCache;

/// How long a site without a sitemap is not searched again.
const PATIENCE: Duration = Duration::from_hours(24);

/// The pages of one sitemap.
#[derive(Debug)]
pub struct SitemapPages {
    /// The sitemap.
    pub sitemap: PageUrl,
    /// When it was read.
    pub read_at: Timestamp,
    /// The pages it lists.
    pub pages: Vec<ListedPage>,
    /// What was wrong with it.
    pub warnings: Vec<String>,
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
        memos: Arc<dyn Memos>,
        robots: Arc<RobotsCache>,
        url_rules: UrlRules,
        lifetime: Duration,
        clock: fn() -> Timestamp,
    ) -> Self {
        let documents = Documents { fetcher, memos, body_limit: MAX_BYTES, lifetime, retries: RETRIES };
        Self { documents, robots, url_rules, clock }
    }

    /// Starts a search for the sitemaps of the host of `root`.
    pub async fn search(&self, root: &PageUrl) -> Search<'_> {
        let listed = match self.robots.rules(root).await {
            Ok(rules) => rules.sitemaps().iter().filter_map(|text| self.page(text, root)).collect(),
            // Nothing on this host may be visited now, so there is nothing to search.
            Err(_) => return Search::new(self, Vec::new(), Vec::new(), root),
        };
        let guesses = if Vec::is_empty(&listed) && !self.searched_lately(root).await {
            WELL_KNOWN_PATHS.iter().rev().filter_map(|path| self.page(path, root)).collect()
        } else {
            Vec::new()
        };
        Search::new(self, listed, guesses, root)
    }

    fn page(&self, text: &str, base: &PageUrl) -> Option<PageUrl> {
        self.url_rules.page(text, Some(&base.to_url())).ok()
    }

    /// Asks once for a sitemap that nobody named.
    async fn guess(&self, url: &PageUrl) -> Answered<Read<Listed>> {
        let documents = Documents { retries: 0, ..self.documents.clone() };
        documents.get(url, (self.clock)(), |url, response| self.listed(url, response)).await
    }

    async fn read(&self, url: &PageUrl) -> Option<Read<Listed>> {
        let now = (self.clock)();
        match self.documents.get(url, now, |url, response| self.listed(url, response)).await {
            Answered::Document(read) => Some(read),
            Answered::None | Answered::Stopped => None,
            Answered::Unreachable(reason) => {
                let document = Listed { warnings: vec![reason], ..Listed::default() };
                Some(Read { at: now, document })
            }
        }
    }

    fn listed(&self, url: &PageUrl, response: &Response) -> Listed {
        let content_type = response.headers.content_type.as_deref();
        let sitemap = sitemap::parse(&response.body, content_type, url.as_str());
        let mut listed = Listed { warnings: sitemap.warnings, ..Listed::default() };
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
        let memo = self.documents.memos.memo(&no_sitemap_at(root)).await.ok().flatten();
        memo.is_some_and(|memo| (self.clock)().duration_since(memo.saved_at).unsigned_abs() < PATIENCE)
    }

    async fn remember_none(&self, root: &PageUrl) {
        let memo = Memo { saved_at: (self.clock)(), value: String::new() };
        if let Err(error) = self.documents.memos.save_memo(&no_sitemap_at(root), &memo).await {
            tracing::warn!(%error, "a search for sitemaps could not be remembered");
        }
    }
}

fn no_sitemap_at(root: &PageUrl) -> String {
    format!("no sitemap at {}", root.host_key())
}

/// A search that is going on: each step reads one sitemap.
pub struct Search<'a> {
    finder: &'a SitemapFinder,
    root: PageUrl,
    /// Sitemaps to read, and how deep in indexes they were found.
    waiting: Vec<(PageUrl, usize)>,
    /// Well-known addresses to try while nothing is found, last first.
    guesses: Vec<PageUrl>,
    found_any: bool,
    seen: HashSet<PageUrl>,
}

impl<'a> Search<'a> {
    fn new(finder: &'a SitemapFinder, listed: Vec<PageUrl>, guesses: Vec<PageUrl>, root: &PageUrl) -> Self {
        let seen = listed.iter().cloned().collect();
        let waiting = listed.into_iter().rev().map(|sitemap| (sitemap, 0)).collect();
        Self { finder, root: root.clone(), waiting, guesses, found_any: false, seen }
    }

    /// Reads the next sitemap; `None` when there is none left.
    pub async fn next(&mut self) -> Option<SitemapPages> {
        while let Some((sitemap, depth)) = self.waiting.pop() {
            if let Some(read) = self.finder.read(&sitemap).await {
                return Some(self.take(sitemap, depth, read));
            }
        }
        let guessing = !self.guesses.is_empty();
        while let Some(guess) = self.guesses.pop() {
            let permitted = matches!(self.finder.robots.permits(&guess).await, Ok(Permission::Allowed));
            match if permitted { self.finder.guess(&guess).await } else { Answered::None } {
                // Many servers answer any address with a page of HTML: that lists nothing.
                Answered::Document(read) if !read.document.is_empty() => {
                    self.guesses.clear();
                    return Some(self.take(guess, 0, read));
                }
                Answered::Document(_) | Answered::None => {}
                // A server that stumbles over a guess is not bothered with more of them.
                Answered::Unreachable(_) | Answered::Stopped => {
                    self.guesses.clear();
                    return None;
                }
            }
        }
        if guessing && !self.found_any {
            self.finder.remember_none(&self.root).await;
        }
        None
    }

    fn take(&mut self, sitemap: PageUrl, depth: usize, read: Read<Listed>) -> SitemapPages {
        let Read { at: read_at, document: listed } = read;
        self.found_any = true;
        let mut nested = Vec::new();
        for url in listed.sitemaps {
            let admitted = depth < MAX_DEPTH && self.seen.len() < MAX_SITEMAPS;
            if admitted && self.seen.insert(url.clone()) {
                nested.push((url, depth + 1));
            }
        }
        self.waiting.extend(nested.into_iter().rev());
        SitemapPages { sitemap, read_at, pages: listed.pages, warnings: listed.warnings }
    }
}
