//! Putting the crawl step of a session together.

use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::model::crawl::{Crawl, CrawlKind};
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Fetcher, Frontier, QueueError, QueuedPage};
use recrawl_engine::step::{CrawlStep, Ports};
use recrawl_engine::{BudgetedFetcher, RequestBudget};

use crate::parts::Parts;
use crate::site_parts::SiteParts;

/// Takes pages and queues none: a crawl of due pages follows no links.
struct NoFurther;

#[async_trait]
impl Frontier for NoFurther {
    async fn queue(&self, _: &[QueuedPage]) -> Result<(), QueueError> {
        Ok(())
    }
}

/// Makes the step of a crawl, which may make no more requests than are allowed.
pub(super) fn step(
    parts: &Parts,
    site: &SiteParts,
    crawl: Crawl,
    is_first_crawl: bool,
    planner: Arc<VisitPlanner>,
    request_budget: Option<&Arc<RequestBudget>>,
) -> CrawlStep {
    let deps = &parts.deps;
    let fetcher: Arc<dyn Fetcher> = match request_budget {
        Some(request_budget) => Arc::new(BudgetedFetcher::new(site.fetcher.clone(), request_budget.clone())),
        None => site.fetcher.clone(),
    };
    let frontier: Arc<dyn Frontier> = match crawl.kind {
        CrawlKind::Due | CrawlKind::List => Arc::new(NoFurther),
        CrawlKind::Full => deps.frontier.clone(),
    };
    let outside = Ports {
        store: deps.store.clone(),
        frontier,
        fetcher,
        robots: site.robots.clone(),
        absence: site.absence.clone(),
        state_store: deps.store.clone(),
        stumbles: deps.stumbles.clone(),
        extractor: site.extractor.clone(),
        documents: site.documents.clone(),
    };
    let settings = site.config.crawl.step(is_first_crawl, &site.config.product_token());
    CrawlStep::new(site.site.clone(), crawl, site.config.scope.clone(), settings, outside, planner)
}
