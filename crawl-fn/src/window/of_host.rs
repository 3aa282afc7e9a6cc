//! The pages of one host in one crawl: those that are kept, and those whose messages are on their way.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use recrawl_core::ports::{Priority, QueuedPage};
use recrawl_core::url::PageUrl;
use tokio::time::Instant;

/// Where a page stands among those that are kept: the highest priority first, then the one that came first.
type Place = (Reverse<Priority>, u64);

/// The pages of one host in one crawl.
#[derive(Default)]
pub(super) struct HostWindow {
    kept: BTreeMap<Place, QueuedPage>,
    places: HashMap<u128, Place>,
    published: HashMap<u128, Published>,
    came: u64,
}

/// A page whose message is on its way, or delivered and worked on.
#[derive(Clone, Copy)]
struct Published {
    depth: u32,
    priority: Priority,
    /// When it was last seen.
    at: Instant,
}

impl HostWindow {
    /// Keeps a page, unless its message is on its way. By the shorter of two ways, it comes earlier.
    pub(super) fn keep(&mut self, page: QueuedPage) {
        let fingerprint = page.url.fingerprint();
        if self.published.get(&fingerprint).is_some_and(|published| published.depth <= page.found.depth) {
            return;
        }
        self.insert(fingerprint, page);
    }

    /// Keeps a page whose message is gone.
    pub(super) fn take_back(&mut self, page: QueuedPage) {
        let fingerprint = page.url.fingerprint();
        self.published.remove(&fingerprint);
        self.insert(fingerprint, page);
    }

    fn insert(&mut self, fingerprint: u128, mut page: QueuedPage) {
        if let Some(place) = self.places.remove(&fingerprint)
            && let Some(kept) = self.kept.remove(&place)
        {
            if kept.found.depth < page.found.depth {
                page.found = kept.found;
            }
            page.priority = page.priority.max(kept.priority);
        }
        let place = (Reverse(page.priority), self.came);
        self.came += 1;
        self.places.insert(fingerprint, place);
        self.kept.insert(place, page);
    }

    /// Takes what is published now, so that `limit` are on their way: the best first, and some at a time.
    pub(super) fn next(&mut self, limit: usize) -> Vec<QueuedPage> {
        if self.published.len() > limit * 3 / 4 {
            return Vec::new();
        }
        let mut pages = Vec::new();
        while self.published.len() < limit
            && let Some((_, page)) = self.kept.pop_first()
        {
            let fingerprint = page.url.fingerprint();
            self.places.remove(&fingerprint);
            let published =
                Published { depth: page.found.depth, priority: page.priority, at: Instant::now() };
            self.published.insert(fingerprint, published);
            pages.push(page);
        }
        pages
    }

    /// Notes that the message of a page was delivered; returns the priority that it was published with.
    pub(super) fn arrived(&mut self, url: &PageUrl, depth: u32) -> Priority {
        let (fingerprint, at) = (url.fingerprint(), Instant::now());
        if let Some(place) = self.places.remove(&fingerprint) {
            self.kept.remove(&place);
        }
        let mut priority = Priority::default();
        let published = self.published.entry(fingerprint).or_insert(Published { depth, priority, at });
        published.at = at;
        priority = published.priority;
        priority
    }

    /// Notes that the message of a page will be delivered again.
    pub(super) fn refused(&mut self, url: &PageUrl) {
        if let Some(published) = self.published.get_mut(&url.fingerprint()) {
            published.at = Instant::now();
        }
    }

    /// Notes that a page needs no message any more.
    pub(super) fn done(&mut self, url: &PageUrl) {
        let fingerprint = url.fingerprint();
        self.published.remove(&fingerprint);
        if let Some(place) = self.places.remove(&fingerprint) {
            self.kept.remove(&place);
        }
    }

    /// Takes messages for lost that were not seen for as long as `quiet`.
    pub(super) fn expire(&mut self, quiet: Duration) {
        self.published.retain(|_, published| published.at.elapsed() < quiet);
    }

    /// Tells whether there is anything here.
    pub(super) fn is_busy(&self) -> bool {
        !self.kept.is_empty() || !self.published.is_empty()
    }
}
