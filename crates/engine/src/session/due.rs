//! Crawls of the pages that are due, between those of the whole site.

use jiff::Timestamp;
use recrawl_core::decide::Opening;
use recrawl_core::model::crawl::{CrawlKind, Mode, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::{Found, PageSummary};
use recrawl_core::model::scope::{Scope, ScopeError};
use recrawl_core::plan::due::{Candidate, due};
use recrawl_core::ports::{Frontier, Priority, QueueError, QueuedPage, Store, StoreError};
use recrawl_core::url::PageUrl;
use thiserror::Error;

use super::open;

/// Why no crawl of due pages was opened, or not all of them were asked for.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant is the error of its port")]
pub enum DueError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0} was opened, and not every page was asked for; those that were not stay due")]
    Queue(CrawlId, #[source] QueueError),
    #[error(transparent)]
    Scope(#[from] ScopeError),
    #[error("{0} is open; ask again when it is closed")]
    Busy(CrawlId),
}

/// A crawl of due pages that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueCrawl {
    /// The crawl.
    pub crawl: CrawlId,
    /// How many pages it visits.
    pub pages: usize,
}

/// Opens a crawl of the pages of `site` that are due at `now`, the best `budget` of them where there is one,
/// and asks for them, the most valuable first; `None` if none is due.
///
/// It follows no links and is partial when it is closed. Pages whose messages are lost stay due.
pub async fn open_due(
    store: &dyn Store,
    frontier: &dyn Frontier,
    site: &Site,
    budget: Option<usize>,
    now: Timestamp,
) -> Result<Option<DueCrawl>, DueError> {
    if let Some(crawl) = store.crawl_under_way(&site.id).await? {
        return Err(DueError::Busy(crawl.id));
    }
    let pages = due_pages(store, site, budget, now).await?;
    if pages.is_empty() {
        return Ok(None);
    }
    let crawl = match open(store, &site.id, CrawlKind::Due, Mode::Incremental, None, now).await? {
        Opening::Open(crawl) => crawl,
        Opening::Join(crawl) | Opening::Done(crawl) => return Err(DueError::Busy(crawl.id)),
    };
    let queued = |(url, found)| QueuedPage {
        site: site.id.clone(),
        crawl: crawl.id,
        url,
        found,
        priority: Priority::default(),
    };
    let queued: Vec<QueuedPage> = pages.into_iter().map(queued).collect();
    frontier.queue(&queued).await.map_err(|error| DueError::Queue(crawl.id, error))?;
    Ok(Some(DueCrawl { crawl: crawl.id, pages: queued.len() }))
}

/// Returns the pages that are due, the most valuable first, each as it was found before.
async fn due_pages(
    store: &dyn Store,
    site: &Site,
    budget: Option<usize>,
    now: Timestamp,
) -> Result<Vec<(PageUrl, Found)>, DueError> {
    let scope = Scope::new(&site.root, site.scope.clone())?;
    let mut known: Vec<PageSummary> = Vec::new();
    let mut each = |page: PageSummary| {
        let is_in_scope = scope.admits(&page.url).is_ok() && scope.admits_depth(page.depth).is_ok();
        if page.presence.is_live() && is_in_scope {
            known.push(page);
        }
    };
    store.page_summaries(&site.id, None, &mut each).await?;
    let (due, _) = divide(known, now, budget);
    let found =
        |PageSummary { url, found_by, depth, .. }| (url, Found { by: found_by, depth, referrer: None });
    Ok(due.into_iter().map(found).collect())
}

/// Divides pages into those that are due at `at`, the most valuable first and as many as the budget allows, and others.
pub(crate) fn divide(
    mut pages: Vec<PageSummary>,
    at: Timestamp,
    budget: Option<usize>,
) -> (Vec<PageSummary>, Vec<PageSummary>) {
    // Ties go by the place, and so by the address.
    pages.sort_by(|one, other| one.url.cmp(&other.url));
    let candidate = |(place, page): (usize, &PageSummary)| Candidate {
        url: place,
        last_seen: Some(page.last_seen),
        rate: page.expected_rate(),
    };
    let candidates: Vec<Candidate<usize>> = pages.iter().enumerate().map(candidate).collect();
    let due = due(&candidates, at, budget);
    let mut pages: Vec<Option<PageSummary>> = pages.into_iter().map(Some).collect();
    let due = due.into_iter().filter_map(|due| pages[due.url].take()).collect();
    (due, pages.into_iter().flatten().collect())
}
