//! A fixture site, the crawl step on Firestore, and a queue in memory that counts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use emulator_tests::{Emulator, fresh_project};
use futures_util::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Operations, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::{Found, FoundBy, PageSummary};
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{
    Announcement, Announcer, ArchiveQueue, ArchiveRequest, Frontier, History, NoDocuments, NoNotices,
    Priority, QueueError, QueuedPage, Retention, Store, Summaries,
};
use recrawl_core::url::UrlRules;
use recrawl_engine::step::{Attempt, CrawlStep, Outcome, Ports};
use recrawl_engine::{
    GatheredAudits, Maintenance, MaintenanceSettings, NoProbe, RobotsCache, RobotsPolicy, announce,
};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};
use recrawl_testkit::contract::samples::policy;
use recrawl_testkit::site::{Page, Site as FixtureSite};

/// How many links a page has.
const LINKS: usize = 20;
/// How many pages are visited at once.
const AT_ONCE: usize = 8;

/// Pages that wait, in memory, and how many were queued.
#[derive(Default)]
struct Queue {
    waiting: Mutex<VecDeque<QueuedPage>>,
    queued: AtomicU64,
}

#[async_trait]
impl Frontier for Queue {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        self.queued.fetch_add(pages.len() as u64, Ordering::Relaxed);
        self.waiting.lock().unwrap().extend(pages.iter().cloned());
        Ok(())
    }
}

