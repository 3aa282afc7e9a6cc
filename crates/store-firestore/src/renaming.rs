//! Another name for a site.
//!
//! The name of a site is part of the names of its documents, so they are copied: everything first, then the site changes
//! its name in one commit, and then the old documents go. What dies before that commit leaves the site under its old name,
//! what dies after it leaves documents that nobody finds, until a site of the old name is forgotten or a site gets that name.

use std::collections::BTreeSet;

use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::{Document, Value, Write};
use object_store::ObjectStoreExt;
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::ports::{Recorded, StoreError};

use crate::client::{Failure, Query, create, delete, replace};
use crate::documents::unreadable;
use crate::paths::{Paths, id};
use crate::records::shared_changes;
use crate::store::{FirestoreStore, no_site};
use crate::stumbles;

/// How many documents are read at a time, and written or deleted in one commit.
const CHUNK: usize = 100;
/// How many bytes of documents one commit has, well below the 10 MiB that Firestore takes.
const BYTES: usize = 4_000_000;
/// How many crawls change their name together with their site: a commit takes 500 documents.
const TOGETHER: usize = 400;
/// The collections below a crawl.
const OF_CRAWL: [&str; 4] = ["operations", stumbles::COLLECTION, shared_changes::COLLECTION, "roll"];

/// A site on its way from one place to another.
struct Move<'a> {
    site: &'a SiteId,
    to: &'a SiteId,
    from_base: String,
    to_base: String,
}

impl FirestoreStore {
    pub(crate) async fn rename(&self, site: &SiteId, to: &SiteId) -> Result<Recorded, StoreError> {
        let document = self.client.get(&self.paths.site(site), &[]).await?.ok_or_else(|| no_site(site))?;
        if self.read_open_crawl(site).await?.is_some() {
            return Err(under_way(site));
        }
        if self.client.get(&self.paths.site(to), &[]).await?.is_some() {
            return Ok(Recorded::Already);
        }
        // What a call that died, or a site of that name, left behind would come to light.
        self.clear(to).await?;
        let going = Move { site, to, from_base: self.paths.base(site), to_base: self.paths.base(to) };
        let crawls: BTreeSet<String> = self.crawl_ids(site).await?.iter().map(CrawlId::to_string).collect();
        self.copy_all(&going, &crawls).await?;
        let switched = self.switch(&going, document, crawls).await?;
        self.process_cache.forget_crawls(site);
        self.process_cache.forget_crawls(to);
        if switched == Recorded::First {
            self.clear(site).await?;
        }
        Ok(switched)
    }

    /// Copies what a site has, what is named by others before those.
    async fn copy_all(&self, going: &Move<'_>, crawls: &BTreeSet<String>) -> Result<(), StoreError> {
        for name in self.copy(going, &going.from_base, "content").await? {
            self.copy(going, &name, "links").await?;
        }
        self.copy(going, &going.from_base, "texts").await?;
        for crawl in crawls {
            self.copy(going, &going.from_base, crawl).await?;
            let above = format!("{}/crawls/{crawl}", going.from_base);
            for collection in OF_CRAWL {
                self.copy(going, &above, collection).await?;
            }
        }
        self.copy(going, &going.from_base, "crawls").await.map(drop)
    }

    /// Copies a collection below `parent`; returns the names of documents that have further ones below them.
    async fn copy(
        &self,
        going: &Move<'_>,
        parent: &str,
        collection: &str,
    ) -> Result<Vec<String>, StoreError> {
        let (mut last, mut with_links) = (None, Vec::new());
        loop {
            let query = Query::of(collection).after(last).limit(CHUNK);
            let found = self.client.query(parent, query).await?;
            let Some(document) = found.last() else { return Ok(with_links) };
            last = Some(document.name.clone());
            let (mut writes, mut bytes) = (Vec::new(), 0);
            for document in found {
                if has(&document, "more_links") {
                    with_links.push(document.name.clone());
                }
                if has(&document, "body_in_bucket") {
                    self.copy_body(going, &document.name).await?;
                }
                let size = weight(&document);
                if bytes + size > BYTES && !writes.is_empty() {
                    self.client.commit(std::mem::take(&mut writes)).await?;
                    bytes = 0;
                }
                bytes += size;
                writes.push(replace(going.moved(document)));
            }
            self.client.commit(writes).await?;
        }
    }

