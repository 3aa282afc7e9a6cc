//! Looking for pages in memory.

use std::cmp::Reverse;
use std::collections::HashSet;

use async_trait::async_trait;

use super::{MemoryStore, State};
use crate::model::content::Content;
use crate::model::ids::{SemanticHash, SiteId};
use crate::model::record::{PageRecord, Presence};
use crate::model::verdict::Sight;
use crate::ports::{Found, FoundPassages, Hit, Passage, Search, SearchedBy, StoreError};
use crate::search::{PageText, Piece, Query, Stretches, address_words, excerpts, readable_address};
use crate::url::PageUrl;
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
        let title = self.content_of(record).and_then(|content| content.extracted.title.clone());
        let text = self.text_of(record).unwrap_or_default();
        let address = address_words(&record.url);
        let texts = [title.as_deref().unwrap_or_default(), &address, text];
        let is_address = has_address(query, &record.url);
        if !is_address && !query.admits(&texts) {
            return None;
        }
        let count = |text: &str| query.wanted().iter().map(|phrase| phrase.count_in(text)).sum::<usize>();
        let [title_count, address_count, text_count] = texts.map(count);
        let score = usize::from(is_address) * 1_000 + title_count * 10 + address_count * 5 + text_count;
        let hit = Hit {
            site: record.site.clone(),
            url: record.url.clone(),
            excerpt: Vec::new(),
            title: title.map(short_title),
            crawl: record.crawl,
            last_seen: record.known.last_seen,
        };
        Some((score, hit))
    }

    fn content_of(&self, record: &PageRecord) -> Option<&Content> {
        self.contents.get(&record.known.content.as_ref()?.hash)
    }

    fn text_of(&self, record: &PageRecord) -> Option<&str> {
        self.texts.get(&record.known.content.as_ref()?.semantic).map(String::as_str)
    }

    fn excerpts_of(&self, records: &[&PageRecord], query: &Query) -> Vec<Vec<Piece>> {
        let of_record = |record: &&PageRecord| PageText {
            text: self.text_of(record).unwrap_or_default(),
            outline: self.content_of(record).and_then(|content| content.extracted.outline.as_ref()),
        };
        excerpts(&records.iter().map(of_record).collect::<Vec<_>>(), query)
    }

    /// Finds when the pages of a site said something, and counts what was compared and what was not.
    fn passages(&self, site: &SiteId, query: &Query, found: &mut FoundPassages) {
        let mut stretches: Stretches<&PageUrl, &PageRecord> = Stretches::default();
        let mut compared: HashSet<SemanticHash> = HashSet::new();
        for record in self.trusted_before(site, None).flat_map(|crawl| self.of_crawl(site, crawl)) {
            if record.visit.verdict.sight() == Sight::Nothing {
                continue;
            }
            let content =
                record.known.content.as_ref().filter(|_| record.known.presence == Presence::Present);
            let text = self.text_of(record);
            match (content, text) {
                (Some(content), Some(_)) => drop(compared.insert(content.semantic)),
                (Some(_), None) => found.left_out += 1,
                (None, _) => {}
            }
            let is_there = content.is_some();
            let by_address = is_there && has_address(query, &record.url);
            match text.filter(|_| is_there) {
                Some(text) => stretches.push(&record.url, record, by_address || query.admits(&[text])),
                None if is_there && !by_address => {}
                None => stretches.push(&record.url, record, by_address),
            }
        }
        found.compared += compared.len() as u64;
        let seen = |record: &PageRecord| (record.crawl, record.visit.fetched_at);
        let passage = |(url, stretch): (&PageUrl, crate::search::Stretch<&PageRecord>)| Passage {
            site: site.clone(),
            url: url.clone(),
            title: self
                .content_of(stretch.last)
                .and_then(|content| content.extracted.title.clone())
                .map(short_title),
            excerpt: self.excerpts_of(&[stretch.last], query).concat(),
            first: seen(stretch.first),
            last: seen(stretch.last),
            is_current: stretch.is_current,
        };
        found.passages.extend(stretches.finish().map(passage));
    }
}

fn has_address(query: &Query, url: &PageUrl) -> bool {
    query.address().is_some_and(|part| readable_address(url.as_str()).contains(part))
}

#[async_trait]
impl Search for MemoryStore {
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError> {
        let state = self.locked();
        let query = Query::read(query);
        let sites = state.sites.keys().filter(|id| site.is_none_or(|site| *id == site));
        let pages: Vec<&PageRecord> = sites.flat_map(|id| state.present(id)).collect();
        let indexed = pages.len() as u64;
        let mut found: Vec<(usize, Hit, &PageRecord)> = pages
            .into_iter()
            .filter_map(|record| state.hit(record, &query).map(|(score, hit)| (score, hit, record)))
            .collect();
        found.sort_by_key(|(score, ..)| Reverse(*score));
        found.truncate(limit);
        let records: Vec<&PageRecord> = found.iter().map(|(.., record)| *record).collect();
        let excerpts = state.excerpts_of(&records, &query);
        let hits =
            found.into_iter().zip(excerpts).map(|((_, hit, _), excerpt)| Hit { excerpt, ..hit }).collect();
        Ok(Found { hits, by: SearchedBy::TextAndAddress { indexed, waiting: 0 } })
    }

    async fn search_history(
        &self,
        site: Option<&SiteId>,
        query: &str,
        limit: usize,
    ) -> Result<Option<FoundPassages>, StoreError> {
        let state = self.locked();
        let query = Query::read(query);
        let mut found = FoundPassages { passages: Vec::new(), compared: 0, left_out: 0 };
        for id in state.sites.keys().filter(|id| site.is_none_or(|site| *id == site)) {
            state.passages(id, &query, &mut found);
        }
        found.passages.sort_by(|one, other| {
            other.last.1.cmp(&one.last.1).then_with(|| (&one.site, &one.url).cmp(&(&other.site, &other.url)))
        });
        found.passages.truncate(limit);
        Ok(Some(found))
    }
}
