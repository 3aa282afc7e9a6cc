//! Sites, crawls, records, contents and memos in memory.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Bound;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{MemoryStore, State, key};
use crate::decide::opened_before;
use crate::model::archive::Archive;
use crate::model::content::Content;
use crate::model::crawl::{Closed, Crawl, Operations, Site};
use crate::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use crate::model::record::{ContentRef, PageRecord, PageState, PageSummary};
use crate::model::verdict::Verdict;
use crate::ports::{
    ArchiveStore, Choice, Deletion, History, Memo, MemoIndex, Memos, Recorded, Retention, Store, StoreError,
    choose,
};
use crate::url::PageUrl;
use crate::words::short_title;

impl State {
    /// Returns the trusted crawls of a site before `before`, or all of them, newest first.
    pub(super) fn trusted_before(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
    ) -> impl Iterator<Item = CrawlId> + use<> {
        let crawls = self.crawls_of(site);
        let earlier = before.map_or(&crawls[..], |before| opened_before(&crawls, before));
        let trusted = earlier.iter().rev().filter(|crawl| crawl.is_trusted());
        trusted.map(|crawl| crawl.id).collect::<Vec<_>>().into_iter()
    }

    fn crawls_of(&self, site: &SiteId) -> Vec<Crawl> {
        self.crawls.iter().filter(|crawl| crawl.site == *site).cloned().collect()
    }

    pub(super) fn of_crawl(&self, site: &SiteId, crawl: CrawlId) -> impl Iterator<Item = &PageRecord> {
        self.records.values().filter(move |record| record.site == *site && record.crawl == crawl)
    }

    /// Tells whether there is a crawl whose records may be deleted; an open one is refused.
    fn expect_deletable(&self, site: &SiteId, crawl: CrawlId) -> Result<bool, StoreError> {
        match self.crawl(site, crawl) {
            None => Ok(false),
            Some(stored) if stored.is_open() => {
                Err(StoreError::Absent(format!("closed {crawl} of site {site}")))
            }
            Some(_) => Ok(true),
        }
    }

    /// Removes a record and its content, if no other record names that; returns how many of the two there were.
    fn delete_record(&mut self, site: &SiteId, crawl: CrawlId, url: &PageUrl) -> u64 {
        let Some(removed) = self.records.remove(&key(site, crawl, url)) else {
            return 0;
        };
        let content = removed.known.content;
        1 + u64::from(content.is_some_and(|content| self.drop_unnamed(&content)))
    }

    /// Removes a content that no record names any more; tells whether it did.
    fn drop_unnamed(&mut self, content: &ContentRef) -> bool {
        let mut named = self.records.values().filter_map(|record| record.known.content.as_ref());
        let is_named = named.any(|other| other.hash == content.hash);
        !is_named && self.contents.remove(&content.hash).is_some()
    }

