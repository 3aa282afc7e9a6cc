use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Source;
use crate::model::ids::{CrawlId, SiteId};
use crate::model::record::Found;
use crate::url::PageUrl;

/// A page to visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedPage {
    /// The site.
    pub site: SiteId,
    /// The crawl.
    pub crawl: CrawlId,
    /// The page.
    pub url: PageUrl,
    /// How it was found.
    pub found: Found,
    /// How early it should be visited.
    pub priority: Priority,
}

/// How early a page should be visited: the higher, the earlier.
///
/// Thousandths of the figure that [`crate::plan::priority`] gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Priority(pub i64);

impl Priority {
    /// Makes one of a figure.
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and NaN becomes 0")]
    pub fn of(figure: f64) -> Self {
        Self((figure * 1_000.0) as i64)
    }
}

/// Why a message was not taken.
#[derive(Debug, Error)]
pub enum QueueError {
    /// The queue cannot be reached or is busy; the same call may succeed later.
    #[error("the queue is not available")]
    Unavailable(#[source] Source),
    /// The message cannot be taken, now or later.
    #[error("the queue refuses the message")]
    Refused(#[source] Source),
}

/// Takes pages to visit.
///
/// # Contract
/// When `queue` has returned and a later [`Store::record`](super::Store::record) survives a crash,
/// the queued pages survive it too. A page may be delivered more than once.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// Queues `pages`. A page queued before, or recorded in its crawl, may be left out.
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError>;
}

/// A frontier that is asked for work, rather than delivering it.
#[async_trait]
pub trait PullFrontier: Frontier {
    /// Hands out up to `limit` waiting pages of a crawl: the highest priority first, and among equals the one
    /// that was queued first. A page that is queued again with a higher priority keeps its place.
    ///
    /// A page is handed out once in the life of this frontier. One that was handed out and not
    /// recorded is handed out again after the frontier is opened anew.
    async fn take(&self, site: &SiteId, crawl: CrawlId, limit: usize) -> Result<Vec<QueuedPage>, QueueError>;

    /// Returns how many pages of a crawl are queued and not recorded, handed out or not.
    async fn waiting(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, QueueError>;

    /// Returns every page of a crawl that is queued and not recorded.
    async fn waiting_pages(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<PageUrl>, QueueError>;
}
