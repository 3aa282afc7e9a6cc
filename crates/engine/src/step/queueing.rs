//! Queueing pages: links, sitemaps and seeds go to the frontier once (deduplication), the most urgent first.

use std::cmp::Reverse;

use recrawl_core::decide::traps::PageLimit;
use recrawl_core::model::crawl::CrawlKind;
use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::ports::{Priority, QueueError, QueuedPage};
use recrawl_core::url::PageUrl;

use super::CrawlStep;
use crate::seen::Seen;

/// How many pages are queued at a time.
const QUEUED: usize = 1_000;

impl CrawlStep {
    /// Queues those of `pages` that are in scope and not queued yet, as found this way, unless too many wait.
    ///
    /// Returns how many were queued.
    pub async fn queue<'a>(
        &self,
        pages: impl IntoIterator<Item = &'a PageUrl> + Send,
        found: &Found,
    ) -> Result<usize, QueueError> {
        if self.scope.admits_depth(found.depth).is_err() || self.is_beyond_list(found.by) {
            return Ok(0);
        }
        let pages: Vec<&PageUrl> = pages.into_iter().collect();
        let again = self.approach(&pages, found).await;
        let again = again.map_err(|error| QueueError::Unavailable(error.into()))?;
        let admits = |page: &PageUrl| self.scope.admits_found(page, found.by).is_ok();
        let fresh = self.seen.not_yet_queued_within(self.most_waiting(), found.depth, pages, admits);
        let mut queueing = Queueing { seen: &self.seen, pages: [fresh, again].concat() };
        queueing.pages.sort_by_cached_key(|url| Reverse(self.planner.priority(url, found.depth)));
        let number = queueing.pages.len();
        // Some at a time, so that a page with very many links is not held in memory twice.
        while !queueing.pages.is_empty() {
            let some = queueing.pages.len().min(QUEUED);
            let queued = |url: &&PageUrl| self.queued((*url).clone(), found.clone());
            let queued: Vec<QueuedPage> = queueing.pages[..some].iter().map(queued).collect();
            self.ports.frontier.queue(&queued).await?;
            queueing.pages.drain(..some);
        }
        Ok(number)
    }

    /// Queues those of `pages` that were not queued before, the highest priority first. The planner gives one to those
    /// that have none.
    pub async fn queue_first(&self, mut pages: Vec<QueuedPage>) -> Result<(), QueueError> {
        let is_new = |page: &QueuedPage| {
            let fresh = self.seen.not_yet_queued_within(usize::MAX, page.found.depth, [&page.url], |_| true);
            !fresh.is_empty()
        };
        pages.retain(is_new);
        for page in pages.iter_mut().filter(|page| page.priority == Priority::default()) {
            page.priority = self.planner.priority(&page.url, page.found.depth);
        }
        pages.sort_by_key(|page| Reverse(page.priority));
        let mut queueing = Queueing { seen: &self.seen, pages: pages.iter().map(|page| &page.url).collect() };
        for some in pages.chunks(QUEUED) {
            self.ports.frontier.queue(some).await?;
            queueing.pages.drain(..some.len());
        }
        Ok(())
    }

    /// Tells whether what was found this way is more than a crawl of a list was asked for.
    fn is_beyond_list(&self, by: FoundBy) -> bool {
        self.crawl.kind == CrawlKind::List
            && match by {
                FoundBy::Link | FoundBy::Image | FoundBy::Memory => true,
                FoundBy::Seed | FoundBy::Redirect | FoundBy::Sitemap => false,
            }
    }

    /// Returns how many pages may wait: as many as a crawl asks for, unless somebody wants more.
    ///
    /// What is left out is found again by the audit, when fewer wait.
    fn most_waiting(&self) -> usize {
        let pages = PageLimit::Usual.of(self.planner.known() as u64);
        pages.and_then(|pages| usize::try_from(pages).ok()).unwrap_or(usize::MAX)
    }

    fn queued(&self, url: PageUrl, found: Found) -> QueuedPage {
        let priority = self.planner.priority(&url, found.depth);
        QueuedPage { site: self.site.id.clone(), crawl: self.crawl.id, url, found, priority }
    }
}

/// Pages that are marked as queued. Dropped before that is done, by an error or a panic, it marks them as not queued.
struct Queueing<'a> {
    seen: &'a Seen,
    pages: Vec<&'a PageUrl>,
}

impl Drop for Queueing<'_> {
    fn drop(&mut self) {
        self.seen.forget_queued(self.pages.drain(..));
    }
}
