use async_trait::async_trait;
use jiff::Timestamp;

use super::QueueError;
use crate::model::ids::{CrawlId, EventId, SiteId};
use crate::url::PageUrl;

/// A page that the Wayback Machine should archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveRequest {
    /// The same however often the request is made.
    pub id: EventId,
    /// The site.
    pub site: SiteId,
    /// The crawl that saw the change.
    pub crawl: CrawlId,
    /// The page.
    pub page: PageUrl,
    /// When the change was seen.
    pub requested_at: Timestamp,
}

/// Takes requests for archiving; they are carried out elsewhere, later.
///
/// # Contract
/// As of [`Frontier`](super::Frontier): a request survives a crash if a later record does. One made
/// twice under one id leads to one capture.
#[async_trait]
pub trait ArchiveQueue: Send + Sync {
    /// Asks for pages to be archived.
    async fn request(&self, requests: &[ArchiveRequest]) -> Result<(), QueueError>;
}
