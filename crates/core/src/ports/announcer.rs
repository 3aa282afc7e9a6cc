use async_trait::async_trait;

use super::QueueError;
use crate::ids::{CrawlId, EventId, SiteId};
use crate::url::PageUrl;
use crate::verdict::Change;

/// A change worth telling others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The same however often the change is announced.
    pub id: EventId,
    /// The site.
    pub site: SiteId,
    /// The crawl that saw the change.
    pub crawl: CrawlId,
    /// The page.
    pub page: PageUrl,
    /// What happened to it.
    pub change: Change,
    /// What changed in its text, shortened, where that was asked for.
    pub diff: Option<String>,
}

/// Tells others of changes.
///
/// # Contract
/// As of [`Frontier`](super::Frontier): an announcement survives a crash if a later record does. One
/// announced twice under one id is delivered at least once.
#[async_trait]
pub trait Announcer: Send + Sync {
    /// Announces a change.
    async fn announce(&self, announcement: &Announcement) -> Result<(), QueueError>;
}
