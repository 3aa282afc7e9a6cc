use async_trait::async_trait;

use super::StoreError;
use crate::model::ids::{CrawlId, SiteId};

/// Keeps word of crawls that people are to be told of.
///
/// # Contract
/// Both are called before the thing itself is done, so that a process that dies in between leaves word; what is noted twice
/// is told once. Until the crawl is closed, or accepted, nobody is told.
#[async_trait]
pub trait Notices: Send + Sync {
    /// Notes that a crawl is about to be closed.
    async fn closing(&self, site: &SiteId, crawl: CrawlId) -> Result<(), StoreError>;

    /// Notes that what an unusual crawl found is about to be told, because somebody accepted it.
    async fn accepted(&self, site: &SiteId, crawl: CrawlId) -> Result<(), StoreError>;
}

/// Nobody is told of anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNotices;

#[async_trait]
impl Notices for NoNotices {
    async fn closing(&self, _: &SiteId, _: CrawlId) -> Result<(), StoreError> {
        Ok(())
    }

    async fn accepted(&self, _: &SiteId, _: CrawlId) -> Result<(), StoreError> {
        Ok(())
    }
}
