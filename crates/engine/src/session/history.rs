//! What earlier crawls know of the pages, and what a crawl chooses from it: the sample of mode smart, and the known pages
//! that it visits first.

use recrawl_core::model::crawl::{Crawl, CrawlKind, Mode};
use recrawl_core::model::record::{Found, PageSummary};
use recrawl_core::model::scope::Scope;
use recrawl_core::plan::sample::{Member, sample, seed};
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Priority, QueuedPage, Store, StoreError};

/// What earlier crawls know of the pages, as far as a crawl chooses from it.
#[derive(Debug, Default)]
pub struct History {
    /// How many pages were live when last seen.
    pub known: u64,
    /// The pages that decide for a crawl in mode smart: the same ones in every process of the crawl.
    pub sample: Vec<PageSummary>,
    /// The pages of the site that were live when last seen, where somebody chooses from them.
    pub live: Vec<PageSummary>,
}

impl History {
    /// Fills `planner` with what crawls before `crawl` saw, and draws the sample of mode smart; keeps the known pages
    /// where `keeps_live`.
    pub async fn load(
        store: &dyn Store,
        crawl: &Crawl,
        scope: &Scope,
        planner: &VisitPlanner,
        sample_size: usize,
        keeps_live: bool,
    ) -> Result<Self, StoreError> {
        let samples = crawl.mode == Mode::Smart && crawl.kind == CrawlKind::Full;
        let mut history = Self::default();
        let mut each = |page: PageSummary| {
            planner.expect(&page);
            if page.presence.is_live() {
                history.known += 1;
                if (samples || keeps_live) && scope.admits(&page.url).is_ok() {
                    history.live.push(page);
                }
            }
        };
        store.page_summaries(&crawl.site, Some(crawl.id), &mut each).await?;
        // In an order of its own, so that every process of the crawl chooses the same pages.
        history.live.sort_by(|one, other| (one.depth, &one.url).cmp(&(other.depth, &other.url)));
        if samples {
            history.sample = draw(&history.live, crawl, scope, sample_size);
        }
        if !keeps_live {
            history.live = Vec::new();
        }
        Ok(history)
    }

    /// Returns the sample to be queued, ahead of all other pages.
    pub fn first(&self, crawl: &Crawl) -> Vec<QueuedPage> {
        self.sample.iter().map(|page| queued(page, crawl, Priority(i64::MAX))).collect()
    }

    /// Returns the known pages to be queued, in the order that the planner gives them.
    pub fn known_pages(&self, crawl: &Crawl, scope: &Scope) -> Vec<QueuedPage> {
        let near = self.live.iter().filter(|page| scope.admits_depth(page.depth).is_ok());
        near.map(|page| queued(page, crawl, Priority::default())).collect()
    }
}

fn draw(live: &[PageSummary], crawl: &Crawl, scope: &Scope, size: usize) -> Vec<PageSummary> {
    let near: Vec<&PageSummary> = live.iter().filter(|page| scope.admits_depth(page.depth).is_ok()).collect();
    let mut members = Vec::with_capacity(near.len());
    for PageSummary { url, depth, change_frequency, .. } in near.iter().copied() {
        members.push(Member { url, depth: *depth, changes_a_day: *change_frequency });
    }
    sample(&members, size, seed(crawl.id)).into_iter().map(|place| near[place].clone()).collect()
}

fn queued(page: &PageSummary, crawl: &Crawl, priority: Priority) -> QueuedPage {
    let found = Found { by: page.found_by, depth: page.depth, referrer: None };
    QueuedPage { site: crawl.site.clone(), crawl: crawl.id, url: page.url.clone(), found, priority }
}
