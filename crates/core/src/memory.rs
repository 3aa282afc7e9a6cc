//! The ports in memory: for tests, and as the plainest reading of their contracts.

mod contents;
mod queue;
mod retention;
mod search;
mod site_plans;
mod state;
mod store;
mod stumbles;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::queue::Queue;
use self::stumbles::Stumbled;
use crate::model::content::Content;
use crate::model::crawl::{Crawl, Operations, Site};
use crate::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use crate::model::record::PageRecord;
use crate::model::shared_change::SharedChange;
use crate::model::site_plan::SitePlan;
use crate::ports::{Announcement, ArchiveRequest, StateEntry, StoreError};
use crate::url::PageUrl;

/// A store, frontier, announcer, archive queue and state store that lives as long as its process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Arc<Mutex<State>>,
    /// The numbers of the pages handed out, by site and crawl; not part of what is stored.
    handed_out: Mutex<HashMap<(SiteId, CrawlId), HashSet<u64>>>,
}

/// The site, the crawl by its name, and the page: in an order of their own, which is as lasting as any.
type RecordKey = (SiteId, String, PageUrl);

#[derive(Debug, Default)]
struct State {
    sites: BTreeMap<SiteId, Site>,
    plans: HashMap<SiteId, SitePlan>,
    /// Of all sites, in order of opening.
    crawls: Vec<Crawl>,
    records: BTreeMap<RecordKey, PageRecord>,
    contents: HashMap<ContentHash, Content>,
    texts: HashMap<SemanticHash, String>,
    shared_changes: HashMap<(SiteId, CrawlId), Vec<SharedChange>>,
    queues: HashMap<(SiteId, CrawlId), Queue>,
    announcements: Vec<Announcement>,
    archive_requests: Vec<ArchiveRequest>,
    /// Caches and decisions, by key.
    entries: BTreeMap<String, StateEntry>,
    stumbles: HashMap<(SiteId, CrawlId, PageUrl), Stumbled>,
    operations: HashMap<(SiteId, CrawlId), Operations>,
}

impl MemoryStore {
    /// Returns the same store as a restarted process would find it: what was handed out and not
    /// recorded is handed out again.
    #[must_use]
    pub fn reopened(&self) -> Self {
        Self { state: Arc::clone(&self.state), handed_out: Mutex::default() }
    }

    /// Says what a crawl cost, as if somebody billed it.
    pub fn bill(&self, site: &SiteId, crawl: CrawlId, operations: Operations) {
        self.locked().operations.insert((site.clone(), crawl), operations);
    }

    /// Returns what was announced, in order, each change once.
    pub fn announcements(&self) -> Vec<Announcement> {
        self.locked().announcements.clone()
    }

    /// Returns what was asked to be archived, in order, each request once.
    pub fn archive_requests(&self) -> Vec<ArchiveRequest> {
        self.locked().archive_requests.clone()
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn expect_site(&self, site: &SiteId) -> Result<(), StoreError> {
        if self.sites.contains_key(site) { Ok(()) } else { Err(StoreError::Absent(format!("site {site}"))) }
    }

    fn expect_crawl(&self, site: &SiteId, crawl: CrawlId) -> Result<(), StoreError> {
        match self.crawl(site, crawl) {
            Some(_) => Ok(()),
            None => Err(StoreError::Absent(format!("{crawl} of site {site}"))),
        }
    }

    fn crawl(&self, site: &SiteId, id: CrawlId) -> Option<&Crawl> {
        self.crawls.iter().find(|crawl| crawl.site == *site && crawl.id == id)
    }

    fn crawl_mut(&mut self, site: &SiteId, id: CrawlId) -> Option<&mut Crawl> {
        self.crawls.iter_mut().find(|crawl| crawl.site == *site && crawl.id == id)
    }
}

fn key(site: &SiteId, crawl: CrawlId, url: &PageUrl) -> RecordKey {
    (site.clone(), crawl.to_string(), url.clone())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change below is a single insert or removal, so a panic leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