#[async_trait]
impl Announcer for Queue {
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError> {
        self.queued.fetch_add(announcements.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

#[async_trait]
impl ArchiveQueue for Queue {
    async fn request(&self, _: &[ArchiveRequest]) -> Result<(), QueueError> {
        Ok(())
    }
}

#[async_trait]
impl Summaries for Queue {
    async fn summarise(&self, _: &Site, _: CrawlId, _: &Closed) -> Result<(), QueueError> {
        self.queued.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// A site to crawl, and a database to crawl it into.
pub(crate) struct World {
    pub(crate) site: Arc<FixtureSite>,
    project: String,
    store: Arc<FirestoreStore>,
    queue: Arc<Queue>,
    known: Site,
    looked_at: AtomicU64,
}

impl World {
    /// Serves a site of this many pages, each of which links to some others, and the root to all.
    pub(crate) async fn new(pages: usize) -> Self {
        let world = Self::empty().await;
        let site = &world.site;
        let link = |number: usize| format!("<a href='/{number}'>page {number}</a>");
        let body =
            |title: &str, links: String| Page::html(format!("<title>{title}</title><p>{title}{links}"));
        site.page("/", body("root", (1..pages).map(link).collect()));
        for number in 1..pages {
            let links = (0..LINKS).map(|step| link(1 + (number * 7 + step * 13) % (pages - 1)));
            site.page(&format!("/{number}"), body(&format!("page {number}"), links.collect()));
        }
        world
    }

    /// Serves a site without a page.
    pub(crate) async fn empty() -> Self {
        let site = FixtureSite::start().await;
        let id: SiteId = "default".parse().unwrap();
        let scope = ScopeSettings::default();
        let known = Site { id, root: site.at("/"), scope, created_at: Timestamp::UNIX_EPOCH };
        let project = fresh_project();
        let store = Arc::new(connect(&project).await);
        store.save_site(&known).await.unwrap();
        Self {
            site: Arc::new(site),
            project,
            store,
            queue: Arc::default(),
            known,
            looked_at: AtomicU64::default(),
        }
    }

    /// Returns the same world as another process finds it.
    pub(crate) async fn restarted(&self) -> Self {
        Self {
            site: Arc::clone(&self.site),
            project: self.project.clone(),
            store: Arc::new(connect(&self.project).await),
            queue: Arc::default(),
            known: self.known.clone(),
            looked_at: AtomicU64::default(),
        }
    }

    /// Returns the operations so far; messages are the pages that were queued.
    pub(crate) fn counted(&self) -> Operations {
        Operations { messages: self.queue.queued.load(Ordering::Relaxed), ..self.store.counted() }
    }

    /// Returns how many reads of those so far are due to the haste of the test: an audit that goes on reads the pages of
    /// the last second again, and here that may be all. The other half is what counting them took.
    pub(crate) fn due_to_haste(&self) -> u64 {
        self.looked_at.load(Ordering::Relaxed)
    }

    /// Opens a crawl and visits all there is.
    pub(crate) async fn crawl(&self, name: &str) -> Crawl {
        let crawl = Crawl::new(self.known.id.clone(), name.parse().unwrap(), Timestamp::now());
        self.store.open_crawl(&crawl).await.unwrap();
        let step = self.step(&crawl).await;
        let seed = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        step.queue([&self.known.root], &seed).await.unwrap();
        self.work_off(&step).await;
        crawl
    }

    /// Visits what waits, and what that leads to.
    async fn work_off(&self, step: &CrawlStep) {
        loop {
            let waiting: Vec<QueuedPage> = self.queue.waiting.lock().unwrap().drain(..).collect();
            if waiting.is_empty() {
                return;
            }
            let visits = waiting
                .into_iter()
                .map(|page| async move { step.visit(&page, Attempt::default(), Timestamp::now()).await });
            let visits: Vec<_> = stream::iter(visits).buffer_unordered(AT_ONCE).collect().await;
            for visit in visits {
                assert!(matches!(visit.unwrap(), Outcome::Recorded(_) | Outcome::Unconfirmed { .. }));
            }
        }
    }

    /// Audits a crawl, visits what is missing, and announces and closes it.
    pub(crate) async fn close(&self, crawl: &Crawl) -> Statistics {
        let (site, scope) = (&self.known.id, self.scope());
        let rules = UrlRules::default();
        let audits = GatheredAudits::default();
        loop {
            let audit = audits.audit(&*self.store, site, crawl.id, &scope, &rules, Vec::new()).await.unwrap();
            if !audit.missing.is_empty() {
                let since = audit.statistics.last_visit.unwrap();
                let again = self.store.visits_since(site, crawl.id, since, usize::MAX).await.unwrap();
                self.looked_at.fetch_add(2 * again.len() as u64, Ordering::Relaxed);
                self.queue.queue(&audit.missing).await.unwrap();
                self.work_off(&self.step(crawl).await).await;
                continue;
            }
            announce(&*self.store, &*self.queue, site, crawl.id, Some(&*self.store)).await.unwrap();
            let statistics = audit.statistics;
            let (at, ending) = (Timestamp::now(), Ending::Complete);
            let closed = Closed { at, ending, suspicion: None, state: None, statistics: statistics.clone() };
            self.store.close_crawl(site, crawl.id, &closed).await.unwrap();
            return statistics;
        }
    }

    /// Delivers the messages of some pages that are recorded once more, to a process that does not remember them.
    pub(crate) async fn deliver_again(&self, crawl: &Crawl, count: u64) {
        let step = self.step(crawl).await;
        let count = usize::try_from(count).unwrap();
        for record in self.store.records(&self.known.id, crawl.id, &[], None, count).await.unwrap() {
            let (site, url, found) = (record.site, record.url, record.found);
            let page = QueuedPage { site, crawl: crawl.id, url, found, priority: Priority::default() };
            step.visit(&page, Attempt::default(), Timestamp::now()).await.unwrap();
        }
        // Where their links lead was queued before: the service reads that when it takes a crawl up again.
        let again = self.queue.waiting.lock().unwrap().drain(..).count();
        self.queue.queued.fetch_sub(again as u64, Ordering::Relaxed);
    }

    /// Ticks as the service does, an hour later each time, until a crawl is closed.
    pub(crate) async fn tick_until_closed(&self, crawl: &Crawl) -> Statistics {
        let maintenance = self.maintenance();
        for hours in 1..5 {
            let now = Timestamp::now() + SignedDuration::from_hours(hours);
            let report = maintenance.tick(&|_, _| false, now).await.unwrap();
            if !report.closed.is_empty() {
                let crawls = self.store.crawls(&self.known.id).await.unwrap();
                let closed = crawls.into_iter().find(|other| other.id == crawl.id).unwrap().closed;
                return closed.unwrap().statistics;
            }
            self.work_off(&self.step(crawl).await).await;
        }
        panic!("{} is not closed", crawl.id);
    }

    /// Ticks once, when nothing is to be done.
    pub(crate) async fn tick(&self) {
        // The first looks whether something is to be deleted that day.
        let maintenance = self.maintenance();
        maintenance.tick(&|_, _| false, Timestamp::now()).await.unwrap();
    }

    /// Deletes a crawl.
    pub(crate) async fn delete(&self, crawl: &str) {
        let crawl = crawl.parse().unwrap();
        while !self.store.delete_crawl(&self.known.id, crawl, 1_000).await.unwrap().finished {}
    }

    /// Returns the project of the database.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    fn maintenance(&self) -> Maintenance {
        Maintenance {
            store: self.store.clone(),
            frontier: self.queue.clone(),
            announcer: self.queue.clone(),
            archive_queue: self.queue.clone(),
            summaries: self.queue.clone(),
            notices: Arc::new(NoNotices),
            audits: GatheredAudits::default(),
            settings: MaintenanceSettings { keep_crawls: Some(26), ..MaintenanceSettings::default() },
        }
    }

    /// Returns what is known of the pages.
    pub(crate) async fn page_summaries(&self) -> Vec<PageSummary> {
        let mut page_summaries = Vec::new();
        self.store.page_summaries(&self.known.id, None, &mut |page| page_summaries.push(page)).await.unwrap();
        page_summaries
    }

    fn scope(&self) -> Scope {
        Scope::new(&self.known.root, self.known.scope.clone()).unwrap()
    }

    /// Makes the step of a crawl, with what is known of the pages before it.
    async fn step(&self, crawl: &Crawl) -> CrawlStep {
        let guard = AddressGuard::for_root(&self.known.root);
        let http =
            HttpFetcher::new(HttpSettings::new("recrawl-test/1 (+https://example.org/)"), guard).unwrap();
        let pace = PaceSettings {
            delay: Duration::ZERO,
            min_delay: Duration::ZERO,
            parallel: PaceSettings::MOST_PARALLEL,
            ..PaceSettings::default()
        };
        let fetcher = Arc::new(Polite::new(http, pace));
        let token = "recrawl-test".to_owned();
        let (state_store, pace) = (self.store.clone(), fetcher.clone());
        let robots = RobotsCache::new(
            fetcher.clone(),
            state_store,
            pace,
            token.clone(),
            RobotsPolicy::Obey,
            Timestamp::now,
        );
        let settings = CrawlPolicy { retries: 0, product_token: token, ..policy() };
        let ports = Ports {
            store: self.store.clone(),
            frontier: self.queue.clone(),
            fetcher,
            robots: Arc::new(robots),
            absence: Arc::new(NoProbe),
            state_store: self.store.clone(),
            stumbles: self.store.clone(),
            extractor: Arc::new(HtmlExtractor::new(TextRules::default(), UrlRules::default(), true)),
            documents: Arc::new(NoDocuments),
        };
        let planner = Arc::new(VisitPlanner::new(Weights::default(), crawl.opened_at));
        let mut each = |page_summary| planner.expect(&page_summary);
        self.store.page_summaries(&self.known.id, Some(crawl.id), &mut each).await.unwrap();
        CrawlStep::new(self.known.clone(), crawl.clone(), self.scope(), settings, ports, planner)
    }
}

async fn connect(project: &str) -> FirestoreStore {
    let emulator = Some(Emulator::firestore().address().to_owned());
    let settings = FirestoreSettings { emulator, ..FirestoreSettings::new(project) };
    FirestoreStore::connect(settings).await.unwrap()
}
