//! What a process has read once and need not read again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recrawl_core::model::ids::{CrawlId, SiteId};

/// More crawls than a process ever works on; then it forgets, which costs some reads.
const CRAWLS: usize = 1_000;

/// What a process has read once and need not read again.
#[derive(Debug, Default)]
pub(crate) struct ProcessCache(Mutex<Facts>);

#[derive(Debug, Default)]
struct Facts {
    known: HashSet<(SiteId, CrawlId)>,
    earlier: HashMap<(SiteId, CrawlId), Arc<[CrawlId]>>,
}

impl ProcessCache {
    /// Remembers that a crawl is there.
    pub(crate) fn know(&self, site: &SiteId, crawl: CrawlId) {
        let mut facts = self.facts();
        if facts.known.len() >= CRAWLS {
            facts.known.clear();
        }
        facts.known.insert((site.clone(), crawl));
    }

    /// Tells whether a crawl is there, as far as this process knows.
    pub(crate) fn knows(&self, site: &SiteId, crawl: CrawlId) -> bool {
        self.facts().known.contains(&(site.clone(), crawl))
    }

    /// Remembers the trusted crawls of a site before this one, newest first.
    pub(crate) fn keep_earlier(&self, site: &SiteId, crawl: CrawlId, earlier: Arc<[CrawlId]>) {
        let mut facts = self.facts();
        if facts.earlier.len() >= CRAWLS {
            facts.earlier.clear();
        }
        facts.earlier.insert((site.clone(), crawl), earlier);
    }

    /// Returns the trusted crawls of a site before this one, newest first, if they are remembered.
    pub(crate) fn earlier(&self, site: &SiteId, crawl: CrawlId) -> Option<Arc<[CrawlId]>> {
        self.facts().earlier.get(&(site.clone(), crawl)).cloned()
    }

    /// Forgets the crawls of a site, because one was opened, closed, accepted or deleted.
    pub(crate) fn forget_crawls(&self, site: &SiteId) {
        let mut facts = self.facts();
        facts.known.retain(|(of, _)| of != site);
        facts.earlier.retain(|(of, _), _| of != site);
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        // Every change is a single insert or removal, so a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
