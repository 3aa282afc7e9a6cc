//! Ending a run before its time: the crawl rests, or is closed as partial.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::decide::{Opening, opening};
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::KeepBodies;
use recrawl_core::model::crawl::{Closed, CrawlKind, Ending, Mode, Site};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{StateGroup, StateStore, Store};
use recrawl_core::url::UrlRules;
use recrawl_engine::step::{CrawlStep, Ports};
use recrawl_engine::{
    Budget, Ended, Event, NoProbe, Observer, RobotsCache, RobotsPolicy, Run, Runner, StopHandle, StopMode,
};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::site::{Page, Site as Server};

const PAGES: u32 = 20;
const BY_HAND: StopMode = StopMode::Close("it was stopped by hand");

/// When somebody asks the run to end, and how.
#[derive(Clone, Copy)]
enum Asks {
    Never,
    AtOnce(StopMode),
    AfterPages(u32, StopMode),
    WhenConfirming(StopMode),
}

struct Person {
    asks: Asks,
    stop_handle: StopHandle,
    recorded: AtomicU32,
}

impl Observer for Person {
    fn on(&self, event: Event<'_>) {
        match (event, self.asks) {
            (Event::Recorded { .. }, Asks::AfterPages(pages, stop_mode)) => {
                if self.recorded.fetch_add(1, Ordering::Relaxed) + 1 == pages {
                    self.stop_handle.ask(stop_mode);
                }
            }
            (Event::Confirming(_), Asks::WhenConfirming(stop_mode)) => self.stop_handle.ask(stop_mode),
            (_, _) => {}
        }
    }
}

struct Harness {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
    server: Server,
    site: Site,
}

impl Harness {
    async fn new() -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), Server::start().await);
        let links: Vec<String> = (0..PAGES).map(|page| format!("<a href=/{page}>{page}</a>")).collect();
        server.page("/", Page::html(format!("<h1>Root</h1>{}", links.concat())));
        for page in 0..PAGES {
            server.page(&format!("/{page}"), Page::html(format!("<h1>Page {page}</h1>")));
        }
        let site = Site {
            id: "example".parse().unwrap(),
            root: server.at("/"),
            scope: ScopeSettings::default(),
            created_at: Timestamp::now(),
        };
        Self { path: folder.path().join("recrawl.db"), _folder: folder, server, site }
    }

    /// Goes on with the open crawl, or opens the next, in a store that is opened anew as by another process.
    async fn run(&self, asks: Asks) -> (Ended, Arc<SqliteStore>) {
        let store = Arc::new(SqliteStore::open(&self.path, &Options::default()).unwrap());
        store.save_site(&self.site).await.unwrap();
        let crawls = store.crawls(&self.site.id).await.unwrap();
        let now = Timestamp::now();
        let (crawl, resumed) =
            match opening(&crawls, &self.site.id, CrawlKind::Full, Mode::Incremental, None, now) {
                Opening::Open(crawl) => (crawl, false),
                Opening::Join(crawl) | Opening::Done(crawl) => (crawl, true),
            };
        store.open_crawl(&crawl).await.unwrap();
        let stop_handle = StopHandle::default();
        if let Asks::AtOnce(stop_mode) = asks {
            stop_handle.ask(stop_mode);
        }
        let runner = Runner {
            run: Run {
                site: self.site.clone(),
                crawl: crawl.clone(),
                most_due: None,
                budget: Budget::default(),
                sample_size: 50,
                parallel: 1,
                resumed,
            },
            step: Arc::new(self.step(&store, crawl)),
            store: store.clone(),
            pull_frontier: store.clone(),
            announcer: store.clone(),
            state_store: store.clone(),
            sitemaps: None,
            observer: Arc::new(Person {
                asks,
                stop_handle: stop_handle.clone(),
                recorded: AtomicU32::new(0),
            }),
            stop_handle,
            clock: Timestamp::now,
        };
        (runner.run().await.unwrap(), store)
    }

    fn step(&self, store: &Arc<SqliteStore>, crawl: recrawl_core::model::crawl::Crawl) -> CrawlStep {
        let guard = AddressGuard::for_root(&self.site.root);
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let polite = Arc::new(Polite::new(http, PaceSettings::unlimited()));
        let robots = RobotsCache::new(
            polite.clone(),
            store.clone(),
            polite.clone(),
            "recrawl".to_owned(),
            RobotsPolicy::Obey,
            Timestamp::now,
        );
        let ports = Ports {
            store: store.clone(),
            frontier: store.clone(),
            fetcher: polite,
            robots: Arc::new(robots),
            absence: Arc::new(NoProbe),
            state_store: store.clone(),
            stumbles: store.clone(),
            extractor: Arc::new(HtmlExtractor::new(TextRules::default(), UrlRules::default(), true)),
        };
        let settings = CrawlPolicy {
            keep_bodies: KeepBodies::Changed,
            full_history: Vec::new(),
            compare: Aspects::ALL,
            url_rules: UrlRules::default(),
            obey_nofollow: true,
            archive: ArchivePolicy::Never,
            is_first_crawl: false,
            trust_freshness: false,
            skip_if_visited_days: 0,
            head_first: false,
            checked_share: 0.0,
            smart_threshold: 0.2,
            retries: 2,
            page_time_out: Duration::from_mins(1),
            trap_limit: 100,
            product_token: "recrawl".to_owned(),
        };
        let scope = Scope::new(&self.site.root, ScopeSettings::default()).unwrap();
        let planner = Arc::new(VisitPlanner::new(Weights::default(), Timestamp::now()));
        CrawlStep::new(self.site.clone(), crawl, scope, settings, ports, planner)
    }
}

