//! What a crawl cost, as the processes that worked on it counted.

use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use serde::Serialize;

use crate::client::{Query, increase};
use crate::documents::{self, OperationsDocument};
use crate::store::FirestoreStore;

#[derive(Serialize)]
struct Instance<'a> {
    instance: &'a str,
}

impl FirestoreStore {
    /// Adds operations to those that `instance` has saved for a crawl.
    ///
    /// Each process saves what it counted since it last did, under a name of its own.
    pub async fn save_operations(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        instance: &str,
        operations: Operations,
    ) -> Result<(), StoreError> {
        let name = self.paths.operations(site, crawl, instance);
        let document = documents::write(name, &Instance { instance: &documents::cut(instance, 1_000) })?;
        let Operations { reads, writes, deletes, messages, stored_bytes, busy_ms } = operations;
        let amounts = [
            ("reads", reads),
            ("writes", writes),
            ("deletes", deletes),
            ("messages", messages),
            ("stored_bytes", stored_bytes),
            ("busy_ms", busy_ms),
        ];
        Ok(self.client.commit(vec![increase(document, &["instance"], amounts)]).await?)
    }

    pub(crate) async fn read_operations(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Option<Operations>, StoreError> {
        let saved = self.client.query(&self.paths.crawl(site, crawl), Query::of("operations")).await?;
        let mut sum = None;
        for document in &saved {
            let operations = Operations::from(documents::read::<OperationsDocument>(document)?);
            sum = Some(sum.unwrap_or_default() + operations);
        }
        Ok(sum)
    }
}
