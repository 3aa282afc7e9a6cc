//! A site and its crawls, and where it stands.

mod line;

use jiff::Timestamp;
use recrawl_core::decide::is_first_crawl;
use recrawl_core::model::crawl::{Site, shown_name};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::ports::History;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::line::{SiteLine, SiteStanding, lately};
use crate::crawls::{CrawlState, CrawlView, SiteStateView};
use crate::error::ReportError;

/// A site and its crawls.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SiteView {
    /// Its name.
    #[schema(value_type = String)]
    pub id: SiteId,
    /// Where crawls begin.
    #[schema(value_type = String, format = "uri")]
    pub root: PageUrl,
    /// When it was first crawled.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// What belongs to it beside the root's path.
    #[schema(value_type = Object)]
    pub scope: ScopeSettings,
    /// Why it could not be read, or not all of it, when it was last crawled.
    pub state: Option<SiteStateView>,
    /// Its crawls, the newest first.
    pub crawls: Vec<CrawlView>,
    /// Those of them that are first crawls, to which most pages are new.
    #[serde(skip)]
    pub first: Vec<CrawlId>,
}

impl SiteView {
    /// Returns the name under which people know the site.
    pub fn shown_name(&self) -> &str {
        shown_name(&self.id, &self.root)
    }

    /// Returns the crawl that is open.
    pub fn open(&self) -> Option<&CrawlView> {
        self.crawls.iter().find(|crawl| crawl.state == CrawlState::Open)
    }
}

/// Returns every site, by name.
pub async fn sites(history: &dyn History) -> Result<Vec<SiteView>, ReportError> {
    let mut views = Vec::new();
    for site in history.sites().await? {
        views.push(described(history, site).await?);
    }
    Ok(views)
}

/// Returns a site.
pub async fn site(history: &dyn History, id: &SiteId) -> Result<SiteView, ReportError> {
    let site = found_site(history, id).await?;
    described(history, site).await
}

/// Returns the site of this name as it is stored.
pub async fn found_site(history: &dyn History, id: &SiteId) -> Result<Site, ReportError> {
    history.site(id).await?.ok_or_else(|| ReportError::Absent(format!("there is no site {id}")))
}

/// Returns `site` with its crawls.
pub async fn described(history: &dyn History, site: Site) -> Result<SiteView, ReportError> {
    let crawls = history.crawls(&site.id).await?;
    let ids = crawls.iter().map(|crawl| crawl.id);
    let first = ids.filter(|id| is_first_crawl(&crawls, *id)).collect();
    let crawls: Vec<CrawlView> = crawls.iter().rev().map(CrawlView::from).collect();
    let latest = crawls.iter().find(|crawl| crawl.state != CrawlState::Open);
    let state = latest.and_then(|crawl| crawl.site_state.clone());
    let Site { id, root, created_at, scope } = site;
    Ok(SiteView { id, root, created_at, scope, state, crawls, first })
}