    async fn copy_body(&self, going: &Move<'_>, content: &str) -> Result<(), StoreError> {
        let Some(bucket) = &self.bodies else { return Ok(()) };
        let hash: ContentHash = id(content).parse().map_err(unreadable)?;
        let (from, to) = (Paths::body(going.site, &hash), Paths::body(going.to, &hash));
        match bucket.copy(&from, &to).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(StoreError::Unavailable(error.into())),
        }
    }

    /// Lets the copies be the site, unless it was crawled, or the name taken, while they were made.
    async fn switch(
        &self,
        going: &Move<'_>,
        site: Document,
        copied: BTreeSet<String>,
    ) -> Result<Recorded, StoreError> {
        let transaction = self.client.begin().await?;
        let crawls = Query::of("crawls").fields(&["closed_at"]);
        let crawls = match self.client.query_in(&transaction, &going.from_base, crawls).await {
            Ok(crawls) => crawls,
            Err(failure) => {
                self.client.roll_back(transaction).await;
                return Err(failure.into());
            }
        };
        let now: BTreeSet<String> = crawls.iter().map(|crawl| id(&crawl.name).to_owned()).collect();
        if now != copied {
            self.client.roll_back(transaction).await;
            return Err(under_way(going.site));
        }
        let renamed = Document { name: self.paths.site(going.to), ..site.clone() };
        let deletes = crawls.into_iter().take(TOGETHER).map(|crawl| delete(crawl.name, None));
        let writes: Vec<Write> =
            [create(without_times(renamed)), delete(site.name, None)].into_iter().chain(deletes).collect();
        match self.client.commit_in(transaction, writes).await {
            Ok(()) => Ok(Recorded::First),
            Err(Failure::Exists) => Ok(Recorded::Already),
            Err(Failure::Changed) => Err(under_way(going.site)),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Deletes all documents of a name that is no site's, other than that of the site.
    pub(crate) async fn clear(&self, site: &SiteId) -> Result<(), StoreError> {
        let base = self.paths.base(site);
        let collections = self.client.collections(&base).await?;
        let named = self.client.query(&base, Query::of("crawls").fields(&[])).await?;
        let mut crawls: BTreeSet<String> = named.iter().map(|crawl| id(&crawl.name).to_owned()).collect();
        self.delete_all(site, &base, "crawls").await?;
        crawls.extend(collections.into_iter().filter(|name| name.parse::<CrawlId>().is_ok()));
        for crawl in &crawls {
            self.delete_all(site, &base, crawl).await?;
            for collection in OF_CRAWL {
                self.delete_all(site, &format!("{base}/crawls/{crawl}"), collection).await?;
            }
        }
        self.delete_all(site, &base, "texts").await?;
        self.delete_all(site, &base, "content").await
    }

    async fn delete_all(&self, site: &SiteId, parent: &str, collection: &str) -> Result<(), StoreError> {
        loop {
            let fields = ["more_links", "body_in_bucket"];
            let found = self.client.query(parent, Query::of(collection).fields(&fields).limit(CHUNK)).await?;
            if found.is_empty() {
                return Ok(());
            }
            for document in &found {
                if has(document, "more_links") {
                    // As deep as documents go.
                    let links = Query::of("links").fields(&[]);
                    let links = self.client.query(&document.name, links).await?;
                    let deletes = links.into_iter().map(|links| delete(links.name, None));
                    self.client.commit(deletes.collect()).await?;
                }
                if let (true, Some(bucket)) = (has(document, "body_in_bucket"), &self.bodies) {
                    let hash: ContentHash = id(&document.name).parse().map_err(unreadable)?;
                    match bucket.delete(&Paths::body(site, &hash)).await {
                        Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                        Err(error) => return Err(StoreError::Unavailable(error.into())),
                    }
                }
            }
            self.client.commit(found.into_iter().map(|found| delete(found.name, None)).collect()).await?;
        }
    }
}

impl Move<'_> {
    /// Returns a document as it is at the new place: what it names is there, too.
    fn moved(&self, document: Document) -> Document {
        let mut document = without_times(document);
        document.name = self.place(&document.name);
        for (field, value) in &mut document.fields {
            match &mut value.value_type {
                Some(ValueType::ReferenceValue(name)) => *name = self.place(name),
                Some(ValueType::StringValue(text)) if field == "site" && text == self.site.as_str() => {
                    self.to.as_str().clone_into(text);
                }
                _ => {}
            }
        }
        document
    }

    fn place(&self, name: &str) -> String {
        let rest = name.strip_prefix(&self.from_base);
        rest.map_or_else(|| name.to_owned(), |rest| format!("{}{rest}", self.to_base))
    }
}

fn without_times(document: Document) -> Document {
    Document { create_time: None, update_time: None, ..document }
}

/// Tells whether a field is there that is neither empty nor false.
fn has(document: &Document, field: &str) -> bool {
    match document.fields.get(field).and_then(|value| value.value_type.as_ref()) {
        Some(ValueType::BooleanValue(is_set)) => *is_set,
        Some(ValueType::ArrayValue(list)) => !list.values.is_empty(),
        _ => false,
    }
}

/// Returns roughly how many bytes a document has.
fn weight(document: &Document) -> usize {
    let fields = document.fields.iter().map(|(name, value)| name.len() + size(value));
    document.name.len() + fields.sum::<usize>()
}

fn size(value: &Value) -> usize {
    match &value.value_type {
        Some(ValueType::StringValue(text) | ValueType::ReferenceValue(text)) => text.len() + 8,
        Some(ValueType::BytesValue(bytes)) => bytes.len() + 8,
        Some(ValueType::ArrayValue(list)) => list.values.iter().map(size).sum(),
        Some(ValueType::MapValue(map)) => {
            map.fields.iter().map(|(name, value)| name.len() + size(value)).sum()
        }
        _ => 16,
    }
}

fn under_way(site: &SiteId) -> StoreError {
    StoreError::Absent(format!("site {site} without an open crawl"))
}