    fn store_content(&mut self, content: &Content) {
        let text = &content.extracted.text;
        if !text.is_empty() {
            self.texts.entry(content.extracted.semantic).or_insert_with(|| text.clone());
        }
        match self.contents.entry(content.hash) {
            Entry::Vacant(vacant) => {
                vacant.insert(content.clone());
            }
            Entry::Occupied(mut stored) if stored.get().body.is_none() => {
                stored.get_mut().body.clone_from(&content.body);
            }
            Entry::Occupied(_) => {}
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn save_site(&self, site: &Site) -> Result<(), StoreError> {
        self.state().sites.insert(site.id.clone(), site.clone());
        Ok(())
    }

    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError> {
        Ok(self.state().sites.get(id).cloned())
    }

    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        let mut state = self.state();
        state.expect_site(&crawl.site)?;
        if state.crawl(&crawl.site, crawl.id).is_some() {
            return Ok(Recorded::Already);
        }
        state.crawls.push(crawl.clone());
        Ok(Recorded::First)
    }

    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        let mut state = self.state();
        state.expect_crawl(site, crawl)?;
        if let Some(crawl) = state.crawl_mut(site, crawl) {
            crawl.closed.get_or_insert_with(|| closed.clone());
        }
        Ok(())
    }

    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError> {
        let mut state = self.state();
        let stored = state.crawl_mut(site, crawl);
        let closed = stored.and_then(|crawl| crawl.closed.as_mut());
        let suspicion = closed.and_then(|closed| closed.suspicion.as_mut());
        let suspicion =
            suspicion.ok_or_else(|| StoreError::Absent(format!("suspect {crawl} of site {site}")))?;
        suspicion.accepted_at.get_or_insert(at);
        Ok(())
    }

    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        Ok(self.state().crawls_of(site))
    }

    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        let state = self.state();
        let mut newest_first = state.crawls.iter().rev();
        Ok(newest_first.find(|crawl| crawl.site == *site && crawl.is_open()).cloned())
    }

    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        let mut state = self.state();
        state.expect_crawl(&record.site, record.crawl)?;
        let key = key(&record.site, record.crawl, &record.url);
        if state.records.contains_key(&key) {
            return Ok(Recorded::Already);
        }
        if let Some(content) = content {
            state.store_content(content);
        }
        state.records.insert(key, record.clone());
        if let Some(queue) = state.queues.get_mut(&(record.site.clone(), record.crawl)) {
            queue.remove(&record.url);
        }
        Ok(Recorded::First)
    }

    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        for page in pages {
            if let Some(record) = state.records.get_mut(&key(site, crawl, page)) {
                record.found.depth = record.found.depth.min(depth);
            }
        }
        Ok(())
    }

    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        Ok(self.state().records.get(&key(site, crawl, url)).cloned())
    }

    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        let state = self.state();
        let mut records =
            state.trusted_before(site, Some(crawl)).filter_map(|id| state.records.get(&key(site, id, url)));
        Ok(records.next().cloned())
    }

    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError> {
        Ok(self.latest_before(site, crawl, url).await?.map(|record| record.known))
    }

    async fn links(&self, content: &ContentHash) -> Result<Option<Vec<PageUrl>>, StoreError> {
        Ok(self.state().contents.get(content).map(|content| content.extracted.links.clone()))
    }

    async fn links_where(
        &self,
        _: &SiteId,
        _: CrawlId,
        content: &ContentHash,
        wanted: &Choice<'_>,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        let links = self.links(content).await?;
        Ok(links.map(|links| choose(&links, |link| link, wanted)))
    }

    async fn links_of(&self, contents: &[ContentHash]) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        let state = self.state();
        let links = |hash| state.contents.get(hash).map(|content| content.extracted.links.clone());
        Ok(contents.iter().map(links).collect())
    }

    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.state();
        let of_crawl = |record: &&PageRecord| record.site == *site && record.crawl == crawl;
        let wanted = |record: &&PageRecord| verdicts.is_empty() || verdicts.contains(&record.visit.verdict);
        let records: Vec<PageRecord> = match after {
            Some(url) => {
                let last = key(site, crawl, url);
                let rest =
                    state.records.range((Bound::Excluded(last), Bound::Unbounded)).map(|(_, record)| record);
                rest.take_while(of_crawl).filter(wanted).take(limit).cloned().collect()
            }
            None => state.records.values().filter(of_crawl).filter(wanted).take(limit).cloned().collect(),
        };
        Ok(records)
    }

    async fn pages(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageUrl>, StoreError> {
        let records = self.records(site, crawl, &[], after, limit).await?;
        Ok(records.into_iter().map(|record| record.url).collect())
    }

    async fn records_where(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        wanted: &Choice<'_>,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.state();
        let records: Vec<&PageRecord> = state.of_crawl(site, crawl).collect();
        Ok(choose(&records, |record| &record.url, wanted).into_iter().cloned().collect())
    }

    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        let state = self.state();
        let mut seen = HashSet::new();
        for crawl in state.trusted_before(site, before) {
            for record in state.of_crawl(site, crawl).filter(|record| seen.insert(&record.url)) {
                each(PageSummary::from(record));
            }
        }
        Ok(())
    }

    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError> {
        let state = self.state();
        Ok(state.of_crawl(site, crawl).map(|record| record.visit.fetched_at).max())
    }

    async fn text(&self, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        Ok(self.state().texts.get(semantic).cloned())
    }

    async fn body(&self, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.state();
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
        Ok(self.state().sites.values().cloned().collect())
    }

    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.state();
        let crawls = state.crawls.iter().filter(|crawl| crawl.site == *site);
        Ok(crawls.filter_map(|crawl| state.records.get(&key(site, crawl.id, url))).cloned().collect())
    }

    async fn content(&self, hash: &ContentHash) -> Result<Option<Content>, StoreError> {
        Ok(self.state().contents.get(hash).cloned())
    }

    async fn titles(&self, contents: &[ContentHash]) -> Result<HashMap<ContentHash, String>, StoreError> {
        let state = self.state();
        let title = |hash: &ContentHash| {
            let title = state.contents.get(hash)?.extracted.title.clone()?;
            Some((*hash, short_title(title)))
        };
        Ok(contents.iter().filter_map(title).collect())
    }

    async fn operations(&self, _: &SiteId, _: CrawlId) -> Result<Option<Operations>, StoreError> {
        Ok(None)
    }
}

