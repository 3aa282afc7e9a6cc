//! The port that does things: crawls, sites, rules, archiving.

use std::pin::Pin;

use async_trait::async_trait;
use futures_util::Stream;
use jiff::Timestamp;
use recrawl_core::crawl::Site;
use recrawl_core::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use thiserror::Error;
use utoipa::ToSchema;

/// Why something was not done.
#[derive(Debug, Error)]
pub enum ControlError {
    /// It cannot be done, for this reason, which may be shown.
    #[error("{0}")]
    Refused(String),
    /// The store failed.
    #[error("the store did not do it")]
    Store(#[from] StoreError),
}

/// The progress of a crawl, as it comes.
pub type ProgressStream = Pin<Box<dyn Stream<Item = Progress> + Send>>;

/// Does what people ask for on the pages. The caller has checked that they may.
///
/// # Contract
/// Nothing waits for a crawl: a wish is taken, and its progress is told by [`Controls::progress`]. A wish that is
/// fulfilled already is no error.
#[async_trait]
pub trait Controls: Send + Sync {
    /// Begins a crawl, or goes on with the open one, and returns it.
    async fn start(&self, site: &SiteId) -> Result<CrawlId, ControlError>;

    /// Lets the open crawl rest after the pages in flight; [`Controls::start`] goes on with it.
    async fn pause(&self, site: &SiteId) -> Result<(), ControlError>;

    /// Closes the open crawl as partial.
    async fn stop(&self, site: &SiteId) -> Result<(), ControlError>;

    /// Looks at a root without crawling: its name, what robots.txt says, and pages that it admits.
    async fn preview_site(&self, wish: &SiteWish) -> Result<SitePreview, ControlError>;

    /// Adds a site.
    async fn add_site(&self, wish: &SiteWish) -> Result<Site, ControlError>;

    /// Returns the ignore rules of a site, as they stand in its settings.
    async fn rules(&self, site: &SiteId) -> Result<IgnoreRules, ControlError>;

    /// Returns the two texts of a page's last difference as these rules would read them, older first.
    async fn preview_rules(
        &self,
        site: &SiteId,
        url: &PageUrl,
        rules: &IgnoreRules,
    ) -> Result<(String, String), ControlError>;

    /// Replaces the ignore rules of a site.
    async fn save_rules(&self, site: &SiteId, rules: &IgnoreRules) -> Result<(), ControlError>;

    /// Asks the Wayback Machine for a capture of a page.
    async fn archive(&self, site: &SiteId, url: &PageUrl) -> Result<(), ControlError>;

    /// Accepts the findings of a suspect crawl.
    async fn accept(&self, site: &SiteId, crawl: CrawlId) -> Result<(), ControlError>;

    /// Tells how the open crawl of a site comes on, until it is closed; at once nothing where none is open.
    fn progress(&self, site: &SiteId) -> ProgressStream;
}

/// How far an open crawl has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Progress {
    /// The crawl.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Pages recorded, where they are counted.
    pub done: Option<u64>,
    /// Pages that wait, where they are counted.
    pub waiting: Option<u64>,
    /// When the last visit took place.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_visit: Option<Timestamp>,
    /// It is over.
    pub closed: bool,
}

/// A site that somebody would like to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteWish {
    /// Where crawls begin.
    pub root: PageUrl,
    /// Globs of which a page must match one; none admits every page.
    pub include: Vec<String>,
    /// Globs of pages that are never visited.
    pub exclude: Vec<String>,
}

/// What a root would admit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePreview {
    /// The name that the site would have.
    pub id: SiteId,
    /// What robots.txt says, in words.
    pub robots: String,
    /// Some pages that would be visited.
    pub admitted: Vec<PageUrl>,
    /// Some pages that would not, and why.
    pub refused: Vec<(PageUrl, String)>,
}

/// What is left out of pages before they are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoreRules {
    /// CSS selectors of elements.
    pub selectors: Vec<String>,
    /// Regular expressions of text.
    pub patterns: Vec<String>,
}
