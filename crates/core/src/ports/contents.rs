use async_trait::async_trait;

use super::StoreError;
use crate::model::content::Reading;
use crate::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use crate::model::record::ContentRef;
use crate::url::PageUrl;

/// What pages said: links, texts and bodies. Written with [`Store::record`](super::Store::record).
///
/// # Contract
/// A content is found by the site whose record was written with it. Whether another site finds it, too, is up to the
/// store.
#[async_trait]
pub trait Contents: Send + Sync {
    /// Returns the links of contents of a site, in their order; `None` for each content that is not stored.
    async fn links(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError>;

    /// Returns the links of one content as [`Contents::links`] does. Those that were queued for `crawl` may be left out.
    ///
    /// For a crawl that goes on: most links of a page were queued from the page before, and a store that is the
    /// frontier as well knows them without reading their addresses. Who asks still drops what it queued itself.
    async fn unqueued_links(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        content: &ContentHash,
    ) -> Result<Option<Vec<PageUrl>>, StoreError>;

    /// Returns the canonical text of this meaning, if one was ever stored with a content of the site.
    async fn text(&self, site: &SiteId, semantic: &SemanticHash) -> Result<Option<String>, StoreError>;

    /// Returns what contents of the site say, as pages are compared, in their order; `None` for each of whose meaning no
    /// text is stored. The outline is that of the content itself, and none where it was stored without one.
    async fn readings(
        &self,
        site: &SiteId,
        contents: &[ContentRef],
    ) -> Result<Vec<Option<Reading>>, StoreError>;

    /// Returns the decoded body of a content of the site, or else one with the same meaning, if one is kept.
    async fn body(&self, site: &SiteId, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError>;
}
