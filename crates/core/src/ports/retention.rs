use async_trait::async_trait;

use super::{Recorded, Store, StoreError};
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

/// Forgets old crawls and whole sites, and gives a site another name.
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

    /// Forgets a site that has no crawl, and what is kept of it beside its crawls. One that has a crawl stays.
    async fn forget_site(&self, site: &SiteId) -> Result<(), StoreError>;

    /// Gives a site another name: its crawls, records and contents are found under `to` and nowhere else. What
    /// [`StateStore`](super::StateStore) remembers of it stays where it is.
    ///
    /// [`Recorded::Already`] where there is a site `to`; then nothing was changed. A site that is not there, or has an
    /// open crawl, is refused with [`StoreError::Absent`].
    ///
    /// Readers find all of the site under one of the two names at any time. A call that dies half-way leaves it under one
    /// of them, and can be made again.
    async fn rename_site(&self, site: &SiteId, to: &SiteId) -> Result<Recorded, StoreError>;

    /// Returns how many bytes are stored, where the store can tell.
    async fn size(&self) -> Result<Option<u64>, StoreError>;

    /// Gives the space of what was deleted back to the system, where that does not happen by itself.
    async fn reclaim(&self) -> Result<(), StoreError>;
}
