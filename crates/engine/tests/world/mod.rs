//! A real web server, a real SQLite file, and runs that crawl the one into the other.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::decide::{Opening, opening};
use recrawl_core::model::crawl::{Crawl, CrawlKind, Mode, Site};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Fetcher, NoDocuments, Store};
use recrawl_core::url::UrlRules;
use recrawl_engine::step::{CrawlStep, Ports};
use recrawl_engine::{Budget, NoProbe, Observer, RobotsCache, RobotsPolicy, Run, Runner, StopHandle};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::site::{Page, Site as Server};
use tempfile::TempDir;

pub(crate) struct World {
    _folder: TempDir,
    pub(crate) path: PathBuf,
    pub(crate) server: Server,
    pub(crate) site: Site,
    clock: fn() -> Timestamp,
}

impl World {
    /// Plants a root that leads to these pages.
    pub(crate) async fn new(paths: &[String], clock: fn() -> Timestamp) -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), Server::start().await);
        let links: Vec<String> = paths.iter().map(|path| format!("<a href={path}>{path}</a>")).collect();
        server.page("/", Page::html(format!("<h1>Root</h1>{}", links.concat())));
        for path in paths {
            server.page(path, Page::html(format!("<h1>This is {path}</h1>")));
        }
        let site = Site {
            id: "example".parse().unwrap(),
            root: server.at("/"),
            scope: ScopeSettings::default(),
            created_at: clock(),
        };
        Self { path: folder.path().join("recrawl.db"), _folder: folder, server, site, clock }
    }

    /// Opens the store anew, as another process would.
    pub(crate) fn store(&self) -> Arc<SqliteStore> {
        Arc::new(SqliteStore::open(&self.path, &Options::default()).unwrap())
    }

    /// Returns a fetcher, and a cache of robots.txt that asks through it.
    pub(crate) fn web(
        &self,
        store: &Arc<SqliteStore>,
        pace: PaceSettings,
    ) -> (Arc<Polite<HttpFetcher>>, Arc<RobotsCache>) {
        let guard = AddressGuard::for_root(&self.site.root);
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let polite = Arc::new(Polite::new(http, pace));
        let (token, obey) = ("recrawl".to_owned(), RobotsPolicy::Obey);
        let robots = RobotsCache::new(polite.clone(), store.clone(), polite.clone(), token, obey, self.clock);
        (polite, Arc::new(robots))
    }

    /// Goes on with the open crawl, or opens the next; pages are visited one after the other.
    pub(crate) async fn runner(
        &self,
        store: &Arc<SqliteStore>,
        ports: Ports,
        policy: CrawlPolicy,
        observer: Arc<dyn Observer>,
    ) -> Runner {
        store.save_site(&self.site).await.unwrap();
        let crawls = store.crawls(&self.site.id).await.unwrap();
        let now = (self.clock)();
        let (crawl, resumed) =
            match opening(&crawls, &self.site.id, CrawlKind::Full, Mode::Incremental, None, now) {
                Opening::Open(crawl) => (crawl, false),
                Opening::Join(crawl) | Opening::Done(crawl) => (crawl, true),
            };
        store.open_crawl(&crawl).await.unwrap();
        Runner {
            step: Arc::new(self.step(crawl.clone(), ports, policy)),
            run: Run {
                site: self.site.clone(),
                crawl,
                most_due: None,
                budget: Budget::default(),
                sample_size: 50,
                parallel: 1,
                resumed,
                closes_silent: false,
            },
            store: store.clone(),
            pull_frontier: store.clone(),
            announcer: store.clone(),
            state_store: store.clone(),
            sitemaps: None,
            pace: None,
            observer,
            stop_handle: StopHandle::default(),
            clock: self.clock,
        }
    }

    fn step(&self, crawl: Crawl, ports: Ports, policy: CrawlPolicy) -> CrawlStep {
        let scope = Scope::new(&self.site.root, ScopeSettings::default()).unwrap();
        let planner = Arc::new(VisitPlanner::new(Weights::default(), (self.clock)()));
        CrawlStep::new(self.site.clone(), crawl, scope, policy, ports, planner)
    }
}

/// Returns the ports of a step that reads HTML and does not ask for pages that cannot be there.
pub(crate) fn ports(store: &Arc<SqliteStore>, fetcher: Arc<dyn Fetcher>, robots: Arc<RobotsCache>) -> Ports {
    Ports {
        store: store.clone(),
        frontier: store.clone(),
        fetcher,
        robots,
        absence: Arc::new(NoProbe),
        state_store: store.clone(),
        stumbles: store.clone(),
        extractor: Arc::new(HtmlExtractor::new(TextRules::default(), UrlRules::default(), true)),
        documents: Arc::new(NoDocuments),
    }
}
