use async_trait::async_trait;

use super::{Store, StoreError};
use crate::ids::{CrawlId, SiteId};

/// How far the deletion of a crawl has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deletion {
    /// Records and contents deleted by this call.
    pub deleted: u64,
    /// Nothing of the crawl is left.
    pub finished: bool,
}

/// Forgets old crawls.
#[async_trait]
pub trait Retention: Store {
    /// Deletes records of a closed crawl, at most about `limit`, and with them contents that no record of
    /// another crawl names; the crawl itself goes last.
    ///
    /// A call that dies half-way is finished by the next. Deleting what is not there is finished at once.
    /// An open crawl is refused with [`StoreError::Absent`].
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError>;
}
