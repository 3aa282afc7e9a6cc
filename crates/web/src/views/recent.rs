//! What was read lately, so that a page that is looked at again costs no reads.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{StateKey, StoreError};
use recrawl_core::url::PageUrl;

use super::comparison::{Comparison, ComparisonOptions};
use super::excerpts::excerpt_of;
use super::report::SiteReport;
use super::section::section_of;
use crate::app::{App, Library};
use crate::difference::Line;
use crate::error::WebError;

/// How long something is believed. Records of a closed crawl stay what they are, but for their archiving,
/// which goes on; and crawls before it may be pruned or accepted, with which its pages are compared.
const LASTS: SignedDuration = SignedDuration::from_mins(10);

/// How many records, excerpts, titles and lines of differences are kept at most: some ten megabytes each.
const MOST_RECORDS: usize = 20_000;
const MOST_EXCERPTS: usize = 20_000;
const MOST_TITLES: usize = 50_000;
const MOST_LINES: usize = 100_000;

/// How many reports are kept at most: some hundred kilobytes each.
const MOST_REPORTS: usize = 20;

/// How many records are read at a time.
const CHUNK: usize = 1000;

/// A record in a list, with the section of the site that its page is in.
#[derive(Debug, PartialEq)]
pub(crate) struct Listed {
    /// The section.
    pub(crate) section: String,
    /// The record.
    pub(crate) record: PageRecord,
}

/// What was read lately.
///
/// A list is kept under the state of its crawl, so that one that is closed, accepted or pruned is not taken
/// for what it was before: an open crawl is never kept, acceptance is part of the name, and a crawl that is
/// not there any more is not asked for. Titles belong to contents, which never change.
pub(crate) struct Recent {
    lists: Mutex<Shelf<ListName, Arc<Vec<Arc<Listed>>>>>,
    excerpts: Mutex<Shelf<(SiteId, EventId), Vec<Line>>>,
    titles: Mutex<Shelf<ContentHash, Option<String>>>,
    comparisons: Mutex<Shelf<ComparisonName, Arc<Comparison>>>,
    /// By a name that never means another report: they are kept for as long as there is room.
    reports: Mutex<Shelf<StateKey, SiteReport>>,
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

impl Default for Recent {
    fn default() -> Self {
        Self {
            lists: Mutex::new(Shelf::new(MOST_RECORDS)),
            excerpts: Mutex::new(Shelf::new(MOST_EXCERPTS)),
            titles: Mutex::new(Shelf::new(MOST_TITLES)),
            comparisons: Mutex::new(Shelf::new(MOST_LINES)),
            reports: Mutex::new(Shelf { lasts: SignedDuration::MAX, ..Shelf::new(MOST_REPORTS) }),
        }
    }
}

impl Recent {
    /// Returns a report that was kept.
    pub(super) fn report(&self, name: &StateKey, now: Timestamp) -> Option<SiteReport> {
        locked(&self.reports).get(name, now)
    }

    /// Keeps a report.
    pub(super) fn keep_report(&self, name: StateKey, report: &SiteReport, now: Timestamp) {
        locked(&self.reports).put(name, report.clone(), 1, now);
    }
}

/// The history, read through what was read lately.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// The history.
    pub(crate) library: &'a dyn Library,
    /// What was read lately.
    pub(crate) recent: &'a Recent,
    /// The time.
    pub(crate) now: Timestamp,
}

impl Reading<'_> {
    /// Returns the records of a crawl with one of `verdicts`, by section and address.
    pub(crate) async fn listed(
        &self,
        site: &Site,
        crawl: &Crawl,
        verdicts: &[Verdict],
    ) -> Result<Arc<Vec<Arc<Listed>>>, StoreError> {
        let name = ListName::of(crawl, verdicts);
        if let Some(list) = name.as_ref().and_then(|name| locked(&self.recent.lists).get(name, self.now)) {
            return Ok(list);
        }
        let list = Arc::new(read(self.library, site, crawl.id, verdicts).await?);
        if let Some(name) = name {
            locked(&self.recent.lists).put(name, Arc::clone(&list), list.len(), self.now);
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
        {
            let kept = locked(&self.recent.titles);
            for hash in contents {
                match kept.get(hash, self.now) {
                    Some(title) => titles.extend(title.map(|title| (*hash, title))),
                    None => wanted.push(*hash),
                }
            }
        }
        if !wanted.is_empty() {
            let read = self.library.titles(site, &wanted).await?;
            let mut kept = locked(&self.recent.titles);
            for hash in wanted {
                kept.put(hash, read.get(&hash).cloned(), 1, self.now);
            }
            titles.extend(read);
        }
        Ok(titles)
    }

    /// Returns two lines that say what a record is about.
    pub(crate) async fn excerpt(
        &self,
        record: &PageRecord,
        title: Option<&str>,
    ) -> Result<Vec<Line>, WebError> {
        let name = (record.site.clone(), EventId::new(record.crawl, &record.url));
        if let Some(excerpt) = locked(&self.recent.excerpts).get(&name, self.now) {
            return Ok(excerpt);
        }
        let excerpt = excerpt_of(self.library, record, title).await?;
        locked(&self.recent.excerpts).put(name, excerpt.clone(), 1, self.now);
        Ok(excerpt)
    }
}

