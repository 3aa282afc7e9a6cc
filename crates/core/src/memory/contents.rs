//! What pages said, in memory, and what people read beside it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{MemoryStore, State, key};
use crate::model::content::{Content, Reading};
use crate::model::counts::Counts;
use crate::model::crawl::{Operations, Site};
use crate::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use crate::model::record::{ContentRef, PageRecord};
use crate::ports::{Contents, History, StoreError};
use crate::url::PageUrl;
use crate::words::short_title;

impl State {
    pub(super) fn store_content(&mut self, content: &Content) {
        let text = &content.extracted.text;
        if !text.is_empty() {
            self.texts.entry(content.extracted.semantic).or_insert_with(|| text.clone());
        }
        match self.contents.entry(content.hash) {
            Entry::Vacant(vacant) => {
                vacant.insert(content.clone());
            }
            Entry::Occupied(mut stored) => {
                let stored = stored.get_mut();
                if stored.body.is_none() {
                    stored.body.clone_from(&content.body);
                }
                if content.extracted.outline.is_some() {
                    stored.extracted.outline.clone_from(&content.extracted.outline);
                }
            }
        }
    }
}

/// Contents of all sites are kept together.
#[async_trait]
impl Contents for MemoryStore {
    async fn links(
        &self,
        _: &SiteId,
        contents: &[ContentHash],
    ) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        let state = self.locked();
        let links = |hash| state.contents.get(hash).map(|content| content.extracted.links.clone());
        Ok(contents.iter().map(links).collect())
    }

    async fn unqueued_links(
        &self,
        _: &SiteId,
        _: CrawlId,
        content: &ContentHash,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        Ok(self.locked().contents.get(content).map(|content| content.extracted.links.clone()))
    }

    async fn text(&self, _: &SiteId, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        Ok(self.locked().texts.get(semantic).cloned())
    }

    async fn readings(
        &self,
        _: &SiteId,
        contents: &[ContentRef],
    ) -> Result<Vec<Option<Reading>>, StoreError> {
        let state = self.locked();
        let reading = |content: &ContentRef| {
            let text = state.texts.get(&content.semantic)?.clone();
            let stored = state.contents.get(&content.hash);
            Some(Reading { text, outline: stored.and_then(|stored| stored.extracted.outline.clone()) })
        };
        Ok(contents.iter().map(reading).collect())
    }

    async fn body(&self, _: &SiteId, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.locked();
        let exact = state.contents.get(&content.hash).and_then(|stored| stored.body.clone());
        let same_meaning = || {
            let mut others =
                state.contents.values().filter(|other| other.extracted.semantic == content.semantic);
            others.find_map(|other| other.body.clone())
        };
        Ok(exact.or_else(same_meaning))
    }
}

#[async_trait]
impl History for MemoryStore {
    async fn sites(&self) -> Result<Vec<Site>, StoreError> {
        Ok(self.locked().sites.values().cloned().collect())
    }

    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.locked();
        let crawls = state.crawls.iter().filter(|crawl| crawl.site == *site);
        Ok(crawls.filter_map(|crawl| state.records.get(&key(site, crawl.id, url))).cloned().collect())
    }

    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError> {
        let state = self.locked();
        Ok(state.of_crawl(site, crawl).map(|record| record.visit.fetched_at).max())
    }

    async fn verdict_counts(&self, site: &SiteId, crawl: CrawlId) -> Result<Counts, StoreError> {
        let state = self.locked();
        let mut counts = Counts::default();
        state.of_crawl(site, crawl).for_each(|record| counts[record.visit.verdict] += 1);
        Ok(counts)
    }

    async fn count_unarchived(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, StoreError> {
        let state = self.locked();
        let waits = |record: &&PageRecord| {
            record.archive.as_ref().is_some_and(|archive| archive.is_due(Timestamp::MAX))
        };
        Ok(state.of_crawl(site, crawl).filter(waits).count() as u64)
    }

    async fn visits_since(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.locked();
        let visits = state.of_crawl(site, crawl).filter(|record| record.visit.fetched_at >= since);
        let mut visits: Vec<PageRecord> = visits.cloned().collect();
        visits.sort_by_key(|record| record.visit.fetched_at);
        visits.truncate(limit);
        Ok(visits)
    }

    async fn content(&self, _: &SiteId, hash: &ContentHash) -> Result<Option<Content>, StoreError> {
        Ok(self.locked().contents.get(hash).cloned())
    }

    async fn titles(
        &self,
        _: &SiteId,
        contents: &[ContentHash],
    ) -> Result<HashMap<ContentHash, String>, StoreError> {
        let state = self.locked();
        let title = |hash: &ContentHash| {
            let title = state.contents.get(hash)?.extracted.title.clone()?;
            Some((*hash, short_title(title)))
        };
        Ok(contents.iter().filter_map(title).collect())
    }

    async fn operations(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Operations>, StoreError> {
        Ok(self.locked().operations.get(&(site.clone(), crawl)).copied())
    }
}
