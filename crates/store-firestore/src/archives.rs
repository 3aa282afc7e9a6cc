//! What becomes of archive requests.

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{ArchiveStore, StoreError};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::client::{Failure, Query, merge};
use crate::documents::{self, ArchiveMap, time_value};
use crate::records::pages::record_of;
use crate::store::FirestoreStore;

#[derive(Serialize)]
struct OnlyArchive {
    archive: ArchiveMap,
}

#[async_trait]
impl ArchiveStore for FirestoreStore {
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError> {
        let page = OnlyArchive { archive: ArchiveMap::from(archive) };
        let document = documents::write(self.paths.page(site, crawl, url), &page)?;
        match self.client.commit(vec![merge(document, &["archive"], None)]).await {
            Err(Failure::Missing) => Err(StoreError::Absent(format!("record of {url} in {crawl}"))),
            saved => Ok(saved?),
        }
    }

    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let due = "archive.due_at";
        let query = Query::of(crawl.to_string()).at_most(due, time_value(now)).ascending(due).limit(limit);
        let found = self.client.query(&self.paths.base(site), query).await?;
        let records = found.iter().map(|document| record_of(document, site, crawl));
        let mut records: Vec<PageRecord> = records.collect::<Result<_, _>>()?;
        records.sort_by_key(|record| record.archive.as_ref().map(|archive| archive.requested_at));
        Ok(records)
    }
}
