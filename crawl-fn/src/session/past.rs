//! What earlier crawls know of the pages, and what follows from it for this one.

use recrawl_core::model::crawl::{Crawl, Mode};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Found, PageSummary};
use recrawl_core::plan::sample::{Member, sample, seed};
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Priority, QueuedPage, StoreError};
use recrawl_engine::is_of_due_pages;

use crate::parts::Parts;

/// What earlier crawls know of the pages, where somebody chooses from them.
pub(super) struct Past {
    /// The pages that decide for a crawl in mode smart: the same ones in every process.
    pub(super) sample: Vec<PageSummary>,
    /// How many pages were live when last seen.
    pub(super) known: u64,
    /// The pages that were live when last seen, where requests are limited.
    live: Vec<PageSummary>,
}

impl Past {
    /// Fills `planner` with what earlier crawls saw, and keeps what `crawl` chooses from.
    pub(super) async fn load_history(
        parts: &Parts,
        crawl: &Crawl,
        planner: &VisitPlanner,
    ) -> Result<Self, StoreError> {
        let settings = &parts.config.crawl;
        let chooses = !is_of_due_pages(crawl);
        let samples = chooses && crawl.mode == Mode::Smart;
        let is_limited = chooses && settings.budget.is_some();
        let mut live: Vec<PageSummary> = Vec::new();
        let mut known = 0;
        let mut each = |page: PageSummary| {
            planner.expect(&page);
            known += u64::from(page.presence.is_live());
            let is_near = || parts.scope.admits_depth(page.depth).is_ok();
            let is_live = page.presence.is_live() && parts.scope.admits(&page.url).is_ok() && is_near();
            if is_live && (samples || is_limited) {
                live.push(page);
            }
        };
        parts.deps.store.page_summaries(&parts.site.id, Some(crawl.id), &mut each).await?;
        let sample = if samples { choose(&live, settings.smart_sample, crawl.id) } else { Vec::new() };
        if !is_limited {
            live.clear();
        }
        Ok(Self { sample, known, live })
    }

    /// Returns what is queued before everything else: the sample ahead of all others, and known pages, whose
    /// priority is not known before the sitemaps are.
    pub(super) fn first(self, site: &SiteId, crawl: CrawlId) -> Vec<QueuedPage> {
        let queued = |page: PageSummary, priority: Priority| {
            let found = Found { by: page.found_by, depth: page.depth, referrer: None };
            QueuedPage { site: site.clone(), crawl, url: page.url, found, priority }
        };
        // A page of the sample comes first, and is not queued again as one of the others.
        let sample = self.sample.into_iter().map(|page| queued(page, Priority(i64::MAX)));
        sample.chain(self.live.into_iter().map(|page| queued(page, Priority::default()))).collect()
    }
}

fn choose(live: &[PageSummary], size: usize, crawl: CrawlId) -> Vec<PageSummary> {
    let mut members = Vec::with_capacity(live.len());
    for PageSummary { url, depth, change_frequency, .. } in live {
        members.push(Member { url, depth: *depth, changes_a_day: *change_frequency });
    }
    let page_quota = sample(&members, size, seed(crawl));
    page_quota.into_iter().map(|place| live[place].clone()).collect()
}
