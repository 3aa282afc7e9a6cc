use async_trait::async_trait;

use super::QueueError;
use crate::model::crawl::{Closed, Site};
use crate::model::ids::CrawlId;

/// Tells others that a crawl has ended, and with which figures.
///
/// # Contract
/// As of [`Announcer`](super::Announcer): told at least once, under the same id however often.
#[async_trait]
pub trait Summaries: Send + Sync {
    /// Tells that `crawl` of `site` has ended.
    async fn summarise(&self, site: &Site, crawl: CrawlId, closed: &Closed) -> Result<(), QueueError>;
}
