//! Ten weeks of a site whose pages change at known rates: what is learnt of them, and what can be had again.
//!
//! Real HTTP and a real database; only the calendar is made up.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{Contents, FetchError, Fetcher, History, Request, Response};
use recrawl_core::versions::{version_at, versions};
use recrawl_engine::{Ended, Event, Observer};
use recrawl_fetch::{HttpFetcher, Polite};
use recrawl_store_sqlite::SqliteStore;
use recrawl_testkit::contract::samples::policy;
use recrawl_testkit::site::{Page, Site as Server};

use self::world::{World, ports};

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
    format!("Street {page}\n{}", sentence(page, version))
}

/// A sentence of a page's own in words: numbers that change on many pages at once would be learnt to be noise.
fn sentence(page: i64, version: i64) -> String {
    let letters: String = version.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
    format!("The works in street {page} have come to the state {letters} of all that is planned.")
}

fn publish(server: &Server, day: i64) {
    for page in 0..PAGES {
        let (heading, words) = (format!("Street {page}"), sentence(page, version_on(page, day)));
        let html = format!(
            "<!DOCTYPE html><html><head><title>{heading}</title></head><body><h1>{heading}</h1>\
             <p>{words}</p></body></html>"
        );
        server.page(&format!("/{page}"), Page::html(html));
    }
}

/// A fetcher whose answers come on the day that it is.
struct Dated(Arc<Polite<HttpFetcher>>);

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

struct Weeks {
    world: World,
    store: Arc<SqliteStore>,
}

impl Weeks {
    async fn crawl(&self) {
        let pace = PaceSettings { parallel: 8, ..PaceSettings::unlimited() };
        let (fetcher, robots) = self.world.web(&self.store, pace);
        let ports = ports(&self.store, Arc::new(Dated(fetcher)), robots);
        let policy = CrawlPolicy { archive: ArchivePolicy::Never, checked_share: 0.01, ..policy() };
        let mut runner = self.world.runner(&self.store, ports, policy, Arc::new(Nobody)).await;
        assert!(!runner.run.resumed, "the crawl of the week before is closed");
        runner.run.parallel = 32;
        let ended = runner.run().await.unwrap();
        assert!(matches!(&ended, Ended::Closed(closed) if closed.is_whole()), "{ended:?}");
    }

    async fn visits(&self, page: i64) -> Vec<PageRecord> {
        self.store.visits(&self.world.site.id, &self.world.server.at(&format!("/{page}"))).await.unwrap()
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
            let text = self.store.text(&self.world.site.id, &content.semantic).await.unwrap().unwrap();
            assert_eq!(text, text_of(page, expected), "page {page} in week {week}");
            let body = self.store.body(&self.world.site.id, &content).await.unwrap().unwrap();
            let body = String::from_utf8(body).unwrap();
            assert!(body.contains(&sentence(page, expected)), "page {page} in week {week}: {body}");
        }
        assert!(version_at(&versions, day(-1)).is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rates_are_learnt_within_a_quarter_and_every_past_version_can_be_had() {
    let paths: Vec<String> = (0..PAGES).map(|page| format!("/{page}")).collect();
    let world = World::new(&paths, today).await;
    let weeks = Weeks { store: world.store(), world };
    for week in 0..=WEEKS {
        DAYS.store(7 * week, Ordering::Relaxed);
        publish(&weeks.world.server, 7 * week);
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