#[async_trait]
impl ArchiveStore for MemoryStore {
    async fn save_archive(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
        archive: &Archive,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        let record = state.records.get_mut(&key(site, crawl, url));
        let record = record.ok_or_else(|| StoreError::Absent(format!("record of {url} in {crawl}")))?;
        record.archive = Some(archive.clone());
        Ok(())
    }

    async fn unarchived(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let state = self.state();
        let is_due =
            |record: &&PageRecord| record.archive.as_ref().is_some_and(|archive| archive.is_due(now));
        let mut due: Vec<PageRecord> = state.of_crawl(site, crawl).filter(is_due).cloned().collect();
        due.sort_by_key(|record| record.archive.as_ref().map(|archive| archive.requested_at));
        due.truncate(limit);
        Ok(due)
    }
}

#[async_trait]
impl Retention for MemoryStore {
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError> {
        let mut state = self.state();
        if !state.expect_deletable(site, crawl)? {
            return Ok(Deletion { deleted: 0, finished: true });
        }
        let pages: Vec<PageUrl> = state.of_crawl(site, crawl).map(|record| record.url.clone()).collect();
        let mut deletion = Deletion::default();
        for url in &pages {
            if deletion.deleted >= limit {
                return Ok(deletion);
            }
            deletion.deleted += state.delete_record(site, crawl, url);
        }
        state.stumbles.retain(|(of, at, _), _| (of, *at) != (site, crawl));
        state.crawls.retain(|other| other.site != *site || other.id != crawl);
        deletion.finished = true;
        Ok(deletion)
    }

    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
    ) -> Result<Deletion, StoreError> {
        let mut state = self.state();
        let deletable = state.expect_deletable(site, crawl)?;
        let pages = if deletable { pages } else { &[] };
        let deleted = pages.iter().map(|url| state.delete_record(site, crawl, url)).sum();
        Ok(Deletion { deleted, finished: true })
    }

    async fn size(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    async fn reclaim(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl Memos for MemoryStore {
    async fn memo(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        Ok(self.state().memos.get(key).cloned())
    }

    async fn save_memo(&self, key: &str, memo: &Memo) -> Result<(), StoreError> {
        self.state().memos.insert(key.to_owned(), memo.clone());
        Ok(())
    }
}

#[async_trait]
impl MemoIndex for MemoryStore {
    async fn memos_with_prefix(&self, prefix: &str) -> Result<Vec<(String, Memo)>, StoreError> {
        let state = self.state();
        let found = state.memos.iter().filter(|(key, _)| key.starts_with(prefix));
        let mut found: Vec<(String, Memo)> = found.map(|(key, memo)| (key.clone(), memo.clone())).collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(found)
    }

    async fn delete_memo(&self, key: &str) -> Result<(), StoreError> {
        self.state().memos.remove(key);
        Ok(())
    }
}
