//! Shared changes, beside their crawl.

use firestore::gcloud_sdk::google::firestore::v1::Write;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::ports::StoreError;

use crate::client::{Query, delete, replace};
use crate::documents::{self, SharedDocument};
use crate::store::FirestoreStore;

/// The collection below a crawl.
pub(crate) const COLLECTION: &str = "shared";

/// How many documents are written in one commit: the emulator takes 4 MiB, the service 10.
const DOCUMENTS: usize = 3;
/// How many documents are deleted in one commit.
const DELETES: usize = 400;

impl FirestoreStore {
    /// Writes shared changes; a list that is shorter than the one before leaves nothing of that behind.
    pub(crate) async fn write_shared_changes(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        changes: &[SharedChange],
    ) -> Result<(), StoreError> {
        self.expect_crawl(site, crawl).await?;
        let mut writes: Vec<Write> = Vec::new();
        for (number, document) in SharedDocument::of(changes)?.iter().enumerate() {
            writes.push(replace(documents::write(self.paths.shared(site, crawl, number), document)?));
        }
        for writes in writes.chunks(DOCUMENTS) {
            self.client.commit(writes.to_vec()).await?;
        }
        let last = writes.len().checked_sub(1).map(|number| self.paths.shared(site, crawl, number));
        let surplus = Query::of(COLLECTION).fields(&[]).after(last);
        let surplus = self.client.query(&self.paths.crawl(site, crawl), surplus).await?;
        let deletes: Vec<Write> = surplus.into_iter().map(|document| delete(document.name, None)).collect();
        for deletes in deletes.chunks(DELETES) {
            self.client.commit(deletes.to_vec()).await?;
        }
        Ok(())
    }

    pub(crate) async fn read_shared_changes(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Vec<SharedChange>, StoreError> {
        let query = Query::of(COLLECTION).after(None);
        let mut changes = Vec::new();
        for document in &self.client.query(&self.paths.crawl(site, crawl), query).await? {
            changes.extend(documents::read::<SharedDocument>(document)?.read()?);
        }
        Ok(changes)
    }
}