impl Reading<'_> {
    /// Returns what differs between two versions of a page.
    pub(crate) async fn comparison(
        &self,
        app: &App,
        site: &Site,
        before: Option<&PageRecord>,
        after: &PageRecord,
        options: ComparisonOptions,
    ) -> Result<Arc<Comparison>, WebError> {
        let name = ComparisonName {
            site: after.site.clone(),
            url: after.url.clone(),
            visits: (before.map(|before| before.visit.fetched_at), after.visit.fetched_at),
            options,
        };
        if let Some(comparison) = locked(&self.recent.comparisons).get(&name, self.now) {
            return Ok(comparison);
        }
        let comparison = Arc::new(Comparison::of(app, site, before, after, options).await?);
        let weight = comparison.weight();
        locked(&self.recent.comparisons).put(name, Arc::clone(&comparison), weight, self.now);
        Ok(comparison)
    }
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

async fn read(
    library: &dyn Library,
    site: &Site,
    crawl: CrawlId,
    verdicts: &[Verdict],
) -> Result<Vec<Arc<Listed>>, StoreError> {
    let mut all: Vec<Arc<Listed>> = Vec::new();
    let mut last: Option<PageUrl> = None;
    loop {
        let records = library.records(&site.id, crawl, verdicts, last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        let listed =
            |record: PageRecord| Arc::new(Listed { section: section_of(&site.root, &record.url), record });
        all.extend(records.into_iter().map(listed));
    }
    all.sort_by(|one, other| (&one.section, &one.record.url).cmp(&(&other.section, &other.record.url)));
    Ok(all)
}

/// Things under their names, each with a weight, for a while.
struct Shelf<K, V> {
    most: usize,
    lasts: SignedDuration,
    weight: usize,
    kept: HashMap<K, (Timestamp, V)>,
}

impl<K: Hash + Eq, V: Clone> Shelf<K, V> {
    fn new(most: usize) -> Self {
        Self { most, lasts: LASTS, weight: 0, kept: HashMap::new() }
    }

    fn get(&self, name: &K, now: Timestamp) -> Option<V> {
        let (since, value) = self.kept.get(name)?;
        (now.duration_since(*since) < self.lasts).then(|| value.clone())
    }

    /// Keeps `value`; where there is no room, everything else goes. What is heavier than all the room is
    /// not kept.
    fn put(&mut self, name: K, value: V, weight: usize, now: Timestamp) {
        if weight > self.most {
            return;
        }
        if self.weight + weight > self.most {
            self.kept.clear();
            self.weight = 0;
        }
        // What is replaced is weighed twice until the shelf is cleared: too heavy is safe.
        self.weight += weight.max(1);
        self.kept.insert(name, (now, value));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn things_are_kept_for_a_while_and_within_the_room() {
        let now = Timestamp::UNIX_EPOCH;
        let mut shelf: Shelf<&str, u32> = Shelf::new(10);
        shelf.put("a", 1, 4, now);
        shelf.put("b", 2, 4, now);
        assert_eq!((shelf.get(&"a", now), shelf.get(&"b", now + 9.minutes())), (Some(1), Some(2)));
        assert_eq!(shelf.get(&"a", now + 10.minutes()), None, "it is too old");
        shelf.put("c", 3, 11, now);
        assert_eq!((shelf.get(&"c", now), shelf.get(&"a", now)), (None, Some(1)), "it is too heavy");
        shelf.put("d", 4, 4, now);
        assert_eq!((shelf.get(&"d", now), shelf.get(&"a", now)), (Some(4), None), "it made room");
    }
}
