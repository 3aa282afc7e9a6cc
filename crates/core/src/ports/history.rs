use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{Store, StoreError};
use crate::model::content::Content;
use crate::model::counts::Counts;
use crate::model::crawl::{Operations, Site};
use crate::model::ids::{ContentHash, CrawlId, SiteId};
use crate::model::record::PageRecord;
use crate::url::PageUrl;

/// What people and maintenance read beside what the crawl step reads.
#[async_trait]
pub trait History: Store {
    /// Returns every site, by name.
    async fn sites(&self) -> Result<Vec<Site>, StoreError>;

    /// Returns all records of a page in order of their crawls.
    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError>;

    /// Returns when the last visit of a crawl took place, as far as it is recorded.
    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError>;

    /// Returns how many pages a crawl has recorded, by verdict; none for a crawl that is not there.
    ///
    /// Not derived from [`Store::records`]: whoever looks where an open crawl stands asks it again and again, and a store
    /// that is billed for reads counts for far fewer than one a page.
    async fn verdict_counts(&self, site: &SiteId, crawl: CrawlId) -> Result<Counts, StoreError>;

    /// Returns how many pages of a crawl are to be archived, now or later, and are not yet.
    async fn count_unarchived(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, StoreError>;

    /// Returns up to `limit` records of a crawl whose visits took place at `since` or later, in order of their visits.
    async fn visits_since(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError>;

    /// Returns a content of a site, with its text, and its body where one is kept.
    async fn content(&self, site: &SiteId, hash: &ContentHash) -> Result<Option<Content>, StoreError>;

    /// Returns the titles of those of a site's `contents` that are stored and have one, as [`short_title`] cuts them.
    ///
    /// [`short_title`]: crate::words::short_title
    async fn titles(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<HashMap<ContentHash, String>, StoreError>;

    /// Returns the billed operations that a crawl took, where the store is billed for them.
    async fn operations(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Operations>, StoreError>;
}
