//! Writing of records with their contents.

use firestore::gcloud_sdk::google::firestore::v1::{Document, Write};
use object_store::ObjectStoreExt;
use recrawl_core::model::content::Content;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{Recorded, StoreError};
use recrawl_core::url::PageUrl;
use serde::Deserialize;

use crate::client::{BATCH, Failure, also_append, create, gather, lower, replace, touch};
use crate::contents::packing::{Packed, text_document};
use crate::documents::{
    self, BODY_FIELDS, FOUND_FIELDS, MEANINGS, OUTLINE_FIELDS, PageDocument, TEXT_FIELDS, USED_BY,
};
use crate::paths::Paths;
use crate::store::FirestoreStore;

/// How often page and content are written anew because others write them too.
const ATTEMPTS: usize = 20;
/// How many documents of links are written in one commit: the emulator takes 4 MiB, the service 10.
const LINK_DOCUMENTS: usize = 3;

/// The field of a content that says when it was last named.
const NAMED_AT: &str = "named_at";

/// What a record brings to a content that is stored already.
#[derive(Debug, Deserialize)]
struct StoredContent {
    semantic_hash: String,
    has_body: bool,
}

impl StoredContent {
    const FIELDS: [&str; 2] = ["semantic_hash", "has_body"];
}

impl FirestoreStore {
    /// Writes a record and its content in one commit.
    ///
    /// Nothing is read before: nearly always both are new. Only if one is there already it is found out which.
    pub(crate) async fn write_record(
        &self,
        record: &PageRecord,
        content: Option<&Content>,
    ) -> Result<Recorded, StoreError> {
        self.expect_crawl(&record.site, record.crawl).await?;
        // Before and after: a scan that goes on meanwhile may miss the page, or one that begins meanwhile.
        self.last_scan.begin_record(&record.site, record.crawl);
        let recorded = match content {
            None => match self.client.commit(vec![self.page_write(record)?]).await {
                Ok(()) => Ok(Recorded::First),
                Err(Failure::Exists) => Ok(Recorded::Already),
                Err(failure) => Err(failure.into()),
            },
            Some(content) => self.write_with_content(record, content).await,
        };
        self.last_scan.end_record(record);
        recorded
    }

    fn page_write(&self, record: &PageRecord) -> Result<Write, StoreError> {
        let name = self.paths.page(&record.site, record.crawl, &record.url);
        let content = record.known.content.as_ref();
        let content = content.map(|content| self.paths.content(&record.site, &content.hash));
        Ok(create(documents::write(name, &PageDocument::new(record, content)?)?))
    }

    async fn write_with_content(
        &self,
        record: &PageRecord,
        content: &Content,
    ) -> Result<Recorded, StoreError> {
        let bucket = self.bodies.as_ref().map(|_| self.bucket_use);
        let mut packed = Packed::new(content, record.visit.fetched_at, bucket);
        let _turn = self.locks.wait(&content.hash).await;
        self.write_aside(&record.site, content, &mut packed).await?;
        let page = self.page_write(record)?;
        let name = self.paths.content(&record.site, &content.hash);
        let document = documents::write(name.clone(), &packed.document)?;
        let page_name = self.paths.page(&record.site, record.crawl, &record.url);
        let mut stored: Option<StoredContent> = None;
        for _ in 0..ATTEMPTS {
            let written = match &stored {
                None => self.client.commit(vec![page.clone(), create(document.clone())]).await,
                Some(stored) => self.commit_beside(&record.site, content, stored, &page, &document).await,
            };
            match written {
                Ok(()) => return Ok(Recorded::First),
                Err(Failure::Exists | Failure::Missing) => {}
                Err(failure) => return Err(failure.into()),
            }
            let names = vec![page_name.clone(), name.clone()];
            let found = self.client.get_all(names, &StoredContent::FIELDS).await?;
            if found.contains_key(&page_name) {
                return Ok(Recorded::Already);
            }
            stored = found.get(&name).map(documents::read).transpose()?;
        }
        Err(StoreError::Unavailable("page and content are being written by many others".into()))
    }

    /// Writes what a content has outside its document: too many links, a body that is too long.
    async fn write_aside(
        &self,
        site: &SiteId,
        content: &Content,
        packed: &mut Packed,
    ) -> Result<(), StoreError> {
        if let (Some(body), Some(bucket)) = (packed.for_bucket.take(), &self.bodies) {
            let path = Paths::body(site, &content.hash);
            let putting = tokio::time::timeout(self.time_out, bucket.put(&path, body.into())).await;
            putting
                .map_err(|error| StoreError::Unavailable(error.into()))?
                .map_err(|error| StoreError::Unavailable(error.into()))?;
        }
        let name = self.paths.content(site, &content.hash);
        for documents in packed.links.chunks(LINK_DOCUMENTS) {
            let write = |(id, links)| Ok(replace(documents::write(format!("{name}/links/{id}"), links)?));
            let writes = documents.iter().map(|(id, links)| write((id, links)));
            self.client.commit(writes.collect::<Result<_, StoreError>>()?).await?;
        }
        Ok(())
    }

    /// Writes a record whose content is stored.
    ///
    /// The content is touched, so that it is there when the record is, and whoever wants to delete it sees
    /// that it is named.
    async fn commit_beside(
        &self,
        site: &SiteId,
        content: &Content,
        stored: &StoredContent,
        page: &Write,
        document: &Document,
    ) -> Result<(), Failure> {
        let mut rest = vec![page.clone()];
        let semantic = &content.extracted.semantic;
        let gains_meaning =
            stored.semantic_hash != semantic.to_string() && !content.extracted.text.is_empty();
        if gains_meaning {
            let text =
                documents::write(self.paths.text(site, semantic), &text_document(&content.extracted.text))?;
            rest.push(gather(text, &TEXT_FIELDS, USED_BY, content.hash.to_string()));
        }
        let touched = |fields: &[&str], written: &[&str]| {
            let touched = touch(only(document, fields), written, NAMED_AT);
            if gains_meaning { also_append(touched, MEANINGS, semantic.to_string()) } else { touched }
        };
        let outline: &[&str] = if content.extracted.outline.is_some() { &OUTLINE_FIELDS } else { &[] };
        let with_body = [&BODY_FIELDS, outline].concat();
        let gains_body = content.body.is_some() && !stored.has_body;
        let attempts = gains_body.then_some(with_body.as_slice()).into_iter().chain([outline]);
        for fields in attempts {
            match self.client.commit([rest.as_slice(), &[touched(fields, fields)]].concat()).await {
                // The stored document is longer than this one would be: not all of it fits after all.
                Err(Failure::Refused(_)) => {}
                written => return written,
            }
        }
        // An outline that is not the newest would be wrong.
        rest.push(touched(&[], outline));
        self.client.commit(rest).await
    }

    /// Lowers the depth in those records that name a greater one; others cost a read and no write.
    pub(crate) async fn write_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        for pages in pages.chunks(BATCH) {
            let names = pages.iter().map(|page| self.paths.page(site, crawl, page)).collect();
            let mut deeper = Vec::new();
            for (name, document) in self.client.get_all(names, &FOUND_FIELDS).await? {
                if PageDocument::read_found(&document)?.depth > depth {
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

/// Returns a document with these of its fields.
fn only(document: &Document, fields: &[&str]) -> Document {
    let kept = document.fields.iter().filter(|(name, _)| fields.contains(&name.as_str()));
    let fields = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    Document { name: document.name.clone(), fields, ..Document::default() }
}
