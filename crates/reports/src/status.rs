//! Where a site stands: its open crawl or its last one, and what waits.

use jiff::Timestamp;
use recrawl_core::decide::dated_ahead;
use recrawl_core::model::crawl::{Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{History, PullFrontier, StateStore};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::archiving::{ArchiveBacklog, backlog};
use crate::crawls::{CrawlSummary, SiteStateView};
use crate::error::ReportError;

/// Where a site stands; its JSON form is stable.
#[derive(Debug, Serialize)]
pub struct Status {
    /// The site.
    pub site: SiteId,
    /// Where its crawls begin.
    pub root: PageUrl,
    /// The open crawl, or the latest.
    pub crawl: Option<CrawlId>,
    /// How that ended, if it did.
    pub state: Option<&'static str>,
    /// Why it is partial.
    pub reason: Option<String>,
    /// Why it is unusual.
    pub suspicion: Option<Suspicion>,
    /// Why the site could not be read, or not all of it.
    pub site_state: Option<SiteStateView>,
    /// When it was opened.
    pub opened_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// When its last visit took place.
    pub last_visit: Option<Timestamp>,
    /// Pages that it recorded.
    pub pages: u64,
    /// Pages that are queued and not visited; `null` where the store does not know.
    pub waiting: Option<u64>,
    /// Pages that wait to be archived.
    pub archiving: Option<ArchiveBacklog>,
    /// How many crawls the site has had, this one included.
    pub crawls: usize,
    /// What is wrong where the latest crawl is dated ahead of now.
    #[serde(skip)]
    pub clock: Option<String>,
    /// All of its figures.
    #[serde(skip)]
    pub summary: Option<CrawlSummary>,
}

/// Reads where a site stands; what waits is told where the store has a frontier of its own.
pub async fn status(
    history: &dyn History,
    state_store: &dyn StateStore,
    frontier: Option<&dyn PullFrontier>,
    site: Site,
    now: Timestamp,
) -> Result<Status, ReportError> {
    let Site { id: site, root, .. } = site;
    let crawls = history.crawls(&site).await?;
    let crawl = crawls.iter().find(|crawl| crawl.is_open()).or(crawls.last());
    let summary = match crawl {
        Some(crawl) => Some(CrawlSummary::in_brief(history, crawl).await?),
        None => None,
    };
    let waiting = match (crawl, frontier) {
        // What a crawl that ended early left waiting is nobody's any more.
        (Some(crawl), _) if !crawl.is_open() => Some(0),
        (Some(crawl), Some(frontier)) => Some(frontier.waiting(&site, crawl.id).await?),
        (None, _) | (_, None) => None,
    };
    let archiving = backlog(history, state_store, &crawls).await?;
    let of = summary.as_ref();
    Ok(Status {
        site,
        root,
        crawl: of.map(|summary| summary.crawl),
        state: of.map(|summary| summary.state),
        reason: of.and_then(|summary| summary.reason.clone()),
        suspicion: of.and_then(|summary| summary.suspicion.clone()),
        site_state: of.and_then(|summary| summary.site_state.clone()),
        opened_at: of.map(|summary| summary.opened_at),
        closed_at: of.and_then(|summary| summary.closed_at),
        last_visit: of.and_then(|summary| summary.statistics.last_visit),
        pages: of.map_or(0, |summary| summary.statistics.total),
        waiting,
        archiving,
        crawls: crawls.len(),
        clock: crawls.last().and_then(|latest| dated_ahead(latest.opened_at, now)),
        summary,
    })
}
