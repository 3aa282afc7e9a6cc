//! What was read lately (cache), so that a page that is looked at again costs no reads.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StateKey, StateStore, StoreError};
use recrawl_core::url::PageUrl;

use crate::changes::{Detail, Details, KnownBefore, ListedRecord};
use crate::difference::{Comparison, ComparisonOptions, Reader};
use crate::scan::Scan;
use crate::section::section_of;
use crate::site_report::SiteReport;

/// How long something is believed. Records of a closed crawl stay what they are, but for their archiving,
/// which goes on; and crawls before it may be pruned or accepted, with which its pages are compared.
const LASTS: SignedDuration = SignedDuration::from_mins(10);

/// How many records, shared changes, excerpts, titles and lines of differences are kept at most: some ten megabytes each.
const MOST_RECORDS: u64 = 20_000;
const MOST_SHARED: u64 = 5_000;
const MOST_EXCERPTS: u64 = 20_000;
const MOST_TITLES: u64 = 50_000;
const MOST_LINES: u64 = 100_000;

/// How many reports are kept at most: some hundred kilobytes each.
const MOST_REPORTS: u64 = 20;

/// What was read lately.
///
/// A list is kept under the state of its crawl, so that one that is closed, accepted or pruned is not taken
/// for what it was before: an open crawl is never kept, acceptance is part of the name, and a crawl that is
/// not there any more is not asked for. Titles belong to contents, which never change.
pub struct ReportCache {
    lists: Timed<ListName, Arc<Vec<Arc<ListedRecord>>>>,
    shared: Timed<ListName, Arc<Vec<SharedChange>>>,
    details: Timed<(SiteId, EventId, Detail), Details>,
    /// What was known of a page before a change.
    pub(crate) befores: Timed<(SiteId, EventId), Option<KnownBefore>>,
    titles: Timed<ContentHash, Option<String>>,
    comparisons: Timed<ComparisonName, Arc<Comparison>>,
    /// By a name that never means another report: they are kept for as long as there is room.
    pub(crate) reports: Timed<StateKey, SiteReport>,
}

impl Default for ReportCache {
    fn default() -> Self {
        Self {
            lists: Timed::new(MOST_RECORDS, LASTS),
            shared: Timed::new(MOST_SHARED, LASTS),
            details: Timed::new(MOST_EXCERPTS, LASTS),
            befores: Timed::new(MOST_TITLES, LASTS),
            titles: Timed::new(MOST_TITLES, LASTS),
            comparisons: Timed::new(MOST_LINES, LASTS),
            reports: Timed::new(MOST_REPORTS, SignedDuration::MAX),
        }
    }
}

/// What a comparison is of: two visits of a page, each known by its time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ComparisonName {
    site: SiteId,
    url: PageUrl,
    visits: (Option<Timestamp>, Timestamp),
    options: ComparisonOptions,
}

/// What a list is of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ListName {
    site: SiteId,
    crawl: CrawlId,
    closed_at: Timestamp,
    accepted_at: Option<Timestamp>,
    verdicts: Vec<Verdict>,
}

impl ListName {
    fn of(crawl: &Crawl, verdicts: &[Verdict]) -> Option<Self> {
        let closed = crawl.closed.as_ref()?;
        let mut verdicts = verdicts.to_vec();
        verdicts.sort_unstable();
        verdicts.dedup();
        Some(Self {
            site: crawl.site.clone(),
            crawl: crawl.id,
            closed_at: closed.at,
            accepted_at: closed.suspicion.as_ref().and_then(|suspicion| suspicion.accepted_at),
            verdicts,
        })
    }
}

/// The history, read through what was read lately.
#[derive(Clone, Copy)]
pub struct Reports<'a> {
    /// The history.
    pub history: &'a dyn History,
    /// What people did with changes, where it is told.
    pub reviews: Option<&'a dyn StateStore>,
    /// What was read lately.
    pub cache: &'a ReportCache,
    /// The time.
    pub now: Timestamp,
}

