//! Forgetting of old crawls.

use std::collections::HashSet;

use async_trait::async_trait;
use firestore::FirestoreReference;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::{Document, Write};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStoreExt;
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::ports::{Deletion, Recorded, Retention, StateKey, StoreError};
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};

use crate::client::{Failure, Query, delete, merge};
use crate::documents::{self, CrawlDocument, MEANINGS, USED_BY, unreadable};
use crate::paths::{Paths, id};
use crate::records::shared_changes;
use crate::store::FirestoreStore;
use crate::stumbles;

/// How many records go at a time; their contents take as many deletions again.
const CHUNK: usize = 150;
/// How many documents are deleted in one commit.
const COMMIT: usize = 400;
/// How many contents are looked up at once.
const CONCURRENT: usize = 8;

/// How often a content is looked at anew because a text that it shares was changed meanwhile.
const ATTEMPTS: usize = 5;

/// The content that a record names, which may have to go with it.
#[derive(Debug, Deserialize)]
struct Naming {
    #[serde(default)]
    content: Option<FirestoreReference>,
}

impl Naming {
    const FIELDS: [&str; 1] = ["content"];
}

/// A text of its own, with the contents that gained its meaning.
#[derive(Debug, Serialize, Deserialize)]
struct SharedText {
    #[serde(default)]
    used_by: Vec<String>,
}

/// Records that are about to be deleted.
struct Going {
    crawl: CrawlId,
    names: HashSet<String>,
}

/// What a content has outside its document.
#[derive(Debug, Deserialize)]
struct Aside {
    #[serde(default)]
    more_links: Vec<String>,
    #[serde(default)]
    body_in_bucket: bool,
    /// Meanings that it gained, whose texts are elsewhere. Those of earlier versions are not known: their texts stay.
    #[serde(default)]
    meanings: Vec<String>,
}

impl Aside {
    const FIELDS: [&str; 3] = ["more_links", "body_in_bucket", MEANINGS];
}

#[async_trait]
impl Retention for FirestoreStore {
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError> {
        let Some(stored) = self.closed_crawl(site, crawl).await? else {
            return Ok(Deletion { deleted: 0, finished: true });
        };
        let mut others = self.next_first(site, crawl).await?;
        others.retain(|other| *other != crawl);
        self.process_cache.forget_crawls(site);
        let mut deleted = 0;
        while deleted < limit {
            let rest = usize::try_from(limit - deleted).unwrap_or(CHUNK).min(CHUNK);
            let query = Query::of(crawl.to_string()).fields(&Naming::FIELDS).limit(rest);
            let records = self.client.query(&self.paths.base(site), query).await?;
            if records.is_empty() {
                self.delete_crawl_itself(site, crawl, stored.rolls.unwrap_or(0)).await?;
                return Ok(Deletion { deleted, finished: true });
            }
            let going = Going { crawl, names: HashSet::new() };
            deleted += self.delete_documents(site, records, &others, going).await?;
        }
        Ok(Deletion { deleted, finished: false })
    }

    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
    ) -> Result<Deletion, StoreError> {
        if self.closed_crawl(site, crawl).await?.is_none() {
            return Ok(Deletion { deleted: 0, finished: true });
        }
        // Other pages of this crawl may name the same contents, too.
        let crawls = self.next_first(site, crawl).await?;
        let mut deleted = 0;
        for pages in pages.chunks(CHUNK) {
            let names = pages.iter().map(|url| self.paths.page(site, crawl, url)).collect();
            let records = self.client.get_all(names, &Naming::FIELDS).await?;
            let names = records.keys().cloned().collect();
            let records = records.into_values().collect();
            deleted += self.delete_documents(site, records, &crawls, Going { crawl, names }).await?;
        }
        Ok(Deletion { deleted, finished: true })
    }

    async fn forget_site(&self, site: &SiteId) -> Result<(), StoreError> {
        let crawl = Query::of("crawls").fields(&[]).limit(1);
        if !self.client.query(&self.paths.base(site), crawl).await?.is_empty() {
            return Ok(());
        }
        self.clear(site).await?;
        self.process_cache.forget_crawls(site);
        Ok(self.client.commit(vec![delete(self.paths.site(site), None)]).await?)
    }

    async fn rename_site(&self, site: &SiteId, to: &SiteId) -> Result<Recorded, StoreError> {
        self.rename(site, to).await
    }

    async fn size(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    async fn reclaim(&self) -> Result<(), StoreError> {
        // The service does that by itself.
        Ok(())
    }
}