fn closed(ended: Ended) -> Closed {
    match ended {
        Ended::Closed(closed) => *closed,
        Ended::Stopped | Ended::Waiting(_) => panic!("{ended:?}"),
    }
}

#[tokio::test]
async fn a_run_that_is_closed_early_is_partial_and_makes_nothing_gone() {
    let harness = Harness::new().await;
    closed(harness.run(Asks::Never).await.0);
    for page in 0..5 {
        harness.server.remove(&format!("/{page}"));
    }
    let closed = closed(harness.run(Asks::AfterPages(8, BY_HAND)).await.0);
    assert_eq!(closed.ending, Ending::Partial("it was stopped by hand".to_owned()));
    assert_eq!((closed.statistics.total, closed.statistics.gone), (8, 0));
}

#[tokio::test]
async fn a_run_that_rests_goes_on_and_one_that_rested_can_be_closed_without_a_request() {
    let harness = Harness::new().await;
    let (ended, store) = harness.run(Asks::AfterPages(8, StopMode::Pause)).await;
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    assert!(store.crawl_under_way(&harness.site.id).await.unwrap().is_some());
    drop(store);
    let before = harness.server.log().len();
    let closed = closed(harness.run(Asks::AtOnce(BY_HAND)).await.0);
    assert_eq!(closed.ending, Ending::Partial("it was stopped by hand".to_owned()));
    assert_eq!((closed.statistics.total, harness.server.log().len()), (8, before));
}

#[tokio::test]
async fn pages_that_are_being_confirmed_to_be_gone_are_confirmed_all() {
    let harness = Harness::new().await;
    closed(harness.run(Asks::Never).await.0);
    for page in 0..5 {
        harness.server.remove(&format!("/{page}"));
    }
    let closed = closed(harness.run(Asks::WhenConfirming(BY_HAND)).await.0);
    assert_eq!((closed.ending, closed.statistics.gone), (Ending::Complete, 5));
}

#[tokio::test]
async fn what_was_noted_about_pages_is_forgotten_when_the_crawl_is_closed() {
    let harness = Harness::new().await;
    closed(harness.run(Asks::Never).await.0);
    for page in 0..5 {
        harness.server.remove(&format!("/{page}"));
    }
    let absences = StateGroup::first_absences(&harness.site.id);
    let noted = async |store: &SqliteStore| store.states(&absences).await.unwrap().len();
    let (_, store) = harness.run(Asks::AfterPages(15, StopMode::Pause)).await;
    assert!(noted(&store).await > 0, "the crawl is open");
    drop(store);
    let (ended, store) = harness.run(Asks::Never).await;
    assert_eq!((closed(ended).statistics.gone, noted(&store).await), (5, 0));
}