impl Reports<'_> {
    /// Returns the records of a crawl with one of `verdicts`, by section and address.
    pub(crate) async fn listed(
        &self,
        site: &Site,
        crawl: &Crawl,
        verdicts: &[Verdict],
    ) -> Result<Arc<Vec<Arc<ListedRecord>>>, StoreError> {
        let name = ListName::of(crawl, verdicts);
        if let Some(list) = name.as_ref().and_then(|name| self.cache.lists.get(name, self.now)) {
            return Ok(list);
        }
        let mut list: Vec<Arc<ListedRecord>> = Vec::new();
        let mut scan = Scan::new(self.history, crawl, verdicts);
        while let Some(records) = scan.next().await? {
            let listed = |record: PageRecord| {
                Arc::new(ListedRecord { section: section_of(&site.root, &record.url), record })
            };
            list.extend(records.into_iter().map(listed));
        }
        list.sort_by(|one, other| (&one.section, &one.record.url).cmp(&(&other.section, &other.record.url)));
        let list = Arc::new(list);
        if let Some(name) = name {
            self.cache.lists.put(name, Arc::clone(&list), list.len(), self.now);
        }
        Ok(list)
    }

    /// Returns the shared changes of a crawl.
    pub(crate) async fn shared_changes(
        &self,
        site: &Site,
        crawl: &Crawl,
    ) -> Result<Arc<Vec<SharedChange>>, StoreError> {
        let name = ListName::of(crawl, &[]);
        if let Some(list) = name.as_ref().and_then(|name| self.cache.shared.get(name, self.now)) {
            return Ok(list);
        }
        let list = Arc::new(self.history.shared_changes(&site.id, crawl.id).await?);
        if let Some(name) = name {
            self.cache.shared.put(name, Arc::clone(&list), list.len(), self.now);
        }
        Ok(list)
    }

    /// Returns the titles of those of `contents` that have one.
    pub(crate) async fn titles(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<HashMap<ContentHash, String>, StoreError> {
        let mut titles = HashMap::new();
        let mut wanted: Vec<ContentHash> = Vec::new();
        for hash in contents {
            match self.cache.titles.get(hash, self.now) {
                Some(title) => titles.extend(title.map(|title| (*hash, title))),
                None => wanted.push(*hash),
            }
        }
        if !wanted.is_empty() {
            let read = self.history.titles(site, &wanted).await?;
            for hash in wanted {
                self.cache.titles.put(hash, read.get(&hash).cloned(), 1, self.now);
            }
            titles.extend(read);
        }
        Ok(titles)
    }

    /// Returns what is read of a change beside its record.
    pub(crate) async fn details(
        &self,
        record: &PageRecord,
        title: Option<&str>,
        detail: Detail,
    ) -> Result<Details, StoreError> {
        let name = (record.site.clone(), EventId::new(record.crawl, &record.url), detail);
        if let Some(details) = self.cache.details.get(&name, self.now) {
            return Ok(details);
        }
        let details = Details::read(self.history, record, title, detail).await?;
        self.cache.details.put(name, details.clone(), 1, self.now);
        Ok(details)
    }

    /// Returns what differs between two versions of a page.
    pub(crate) async fn comparison(
        &self,
        reader: &Reader,
        site: &Site,
        before: Option<&PageRecord>,
        after: &PageRecord,
        options: ComparisonOptions,
    ) -> Result<Arc<Comparison>, StoreError> {
        let name = ComparisonName {
            site: after.site.clone(),
            url: after.url.clone(),
            visits: (before.map(|before| before.visit.fetched_at), after.visit.fetched_at),
            options,
        };
        if let Some(comparison) = self.cache.comparisons.get(&name, self.now) {
            return Ok(comparison);
        }
        let read = || reader(site);
        let comparison = Arc::new(Comparison::of(self.history, &read, before, after, options).await?);
        let weight = comparison.weight();
        self.cache.comparisons.put(name, Arc::clone(&comparison), weight, self.now);
        Ok(comparison)
    }
}

/// A cache whose values have a weight each, and count for a while.
pub(crate) struct Timed<K, V> {
    lasts: SignedDuration,
    kept: Cache<K, TimedEntry<V>, Weight>,
}

#[derive(Clone)]
struct TimedEntry<V> {
    since: Timestamp,
    weight: u64,
    value: V,
}

#[derive(Clone)]
struct Weight;

impl<K, V> Weighter<K, TimedEntry<V>> for Weight {
    fn weight(&self, _: &K, entry: &TimedEntry<V>) -> u64 {
        entry.weight
    }
}

impl<K: Hash + Eq, V: Clone> Timed<K, V> {
    fn new(most: u64, lasts: SignedDuration) -> Self {
        // One shard: a share of the room would be too small for a long list.
        let options =
            OptionsBuilder::new().estimated_items_capacity(100).weight_capacity(most).shards(1).build();
        let options = options.expect("both capacities are given");
        let kept =
            Cache::with_options(options, Weight, DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self { lasts, kept }
    }

    /// Returns the value of this name, unless it is too old.
    pub(crate) fn get(&self, name: &K, now: Timestamp) -> Option<V> {
        let entry = self.kept.get(name)?;
        (now.duration_since(entry.since) < self.lasts).then_some(entry.value)
    }

    /// Keeps a value; what was asked for least makes room. What is heavier than all the room is not kept.
    pub(crate) fn put(&self, name: K, value: V, weight: usize, now: Timestamp) {
        self.kept.insert(name, TimedEntry { since: now, weight: weight.max(1) as u64, value });
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn things_are_kept_for_a_while_and_within_the_room() {
        let now = Timestamp::UNIX_EPOCH;
        let cache: Timed<&str, u32> = Timed::new(10, LASTS);
        cache.put("a", 1, 4, now);
        cache.put("b", 2, 4, now);
        assert_eq!((cache.get(&"a", now), cache.get(&"b", now + 9.minutes())), (Some(1), Some(2)));
        assert_eq!(cache.get(&"a", now + 10.minutes()), None, "it is too old");
        cache.put("c", 3, 11, now);
        assert_eq!((cache.get(&"c", now), cache.get(&"a", now)), (None, Some(1)), "it is too heavy");
        cache.put("a", 5, 4, now);
        assert_eq!(cache.get(&"a", now), Some(5), "what is newer counts");
        for name in ["d", "e", "f"] {
            cache.put(name, 4, 4, now);
        }
        let kept = ["a", "b", "d", "e", "f"].iter().filter(|name| cache.get(name, now).is_some()).count();
        assert_eq!(kept, 2, "others made room");
    }
}
