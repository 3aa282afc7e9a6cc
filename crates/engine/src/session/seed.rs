//! Where a crawl begins: the root, and what the sitemaps list.

use std::sync::Arc;

use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::ports::{QueueError, StateStore};
use recrawl_core::url::PageUrl;

use crate::observer::{Event, Observer};
use crate::sitemaps::{ReliabilityCache, SitemapFinder, SteadySearch};
use crate::step::CrawlStep;

/// Queues the root of a site, unless it is queued or visited.
pub async fn queue_root(step: &CrawlStep, root: &PageUrl) -> Result<(), QueueError> {
    let seed = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    step.queue([root], &seed).await?;
    Ok(())
}

/// The pages of a site that its sitemaps list. What sitemaps say of them goes to the planner of the step.
pub struct ListedPages<'a> {
    step: &'a CrawlStep,
    root: &'a PageUrl,
    search: SteadySearch<'a>,
    reliability: ReliabilityCache,
    observer: &'a dyn Observer,
}

impl<'a> ListedPages<'a> {
    /// How a page of a sitemap is found.
    pub const FOUND: Found = Found { by: FoundBy::Sitemap, depth: 1, referrer: None };

    /// Searches the sitemaps of the host of `root`.
    pub fn new(
        finder: &'a SitemapFinder,
        step: &'a CrawlStep,
        root: &'a PageUrl,
        state_store: Arc<dyn StateStore>,
        observer: &'a dyn Observer,
    ) -> Self {
        let search = SteadySearch::new(finder, root, step.scope());
        let reliability = ReliabilityCache::new(state_store, step.planner().clone());
        Self { step, root, search, reliability, observer }
    }

    /// Returns the pages in scope that the next sitemap lists; `None` when there is no further one.
    pub async fn next(&mut self) -> Option<Vec<PageUrl>> {
        let mut found = match self.search.next().await? {
            Ok(found) => found,
            Err(panic) => {
                let host = self.root.host_key();
                let warning = format!("Recrawl stumbled over a sitemap of {host}: {panic}");
                self.observer.on(Event::Warning(warning));
                return Some(Vec::new());
            }
        };
        if !found.is_only_warnings() {
            self.observer.on(Event::Sitemap { url: &found.sitemap, pages: found.pages.len() });
        }
        for warning in &found.warnings {
            self.observer.on(Event::Warning(format!("{}: {warning}", found.sitemap)));
        }
        found.pages.retain(|page| self.step.scope().admits(&page.url).is_ok());
        for page in &found.pages {
            self.reliability.of(&page.url).await;
            self.step.planner().list(&page.url, page.listing(), found.read_at);
        }
        Some(found.pages.into_iter().map(|page| page.url).collect())
    }
}
