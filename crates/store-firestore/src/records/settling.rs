//! What settling makes of records.

use std::collections::HashSet;

use firestore::gcloud_sdk::google::firestore::v1::Write;
use firestore::gcloud_sdk::google::firestore::v1::write::Operation;
use firestore::gcloud_sdk::prost::Message;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Found, PageRecord};
use recrawl_core::ports::StoreError;

use crate::client::{Failure, merge};
use crate::documents::{self, FORMER_FIELDS, FOUND_FIELDS, PageDocument, SETTLED_FIELDS};
use crate::store::FirestoreStore;

/// How many documents are written in one commit, and how many bytes: the emulator takes 4 MiB, the service 10.
const COMMIT: usize = 400;
const COMMIT_BYTES: usize = 3 << 20;

impl FirestoreStore {
    /// Writes over records. Of those that are there, only how they were found is read: it stays.
    pub(crate) async fn write_settled(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        records: &[PageRecord],
    ) -> Result<(), StoreError> {
        for records in records.chunks(COMMIT) {
            let names = records.iter().map(|record| self.paths.page(site, crawl, &record.url)).collect();
            let there = self.client.get_all(names, &FOUND_FIELDS).await?;
            let mut writes = Vec::new();
            let mut bytes = 0;
            for record in records {
                let Some(stored) = there.get(&self.paths.page(site, crawl, &record.url)) else { continue };
                let write = self.settled_write(site, crawl, record, PageDocument::read_found(stored)?)?;
                let length = write.encoded_len();
                if !writes.is_empty() && bytes + length > COMMIT_BYTES {
                    self.commit_settled(std::mem::take(&mut writes)).await?;
                    bytes = 0;
                }
                bytes += length;
                writes.push(write);
            }
            if !writes.is_empty() {
                self.commit_settled(writes).await?;
            }
        }
        self.last_scan.settle((site, crawl), records);
        Ok(())
    }

    fn settled_write(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        record: &PageRecord,
        found: Found,
    ) -> Result<Write, StoreError> {
        let content = record.known.content.as_ref();
        let content = content.map(|content| self.paths.content(site, &content.hash));
        let page = PageDocument::new(&PageRecord { found, ..record.clone() }, content)?;
        let mut document = documents::write(self.paths.page(site, crawl, &record.url), &page)?;
        document.fields.retain(|name, _| SETTLED_FIELDS.contains(&name.as_str()));
        // A page that an earlier version recorded becomes one of this version.
        Ok(merge(document, &[&SETTLED_FIELDS[..], &FORMER_FIELDS].concat(), None))
    }

    /// Writes all, or where some have no record, the others.
    async fn commit_settled(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        match self.client.commit(writes.clone()).await {
            Err(Failure::Missing) => {}
            written => return Ok(written?),
        }
        let names: HashSet<String> = writes.iter().filter_map(name).map(str::to_owned).collect();
        let there = self.client.get_all(names.into_iter().collect(), &["url"]).await?;
        let is_there = |write: &Write| name(write).is_some_and(|name| there.contains_key(name));
        let writes: Vec<Write> = writes.into_iter().filter(is_there).collect();
        if writes.is_empty() { Ok(()) } else { Ok(self.client.commit(writes).await?) }
    }
}

fn name(write: &Write) -> Option<&str> {
    match &write.operation {
        Some(Operation::Update(document)) => Some(&document.name),
        _ => None,
    }
}