impl FirestoreStore {
    /// Returns the crawls of a site from this one on, and then those before it: the next ones are the most likely to
    /// name the same contents.
    async fn next_first(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<CrawlId>, StoreError> {
        let mut crawls = self.crawl_ids(site).await?;
        crawls.reverse();
        let place = crawls.iter().position(|other| *other == crawl).unwrap_or(0);
        crawls.rotate_left(place);
        Ok(crawls)
    }

    /// Returns a crawl that is there, if it is closed.
    async fn closed_crawl(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<CrawlDocument>, StoreError> {
        let Some(document) = self.client.get(&self.paths.crawl(site, crawl), &[]).await? else {
            return Ok(None);
        };
        let stored: CrawlDocument = documents::read(&document)?;
        match stored.closed_at {
            Some(_) => Ok(Some(stored)),
            None => Err(StoreError::Absent(format!("closed {crawl} of site {site}"))),
        }
    }

    /// Deletes records, their contents first where nobody else in `crawls` names them: what dies here leaves
    /// a record that the next call finds, and no content that nobody finds.
    async fn delete_documents(
        &self,
        site: &SiteId,
        records: Vec<Document>,
        crawls: &[CrawlId],
        going: Going,
    ) -> Result<u64, StoreError> {
        let mut named: HashSet<ContentHash> = HashSet::new();
        for record in &records {
            if let Some(content) = documents::read::<Naming>(record)?.content {
                named.insert(id(content.as_str()).parse().map_err(unreadable)?);
            }
        }
        let contents = stream::iter(named).map(|content| self.delete_content(site, content, crawls, &going));
        let contents: Vec<u64> = contents.buffer_unordered(CONCURRENT).try_collect().await?;
        let deletes: Vec<_> = records.iter().map(|record| delete(record.name.clone(), None)).collect();
        for deletes in deletes.chunks(COMMIT) {
            self.client.commit(deletes.to_vec()).await?;
        }
        Ok(records.len() as u64 + contents.into_iter().sum::<u64>())
    }

    /// Deletes a content that no other record names; returns how many contents that were.
    async fn delete_content(
        &self,
        site: &SiteId,
        content: ContentHash,
        crawls: &[CrawlId],
        going: &Going,
    ) -> Result<u64, StoreError> {
        let name = self.paths.content(site, &content);
        let reference = ValueType::ReferenceValue(name.clone());
        let (next, _) = crawls.split_at(crawls.len().min(1));
        if self.is_named(site, next, going, &reference).await? {
            return Ok(0);
        }
        for _ in 0..ATTEMPTS {
            // Read before the others are asked: a record that names it meanwhile touches it.
            let Some(document) = self.client.get(&name, &Aside::FIELDS).await? else {
                return Ok(0);
            };
            if self.is_named(site, crawls, going, &reference).await? {
                return Ok(0);
            }
            let aside: Aside = documents::read(&document)?;
            let shares_texts = !aside.meanings.is_empty();
            let deleted = self.delete_aside(site, content, document, aside).await?;
            // Another content of the same meaning may have gone meanwhile, and changed the text of both.
            if deleted || !shares_texts {
                return Ok(u64::from(deleted));
            }
        }
        Ok(0)
    }

    /// Deletes a content with all that it has elsewhere, unless it was changed meanwhile.
    async fn delete_aside(
        &self,
        site: &SiteId,
        content: ContentHash,
        Document { name, update_time, .. }: Document,
        aside: Aside,
    ) -> Result<bool, StoreError> {
        let links = aside.more_links.iter().map(|id| delete(format!("{name}/links/{id}"), None));
        let texts = self.leave_texts(site, content, &aside.meanings).await?;
        let deletes = links.chain([delete(name.clone(), update_time)]).chain(texts).collect();
        // Until the bucket has forgotten the body, so that it does not take one that was put there anew.
        let _turn = self.locks.wait(&content).await;
        match self.client.commit(deletes).await {
            Ok(()) => {}
            Err(Failure::Changed | Failure::Missing) => return Ok(false),
            Err(failure) => return Err(failure.into()),
        }
        if let (true, Some(bucket)) = (aside.body_in_bucket, &self.bodies) {
            match bucket.delete(&Paths::body(site, &content)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(StoreError::Unavailable(error.into())),
            }
        }
        Ok(true)
    }

    /// Returns how a content that goes leaves the texts of meanings that it gained: with the last one a text goes.
    async fn leave_texts(
        &self,
        site: &SiteId,
        content: ContentHash,
        meanings: &[String],
    ) -> Result<Vec<Write>, StoreError> {
        let content = content.to_string();
        let mut writes = Vec::new();
        for meaning in meanings {
            let name = self.paths.text(site, &meaning.parse().map_err(unreadable)?);
            let Some(document) = self.client.get(&name, &[USED_BY]).await? else { continue };
            let SharedText { mut used_by } = documents::read(&document)?;
            used_by.retain(|other| *other != content);
            writes.push(if used_by.is_empty() {
                delete(name, document.update_time)
            } else {
                let left = documents::write(name, &SharedText { used_by })?;
                merge(left, &[USED_BY], document.update_time)
            });
        }
        Ok(writes)
    }

    /// Tells whether a record of one of these crawls that stays names this content.
    async fn is_named(
        &self,
        site: &SiteId,
        crawls: &[CrawlId],
        going: &Going,
        content: &ValueType,
    ) -> Result<bool, StoreError> {
        for crawl in crawls {
            let enough = if *crawl == going.crawl { going.names.len() + 1 } else { 1 };
            let query =
                Query::of(crawl.to_string()).equal("content", content.clone()).fields(&[]).limit(enough);
            let found = self.client.query(&self.paths.base(site), query).await?;
            if found.iter().any(|record| !going.names.contains(&record.name)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn delete_crawl_itself(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        rolls: usize,
    ) -> Result<(), StoreError> {
        let name = self.paths.crawl(site, crawl);
        let operations = self.client.query(&name, Query::of("operations").fields(&[])).await?;
        let stumbles = self.client.query(&name, Query::of(stumbles::COLLECTION).fields(&[])).await?;
        let shared = self.client.query(&name, Query::of(shared_changes::COLLECTION).fields(&[])).await?;
        let named = operations.into_iter().chain(stumbles).chain(shared).map(|document| document.name);
        let rolls = (0..rolls).map(|number| self.paths.page_index(site, crawl, number));
        let review = self.paths.state(&StateKey::review(site, crawl));
        let below: Vec<_> = named.chain(rolls).chain([review]).map(|name| delete(name, None)).collect();
        for deletes in below.chunks(COMMIT) {
            self.client.commit(deletes.to_vec()).await?;
        }
        Ok(self.client.commit(vec![delete(name, None)]).await?)
    }
}
