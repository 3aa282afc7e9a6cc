//! A web server, a SQLite file, and runs that read pages with whatever the test brings.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::decide::{Opening, opening};
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::{Extracted, Extractor, KeepBodies, Unreadable};
use recrawl_core::model::crawl::{Crawl, CrawlKind, Mode, Site};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::Store;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_engine::step::{CrawlStep, Ports};
use recrawl_engine::{
    Budget, Ended, Event, Observer, RobotsCache, RobotsPolicy, Run, Runner, RunnerError, SoftErrorCache,
    StopHandle,
};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::site::{Page, Site as Server};
use tempfile::TempDir;

/// Reads HTML, and panics over pages whose address holds one of these words; if that is `stubborn`, once more when
/// somebody notes it.
pub(crate) struct Panicking {
    html: HtmlExtractor,
    words: &'static [&'static str],
    again: AtomicBool,
}

impl Extractor for Panicking {
    fn rules(&self) -> &RulesVersion {
        assert!(!self.again.swap(false, Ordering::SeqCst), "on purpose, again");
        self.html.rules()
    }

    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable> {
        let path = url.path();
        if let Some(word) = self.words.iter().find(|word| path.contains(**word)) {
            self.again.store(*word == "stubborn", Ordering::SeqCst);
            panic!("on purpose, at {path}");
        }
        self.html.extract(url, content_type, body)
    }
}

/// Remembers what a run warned of.
#[derive(Default)]
pub(crate) struct Listener(Mutex<Vec<String>>);

impl Listener {
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Listener {
    fn on(&self, event: Event<'_>) {
        if let Event::Warning(warning) = event {
            self.0.lock().unwrap().push(warning);
        }
    }
}

pub(crate) struct Harness {
    _folder: TempDir,
    path: PathBuf,
    pub(crate) server: Server,
    pub(crate) site: Site,
    pub(crate) listener: Arc<Listener>,
}

impl Harness {
    /// Plants a root that leads to these pages.
    pub(crate) async fn new(paths: &[String]) -> Self {
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
            created_at: Timestamp::now(),
        };
        let path = folder.path().join("recrawl.db");
        Self { path, _folder: folder, server, site, listener: Arc::default() }
    }

    pub(crate) fn open(&self) -> Arc<SqliteStore> {
        Arc::new(SqliteStore::open(&self.path, &Options::default()).unwrap())
    }

    /// Goes on with the open crawl, or opens the next, in a store that is opened anew as by another process.
    pub(crate) async fn run(&self, words: &'static [&'static str]) -> (Result<Ended, RunnerError>, Crawl) {
        let store = self.open();
        store.save_site(&self.site).await.unwrap();
        let crawls = store.crawls(&self.site.id).await.unwrap();
        let now = Timestamp::now();
        let (crawl, resumed) =
            match opening(&crawls, &self.site.id, CrawlKind::Full, Mode::Incremental, None, now) {
                Opening::Open(crawl) => (crawl, false),
                Opening::Join(crawl) | Opening::Done(crawl) => (crawl, true),
            };
        store.open_crawl(&crawl).await.unwrap();
        let runner = Runner {
            run: Run {
                site: self.site.clone(),
                crawl: crawl.clone(),
                most_due: None,
                budget: Budget::default(),
                sample_size: 50,
                parallel: 2,
                resumed,
            },
            step: Arc::new(self.step(&store, crawl.clone(), words)),
            store: store.clone(),
            pull_frontier: store.clone(),
            announcer: store.clone(),
            state_store: store.clone(),
            sitemaps: None,
            observer: self.listener.clone(),
            stop_handle: StopHandle::default(),
            clock: Timestamp::now,
        };
        (runner.run().await, crawl)
    }

    fn step(&self, store: &Arc<SqliteStore>, crawl: Crawl, words: &'static [&'static str]) -> CrawlStep {
        let guard = AddressGuard::for_root(&self.site.root);
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        let polite = Arc::new(Polite::new(http, PaceSettings::unlimited()));
        let robots = Arc::new(RobotsCache::new(
            polite.clone(),
            store.clone(),
            polite.clone(),
            "recrawl".to_owned(),
            RobotsPolicy::Obey,
            Timestamp::now,
        ));
        let html = HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
        let extractor: Arc<dyn Extractor> =
            Arc::new(Panicking { html, words, again: AtomicBool::new(false) });
        let absence = SoftErrorCache::new(
            polite.clone(),
            store.clone(),
            robots.clone(),
            extractor.clone(),
            self.site.root.clone(),
            Timestamp::now,
        );
        let ports = Ports {
            store: store.clone(),
            frontier: store.clone(),
            fetcher: polite,
            robots,
            absence: Arc::new(absence),
            state_store: store.clone(),
            stumbles: store.clone(),
            extractor,
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
