//! Shorter ways to pages that are recorded.

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::Deserialize;

use super::FirestoreStore;
use crate::client::{BATCH, lower};
use crate::shape;

#[derive(Deserialize)]
struct OnlyDepth {
    depth: u32,
}

impl FirestoreStore {
    /// Lowers the depth in those records that name a greater one; others cost a read and no write.
    pub(super) async fn write_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        for pages in pages.chunks(BATCH) {
            let names = pages.iter().map(|page| self.paths.page(site, crawl, page)).collect();
            let mut deeper = Vec::new();
            for (name, document) in self.client.get_all(names, &["depth"]).await? {
                if shape::read::<OnlyDepth>(&document)?.depth > depth {
                    deeper.push(lower(name, "depth", depth.into()));
                }
            }
            if !deeper.is_empty() {
                self.client.commit(deeper).await?;
            }
        }
        self.last_scan.lower_depth((site, crawl), pages, depth);
        Ok(())
    }
}
