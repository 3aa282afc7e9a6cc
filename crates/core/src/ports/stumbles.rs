use async_trait::async_trait;

use super::StoreError;
use crate::model::ids::{CrawlId, SiteId};
use crate::model::stumble::{KeptStumble, Stumble};
use crate::url::PageUrl;

/// Keeps pages that Recrawl itself could not read, with their bodies, so that somebody can find out why.
///
/// # Contract
/// As of [`Store`](super::Store): what was saved is seen by every later read, and survives the death of the process.
/// It goes with its crawl when that is deleted.
#[async_trait]
pub trait Stumbles: Send + Sync {
    /// Saves a stumble, replacing what was saved of the same page in the same crawl.
    ///
    /// Its body is kept as [`Aside::of`](crate::model::stumble::Aside::of) says: at most
    /// [`LARGEST_BODY`](crate::model::stumble::LARGEST_BODY) as it is stored, and only while the crawl has fewer than
    /// [`MOST_BODIES`](crate::model::stumble::MOST_BODIES) of other pages. A body that is not kept is no error.
    async fn save_stumble(&self, stumble: &Stumble, body: Option<&[u8]>) -> Result<(), StoreError>;

    /// Returns the stumbles of a crawl in the order in which they happened, without their bodies; none where there is
    /// no such crawl.
    async fn stumbles(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<KeptStumble>, StoreError>;

    /// Returns the body that a crawl stumbled over at a page, if it is kept.
    async fn stumbled_body(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<Vec<u8>>, StoreError>;
}
