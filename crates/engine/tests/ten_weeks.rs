//! Ten weeks of a site whose pages change at known rates: what is learnt of them, and what can be had again.
//!
//! Real HTTP and a real database; only the calendar is made up.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::decide::{Opening, opening};
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::KeepBodies;
use recrawl_core::model::crawl::{CrawlKind, Mode, Site};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::scope::{Scope, ScopeSettings};
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Contents, FetchError, Fetcher, History, Request, Response, Store};
use recrawl_core::url::UrlRules;
use recrawl_core::versions::{version_at, versions};
use recrawl_engine::step::{CrawlStep, Ports};
use recrawl_engine::{
    Budget, Ended, Event, NoProbe, Observer, RobotsCache, RobotsPolicy, Run, Runner, StopHandle,
};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::{TextRules, TextSettings};
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::site::{Page, Site as Server};

const PAGES: i64 = 500;
const WEEKS: i64 = 10;

/// Days between two changes of a page, by the page's number; 0 never changes.
const PERIODS: [i64; 6] = [7, 10, 14, 21, 35, 0];

static DAYS: AtomicI64 = AtomicI64::new(0);

fn day(number: i64) -> Timestamp {
    "2026-01-05T06:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * number)
}

fn today() -> Timestamp {
    day(DAYS.load(Ordering::Relaxed))
}

fn period(page: i64) -> i64 {
    PERIODS[usize::try_from(page).unwrap() % PERIODS.len()]
}

/// Returns which version of a page is there on a day. Pages of one period change on different days.
fn version_on(page: i64, day: i64) -> i64 {
    match period(page) {
        0 => 0,
        period => (day + page / 6) / period,
    }
}

fn text_of(page: i64, version: i64) -> String {
    format!("Street {page}\nThe works are in state {version} now.")
}

fn publish(server: &Server, day: i64) {
    for page in 0..PAGES {
        let (heading, words) = (format!("Street {page}"), version_on(page, day));
        let html = format!(
            "<!DOCTYPE html><html><head><title>{heading}</title></head><body><h1>{heading}</h1>\
             <p>The works are in state {words} now.</p></body></html>"
        );
        server.page(&format!("/{page}"), Page::html(html));
    }
}

/// A fetcher whose answers come on the day that it is.
struct Dated(Polite<HttpFetcher>);

#[async_trait]
impl Fetcher for Dated {
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
        self.0.fetch(request).await.map(|response| Response { fetched_at: today(), ..response })
    }
}

struct Nobody;

impl Observer for Nobody {
    fn on(&self, _: Event<'_>) {}
}

struct Week {
    site: Site,
    server: Server,
    store: Arc<SqliteStore>,
}

impl Week {
    fn polite(&self) -> Polite<HttpFetcher> {
        let guard = AddressGuard::for_root(&self.site.root);
        let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
        Polite::new(http, PaceSettings { parallel: 8, ..PaceSettings::unlimited() })
    }

    async fn crawl(&self) {
        let crawls = self.store.crawls(&self.site.id).await.unwrap();
        let Opening::Open(crawl) =
            opening(&crawls, &self.site.id, CrawlKind::Full, Mode::Incremental, None, today())
        else {
            panic!("the crawl of the week before is closed")
        };
        self.store.open_crawl(&crawl).await.unwrap();
        let pace = Arc::new(self.polite());
        let robots = RobotsCache::new(
            pace.clone(),
            self.store.clone(),
            pace,
            "recrawl".to_owned(),
            RobotsPolicy::Obey,
            today,
        );
        let rules = TextRules::new(&TextSettings::default()).unwrap();
        let ports = Ports {
            store: self.store.clone(),
            frontier: self.store.clone(),
            fetcher: Arc::new(Dated(self.polite())),
            robots: Arc::new(robots),
            absence: Arc::new(NoProbe),
            state_store: self.store.clone(),
            stumbles: self.store.clone(),
            extractor: Arc::new(HtmlExtractor::new(rules, UrlRules::default(), true)),
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
            checked_share: 0.01,
            smart_threshold: 0.2,
            retries: 2,
            page_time_out: Duration::from_mins(1),
            trap_limit: 100,
            product_token: "recrawl".to_owned(),
        };
        let scope = Scope::new(&self.site.root, ScopeSettings::default()).unwrap();
        let planner = Arc::new(VisitPlanner::new(Weights::default(), today()));
        let step = CrawlStep::new(self.site.clone(), crawl.clone(), scope, settings, ports, planner);
        let runner = Runner {
            run: Run {
                site: self.site.clone(),
                crawl,
                most_due: None,
                budget: Budget::default(),
                sample_size: 50,
                parallel: 32,
                resumed: false,
            },
            step: Arc::new(step),
            store: self.store.clone(),
            pull_frontier: self.store.clone(),
            announcer: self.store.clone(),
            state_store: self.store.clone(),
            sitemaps: None,
            observer: Arc::new(Nobody),
            stop_handle: StopHandle::default(),
            clock: today,
        };
        let ended = runner.run().await.unwrap();
        assert!(matches!(&ended, Ended::Closed(closed) if closed.is_whole()), "{ended:?}");
    }

