use async_trait::async_trait;

use super::{Store, StoreError};
use crate::model::ids::{CrawlId, SiteId};
use crate::url::PageUrl;

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
    /// another crawl names, and what people did with its changes ([`StateKey::review`](super::StateKey::review)), starred
    /// or not; the crawl itself goes last.
    ///
    /// A call that dies half-way is finished by the next. Deleting what is not there is finished at once.
    /// An open crawl is refused with [`StoreError::Absent`].
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError>;

    /// Deletes the records of these pages in a closed crawl, and with them contents that no other record
    /// names. A page without a record is passed over.
    ///
    /// An open crawl is refused with [`StoreError::Absent`].
    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
    ) -> Result<Deletion, StoreError>;

    /// Returns how many bytes are stored, where the store can tell.
    async fn size(&self) -> Result<Option<u64>, StoreError>;

    /// Gives the space of what was deleted back to the system, where that does not happen by itself.
    async fn reclaim(&self) -> Result<(), StoreError>;
}
