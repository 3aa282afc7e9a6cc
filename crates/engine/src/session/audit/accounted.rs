//! What an audit has seen so far: pages with a record, and pages that lack one.

use std::collections::{BTreeMap, HashMap, HashSet};

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Found, PageRecord};
use recrawl_core::ports::{Priority, QueuedPage};
use recrawl_core::url::PageUrl;

/// How many missing pages an audit names at most. The next one finds the others.
const MOST_MISSING: usize = 50_000;

/// Pages that have a record, and pages that should have one: of every page, one fingerprint and how far it is from the
/// root, and of those without a record so far also the address.
#[derive(Debug, Default)]
pub(super) struct Accounted {
    recorded: HashMap<u128, u32>,
    pub(super) wanted: HashMap<u128, (PageUrl, Found)>,
    /// Recorded pages to which a shorter way was found, and where that leads was not looked at.
    pub(super) nearer: Vec<PageUrl>,
    /// Recorded pages whose records name a longer way.
    lowered: HashSet<PageUrl>,
}

impl Accounted {
    /// Takes in a record that names a way of `depth` links. A shorter way may be known, which counts where
    /// `ways_count`.
    pub(super) fn record(&mut self, url: &PageUrl, depth: u32, ways_count: bool) {
        let fingerprint = url.fingerprint();
        let wanted = self.wanted.remove(&fingerprint).map(|(_, found)| found.depth);
        let known = self.recorded.get(&fingerprint).copied().or(wanted);
        let shorter = known.filter(|known| ways_count && *known < depth);
        if shorter.is_some() {
            self.lowered.insert(url.clone());
        }
        self.recorded.insert(fingerprint, shorter.unwrap_or(depth));
    }

    /// Returns how far a recorded page is from the root.
    pub(super) fn depth(&self, record: &PageRecord) -> u32 {
        self.recorded.get(&record.url.fingerprint()).copied().unwrap_or(record.found.depth)
    }

    /// Takes in a way of `depth` links to a page that may be recorded or wanted already.
    pub(super) fn approach(&mut self, url: &PageUrl, depth: u32) {
        let fingerprint = url.fingerprint();
        if let Some((_, found)) = self.wanted.get_mut(&fingerprint) {
            found.depth = found.depth.min(depth);
        }
        if let Some(recorded) = self.recorded.get_mut(&fingerprint).filter(|recorded| **recorded > depth) {
            *recorded = depth;
            self.nearer.push(url.clone());
            self.lowered.insert(url.clone());
        }
    }

    /// Takes a page in that should have a record; tells whether there was room for it.
    pub(super) fn want(&mut self, url: PageUrl, found: impl FnOnce() -> Found) -> bool {
        let fingerprint = url.fingerprint();
        if self.has(fingerprint) {
            return true;
        }
        let has_room = self.has_room();
        if has_room {
            self.wanted.insert(fingerprint, (url, found()));
        }
        has_room
    }

    pub(super) fn has_room(&self) -> bool {
        self.wanted.len() < MOST_MISSING
    }

    /// Tells whether a page has a record.
    pub(super) fn is_recorded(&self, url: &PageUrl) -> bool {
        self.recorded.contains_key(&url.fingerprint())
    }

    /// Returns how many pages were taken in.
    pub(super) fn count(&self) -> usize {
        self.recorded.len() + self.wanted.len()
    }

    pub(super) fn has(&self, fingerprint: u128) -> bool {
        self.recorded.contains_key(&fingerprint) || self.wanted.contains_key(&fingerprint)
    }

    /// Returns the pages whose records name a longer way than there is, by the depth of the shortest.
    pub(super) fn lowered(&mut self) -> BTreeMap<u32, Vec<PageUrl>> {
        let mut by_depth: BTreeMap<u32, Vec<PageUrl>> = BTreeMap::new();
        for url in std::mem::take(&mut self.lowered) {
            if let Some(depth) = self.recorded.get(&url.fingerprint()) {
                by_depth.entry(*depth).or_default().push(url);
            }
        }
        by_depth
    }

    /// Returns what is wanted, the nearest first.
    pub(super) fn missing(&self, site: &SiteId, crawl: CrawlId) -> Vec<QueuedPage> {
        let mut missing: Vec<(PageUrl, Found)> = self.wanted.values().cloned().collect();
        missing.sort_by(|(url, found), (other_url, other)| (found.depth, url).cmp(&(other.depth, other_url)));
        let priority = Priority::default();
        let queued = |(url, found)| QueuedPage { site: site.clone(), crawl, url, found, priority };
        missing.into_iter().map(queued).collect()
    }
}
