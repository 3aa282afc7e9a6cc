use async_trait::async_trait;
use jiff::Timestamp;

use super::{Store, StoreError};
use crate::model::archive::Archive;
use crate::model::ids::{CrawlId, SiteId};
use crate::model::record::PageRecord;
use crate::url::PageUrl;

/// Keeps what becomes of archive requests, with the records that they belong to.
///
/// A record that is written with [`PageRecord::archive`] waits here until that is over.
#[async_trait]
pub trait ArchiveStore: Store {
    /// Replaces what is known of the archiving of a recorded page.
    ///
    /// [`StoreError::Absent`] if the crawl has no record of the page; nothing else of the record changes.
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError>;

    /// Returns up to `limit` records of a crawl whose archiving is due at `now`, those that were asked for
    /// first before the others.
    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError>;
}
