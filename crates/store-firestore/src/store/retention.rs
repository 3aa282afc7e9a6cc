//! Forgetting of old crawls.

use std::collections::HashSet;

use async_trait::async_trait;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStoreExt;
use recrawl_core::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::ports::{Deletion, Retention, StoreError};
use serde::Deserialize;

use super::FirestoreStore;
use crate::client::{Failure, Mark, Query, delete};
use crate::paths::{Paths, id};
use crate::shape::{self, CrawlDocument, unreadable};

/// How many records go at a time; their contents take as many deletions again.
const CHUNK: usize = 150;
/// How many documents are deleted in one commit.
const COMMIT: usize = 400;
/// How many contents are looked up at once.
const CONCURRENT: usize = 8;

/// What a record names that may have to go with it.
#[derive(Debug, Clone, Hash, PartialEq, Eq)]
struct Named {
    content: ContentHash,
    semantic: SemanticHash,
}

/// What a content has outside its document.
#[derive(Debug, Deserialize)]
struct Aside {
    semantic_hash: String,
    #[serde(default)]
    more_links: Vec<String>,
    #[serde(default)]
    body_in_bucket: bool,
}

impl Aside {
    const FIELDS: [&str; 3] = ["semantic_hash", "more_links", "body_in_bucket"];
}

/// The fields of a record that name other documents.
#[derive(Debug, Deserialize)]
struct Names {
    #[serde(default)]
    content: Option<firestore::FirestoreReference>,
    #[serde(default)]
    semantic_hash: Option<String>,
}

#[async_trait]
impl Retention for FirestoreStore {
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError> {
        let name = self.paths.crawl(site, crawl);
        let Some(document) = self.client.get(&name, &[]).await? else {
            return Ok(Deletion { deleted: 0, finished: true });
        };
        let stored: CrawlDocument = shape::read(&document)?;
        if stored.closed_at.is_none() {
            return Err(StoreError::Absent(format!("closed {crawl} of site {site}")));
        }
        let mut others = self.crawl_ids(site).await?;
        others.retain(|other| *other != crawl);
        // The next one is the most likely to name the same contents.
        others.sort_unstable_by_key(|other| (*other < crawl, *other));
        self.remembered.forget_crawls(site);
        let mut deleted = 0;
        while deleted < limit {
            let rest = usize::try_from(limit - deleted).unwrap_or(CHUNK).min(CHUNK);
            match self.delete_records(site, crawl, &others, rest).await? {
                0 => {
                    self.delete_crawl_itself(site, crawl, stored.rolls.unwrap_or(0)).await?;
                    return Ok(Deletion { deleted, finished: true });
                }
                some => deleted += some,
            }
        }
        Ok(Deletion { deleted, finished: false })
    }
}

impl FirestoreStore {
    /// Deletes up to `limit` records, their contents first: what dies here leaves a record that the next
    /// call finds, and no content that nobody finds.
    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        others: &[CrawlId],
        limit: usize,
    ) -> Result<u64, StoreError> {
        let query = Query::of(crawl.to_string()).fields(&["content", "semantic_hash"]).limit(limit);
        let records = self.client.query(&self.paths.base(site), query).await?;
        let mut named = HashSet::new();
        for record in &records {
            if let Names { content: Some(content), semantic_hash: Some(semantic) } = shape::read(record)? {
                named.insert(Named {
                    content: id(content.as_str()).parse().map_err(unreadable)?,
                    semantic: semantic.parse().map_err(unreadable)?,
                });
            }
        }
        let contents = stream::iter(named).map(|named| self.delete_content(site, named, others));
        let contents: Vec<u64> = contents.buffer_unordered(CONCURRENT).try_collect().await?;
        let deletes: Vec<_> = records.iter().map(|record| delete(record.name.clone(), None)).collect();
        for deletes in deletes.chunks(COMMIT) {
            self.client.commit(deletes.to_vec()).await?;
        }
        Ok(records.len() as u64 + contents.into_iter().sum::<u64>())
    }

    /// Deletes a content that no other crawl names; returns how many contents that were.
    async fn delete_content(
        &self,
        site: &SiteId,
        named: Named,
        others: &[CrawlId],
    ) -> Result<u64, StoreError> {
        let name = self.paths.content(site, &named.content);
        let reference = ValueType::ReferenceValue(name.clone());
        let (next, _) = others.split_at(others.len().min(1));
        if self.is_named(site, next, "content", &reference).await? {
            return Ok(0);
        }
        // Read before the others are asked: a record that names it meanwhile touches it.
        let Some(document) = self.client.get(&name, &Aside::FIELDS).await? else {
            return Ok(0);
        };
        if self.is_named(site, others, "content", &reference).await? {
            return Ok(0);
        }
        let aside: Aside = shape::read(&document)?;
        self.delete_text(site, &named.semantic, &aside, others).await?;
        self.delete_aside(site, named.content, &name, aside, document.update_time).await
    }

    async fn delete_aside(
        &self,
        site: &SiteId,
        content: ContentHash,
        name: &str,
        aside: Aside,
        unchanged_since: Mark,
    ) -> Result<u64, StoreError> {
        let links = aside.more_links.iter().map(|id| delete(format!("{name}/links/{id}"), None));
        let deletes = links.chain([delete(name.to_owned(), unchanged_since)]).collect();
        // Until the bucket has forgotten the body, so that it does not take one that was put there anew.
        let _turn = self.turns.wait(&content).await;
        match self.client.commit(deletes).await {
            Ok(()) => {}
            Err(Failure::Changed | Failure::Missing) => return Ok(0),
            Err(failure) => return Err(failure.into()),
        }
        if let (true, Some(bucket)) = (aside.body_in_bucket, &self.bodies) {
            match bucket.delete(&Paths::body(site, &content)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(StoreError::Unavailable(error.into())),
            }
        }
        Ok(1)
    }

    /// Deletes the text that a content gained by other rules, if nobody else means the same.
    async fn delete_text(
        &self,
        site: &SiteId,
        semantic: &SemanticHash,
        aside: &Aside,
        others: &[CrawlId],
    ) -> Result<(), StoreError> {
        let meaning = semantic.to_string();
        if meaning == aside.semantic_hash
            || self.is_named(site, others, "semantic_hash", &ValueType::StringValue(meaning)).await?
        {
            return Ok(());
        }
        Ok(self.client.commit(vec![delete(self.paths.text(site, semantic), None)]).await?)
    }

    /// Tells whether a record of one of these crawls has this value.
    async fn is_named(
        &self,
        site: &SiteId,
        crawls: &[CrawlId],
        field: &str,
        value: &ValueType,
    ) -> Result<bool, StoreError> {
        for crawl in crawls {
            let query = Query::of(crawl.to_string()).equal(field, value.clone()).fields(&[]).limit(1);
            if !self.client.query(&self.paths.base(site), query).await?.is_empty() {
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
        let operations = operations.into_iter().map(|document| document.name);
        let rolls = (0..rolls).map(|number| self.paths.roll(site, crawl, number));
        let below: Vec<_> = operations.chain(rolls).map(|name| delete(name, None)).collect();
        for deletes in below.chunks(COMMIT) {
            self.client.commit(deletes.to_vec()).await?;
        }
        Ok(self.client.commit(vec![delete(name, None)]).await?)
    }
}
