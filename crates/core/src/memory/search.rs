//! Looking for pages in memory.

use std::cmp::Reverse;
use std::collections::HashSet;

use async_trait::async_trait;

use super::{MemoryStore, State};
use crate::model::ids::SiteId;
use crate::model::record::{PageRecord, Presence};
use crate::ports::{Found, Hit, Search, SearchedBy, StoreError};
use crate::search::{Query, address_words, excerpt, readable_address};
use crate::words::short_title;

impl State {
    /// Returns the newest trusted record of every page that is there.
    fn present(&self, site: &SiteId) -> Vec<&PageRecord> {
        let mut seen = HashSet::new();
        let newest_first = self.trusted_before(site, None).flat_map(|crawl| self.of_crawl(site, crawl));
        let mut pages: Vec<&PageRecord> = newest_first.filter(|record| seen.insert(&record.url)).collect();
        pages.retain(|record| record.known.presence == Presence::Present);
        pages
    }

    /// Returns a page with how well it answers, if it does.
    fn hit(&self, record: &PageRecord, query: &Query) -> Option<(usize, Hit)> {
        let content = record.known.content.as_ref();
        let title = content.and_then(|content| self.contents.get(&content.hash)?.extracted.title.clone());
        let text = content.and_then(|content| self.texts.get(&content.semantic)).map_or("", String::as_str);
        let address = address_words(&record.url);
        let texts = [title.as_deref().unwrap_or_default(), &address, text];
        let is_address =
            query.address().is_some_and(|part| readable_address(record.url.as_str()).contains(part));
        if !is_address && !query.admits(&texts) {
            return None;
        }
        let count = |text: &str| query.wanted().iter().map(|phrase| phrase.count_in(text)).sum::<usize>();
        let [title_count, address_count, text_count] = texts.map(count);
        let score = usize::from(is_address) * 1_000 + title_count * 10 + address_count * 5 + text_count;
        let hit = Hit {
            site: record.site.clone(),
            url: record.url.clone(),
            excerpt: excerpt(text, query),
            title: title.map(short_title),
            crawl: record.crawl,
            last_seen: record.known.last_seen,
        };
        Some((score, hit))
    }
}

#[async_trait]
impl Search for MemoryStore {
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError> {
        let state = self.locked();
        let query = Query::read(query);
        let sites = state.sites.keys().filter(|id| site.is_none_or(|site| *id == site));
        let pages: Vec<&PageRecord> = sites.flat_map(|id| state.present(id)).collect();
        let indexed = pages.len() as u64;
        let mut found: Vec<(usize, Hit)> =
            pages.into_iter().filter_map(|record| state.hit(record, &query)).collect();
        found.sort_by_key(|(score, _)| Reverse(*score));
        found.truncate(limit);
        let hits = found.into_iter().map(|(_, hit)| hit).collect();
        Ok(Found { hits, by: SearchedBy::TextAndAddress { indexed, waiting: 0 } })
    }
}
