//! A site with planted crawls and records, and maintenance over it.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Found, FoundBy, Presence};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{History, NoNotices, PullFrontier, Store, StoreExt};
use recrawl_core::url::PageUrl;
use recrawl_engine::{GatheredAudits, Maintenance, MaintenanceError, MaintenanceSettings, TickReport};
use recrawl_testkit::contract::samples;

use recrawl_testkit::faulty_store::FaultyStore;

/// The crawl that [`Harness::open`] opens.
pub(crate) const CRAWL: &str = "crawl-2026-11-16";

/// Returns a page of the site by its path, or any page by its address.
pub(crate) fn page(path: &str) -> PageUrl {
    if path.starts_with('/') { samples::page(path) } else { path.parse().unwrap() }
}

pub(crate) fn id(crawl: &str) -> CrawlId {
    crawl.parse().unwrap()
}

/// Returns a time of the day on which [`CRAWL`] is opened, at 03:00 UTC.
pub(crate) fn minute(minute: i64) -> Timestamp {
    let start: Timestamp = "2026-11-16T03:00:00Z".parse().unwrap();
    start + minute.minutes()
}

/// The store, and what looks after it.
pub(crate) struct Harness {
    pub(crate) store: Arc<FaultyStore<MemoryStore>>,
    pub(crate) maintenance: Maintenance,
    pub(crate) site: SiteId,
}

impl Harness {
    /// Makes a site without a crawl.
    pub(crate) async fn new() -> Self {
        let store = Arc::new(FaultyStore::default());
        let maintenance = Maintenance {
            store: store.clone(),
            frontier: store.clone(),
            announcer: store.clone(),
            archive_queue: store.clone(),
            summaries: store.clone(),
            notices: Arc::new(NoNotices),
            audits: GatheredAudits::default(),
            settings: MaintenanceSettings::default(),
        };
        let harness = Self { store, maintenance, site: "default".parse().unwrap() };
        harness.add_site("default").await;
        harness
    }

    pub(crate) async fn add_site(&self, name: &str) {
        let id: SiteId = name.parse().unwrap();
        let scope = ScopeSettings::default();
        let site = Site { id, root: page("/"), scope, created_at: minute(-100_000) };
        self.store.inner.save_site(&site).await.unwrap();
    }

    /// Opens a crawl at 03:00 of its day.
    pub(crate) async fn open(&self, crawl: &str) {
        let id = id(crawl);
        let opened_at = format!("{}T03:00:00Z", id.day()).parse().unwrap();
        self.store.inner.open_crawl(&Crawl::new(self.site.clone(), id, opened_at)).await.unwrap();
    }

    /// Records a visit of a page that links to `links`.
    pub(crate) async fn visit(&self, crawl: &str, path: &str, at: Timestamp, links: &[&str]) {
        self.record(crawl, path, at, links, None).await;
    }

    pub(crate) async fn record(
        &self,
        crawl: &str,
        path: &str,
        at: Timestamp,
        links: &[&str],
        archive: Option<Archive>,
    ) {
        let content: Content = {
            let mut content = samples::content(&format!("{crawl} {path}"));
            content.extracted.links = links.iter().map(|path| page(path)).collect();
            content
        };
        let mut record = samples::record_of("default", crawl, path, &content);
        record.site = self.site.clone();
        record.known.note_scripts(false);
        record.visit.fetched_at = at;
        record.archive = archive;
        record.found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        self.store.inner.record(&record, Some(&content)).await.unwrap();
    }

    /// Records what visits of these pages found.
    pub(crate) async fn find(&self, crawl: &str, verdict: Verdict, paths: &[&str]) {
        for path in paths {
            let mut content = samples::content(&format!("{crawl} {path}"));
            content.extracted.links.clear();
            let mut record = samples::record_of("default", crawl, path, &content);
            record.visit.verdict = verdict;
            record.known.note_scripts(false);
            record.visit.fetched_at = minute(5);
            record.archive = None;
            if verdict == Verdict::Gone {
                record.known.presence = Presence::Gone;
            }
            self.store.inner.record(&record, Some(&content)).await.unwrap();
        }
    }

    /// Returns what was announced of a crawl, each change once, in order of paths.
    pub(crate) fn announced(&self, crawl: &str) -> Vec<(String, Change)> {
        let announced = self.store.inner.announcements().into_iter().filter(|told| told.crawl == id(crawl));
        let mut told: Vec<_> = announced.map(|told| (told.page.path().to_owned(), told.change)).collect();
        told.sort_by(|one, other| one.0.cmp(&other.0));
        told
    }

    pub(crate) async fn close(&self, crawl: &str, ending: Ending) {
        let closed =
            Closed { at: minute(0), ending, suspicion: None, state: None, statistics: Statistics::default() };
        self.store.inner.close_crawl(&self.site, id(crawl), &closed).await.unwrap();
    }

    /// Opens [`CRAWL`] and visits two pages of it, the last at 03:05, that link to each other and to `more`.
    pub(crate) async fn two_pages(&self, more: &[&str]) {
        self.open(CRAWL).await;
        let links: Vec<&str> = ["/", "/a"].iter().chain(more).copied().collect();
        self.visit(CRAWL, "/", minute(1), &links).await;
        self.visit(CRAWL, "/a", minute(5), &links).await;
    }

    pub(crate) async fn try_tick(&self, now: Timestamp) -> Result<TickReport, MaintenanceError> {
        self.maintenance.tick(&|_, _| false, now).await
    }

    pub(crate) async fn tick(&self, now: Timestamp) -> TickReport {
        self.try_tick(now).await.unwrap()
    }

    pub(crate) async fn waiting(&self, crawl: &str) -> Vec<String> {
        let pages = self.store.inner.waiting_pages(&self.site, id(crawl)).await.unwrap();
        pages.iter().map(|page| page.path().to_owned()).collect()
    }

    pub(crate) async fn ending(&self, crawl: &str) -> Option<Ending> {
        let crawls = self.store.inner.crawls(&self.site).await.unwrap();
        let crawl = crawls.into_iter().find(|other| other.id == id(crawl)).expect("the crawl is listed");
        crawl.closed.map(|closed| closed.ending)
    }

    pub(crate) async fn crawls(&self) -> Vec<String> {
        let crawls = self.store.inner.crawls(&self.site).await.unwrap();
        crawls.iter().map(|crawl| crawl.id.to_string()).collect()
    }

    /// Writes down what is stored, queued, asked for and told, each once.
    pub(crate) async fn state(&self) -> String {
        let inner = &self.store.inner;
        let mut state = Vec::new();
        for site in inner.sites().await.unwrap() {
            for crawl in inner.crawls(&site.id).await.unwrap() {
                let pages = inner.pages(&site.id, crawl.id, None, 1_000).await.unwrap();
                let waiting = inner.waiting_pages(&site.id, crawl.id).await.unwrap();
                state.push(format!("{crawl:?}\n{pages:?}\n{waiting:?}"));
            }
        }
        let mut summaries = self.store.summaries();
        summaries.dedup();
        let announced = inner.announcements();
        state.push(format!("{:?}\n{summaries:?}\n{announced:?}", inner.archive_requests()));
        state.join("\n")
    }
}