    async fn visits(&self, page: i64) -> Vec<PageRecord> {
        self.store.visits(&self.site.id, &self.server.at(&format!("/{page}"))).await.unwrap()
    }

    /// Asserts that the page as it was can be had for every past date, from its text and from its body.
    async fn assert_every_past_date_can_be_had(&self, page: i64) {
        let visits = self.visits(page).await;
        let versions = versions(&visits);
        for week in 0..=WEEKS {
            // Between two visits, what was there at the earlier one is the best that is known.
            let found = version_at(&versions, day(7 * week + 3)).unwrap();
            let content = found.first.known.content.clone().unwrap();
            let expected = version_on(page, 7 * week);
            let text = self.store.text(&self.site.id, &content.semantic).await.unwrap().unwrap();
            assert_eq!(text, text_of(page, expected), "page {page} in week {week}");
            let body = self.store.body(&self.site.id, &content).await.unwrap().unwrap();
            let body = String::from_utf8(body).unwrap();
            assert!(body.contains(&format!("in state {expected} now")), "page {page} in week {week}: {body}");
        }
        assert!(version_at(&versions, day(-1)).is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rates_are_learnt_within_a_quarter_and_every_past_version_can_be_had() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start().await;
    let links: Vec<String> = (0..PAGES).map(|page| format!("<li><a href=/{page}>{page}</a></li>")).collect();
    server.page("/", Page::html(format!("<h1>Streets</h1><ul>{}</ul>", links.concat())));
    let store = Arc::new(SqliteStore::open(folder.path().join("recrawl.db"), &Options::default()).unwrap());
    let site = Site {
        id: "streets".parse().unwrap(),
        root: server.at("/"),
        scope: ScopeSettings::default(),
        created_at: today(),
    };
    store.save_site(&site).await.unwrap();
    let weeks = Week { site, server, store };
    for week in 0..=WEEKS {
        DAYS.store(7 * week, Ordering::Relaxed);
        publish(&weeks.server, 7 * week);
        weeks.crawl().await;
    }

    let mut learnt = 0;
    for page in 0..PAGES {
        let visits = weeks.visits(page).await;
        assert_eq!(visits.len(), 11, "page {page} is visited every week");
        let known = &visits.last().unwrap().known;
        let seen = (0..WEEKS).filter(|week| version_on(page, 7 * week) != version_on(page, 7 * (week + 1)));
        assert_eq!(usize::try_from(known.changes_detected).unwrap(), seen.count(), "page {page}");
        if known.changes_detected >= 5 {
            learnt += 1;
            #[expect(clippy::cast_precision_loss, reason = "a period is a few days")]
            let rate = 1.0 / period(page) as f64;
            let error = (known.change_frequency - rate).abs() / rate;
            assert!(
                error <= 0.25,
                "page {page} changes {rate:.4} times a day, learnt {:.4} ({:.0} % off)",
                known.change_frequency,
                100.0 * error
            );
        }
        weeks.assert_every_past_date_can_be_had(page).await;
    }
    assert!(learnt >= 240, "pages with five changes or more: {learnt}");
}
