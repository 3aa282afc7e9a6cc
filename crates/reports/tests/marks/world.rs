//! Sites in memory, and what a window makes of them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Tier, WordCount};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::review::{ChangeId, ReviewEdit};
use recrawl_core::model::site_state::{Obstacle, SiteState};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;

use recrawl_core::ports::Store;
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::{Bounds, ReviewFilter, Since, Window};
use recrawl_reports::sites::SiteStanding;
use recrawl_reports::{ChangeRow, ChangesFilter, Detail, ReportCache, Reports, Sort, reviews};
use recrawl_testkit::contract::samples::{bare_record, content, site};

/// How a crawl of a morning ends.
pub(crate) enum End {
    Whole,
    Stopped,
    Unusual,
    Unread,
    Open,
}

/// Sites in memory, on the evening of 18 November.
pub(crate) struct World {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) cache: ReportCache,
}

pub(crate) fn at(day: i64, hour: i64) -> Timestamp {
    "2026-11-01T00:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * (day - 1) + hour)
}

pub(crate) fn crawl_id(day: i64) -> CrawlId {
    format!("crawl-2026-11-{day:02}").parse().unwrap()
}

pub(crate) fn site_id(name: &str) -> SiteId {
    name.parse().unwrap()
}

impl World {
    /// Makes sites that were crawled whole on 2 November.
    pub(crate) async fn new(names: &[&str]) -> Self {
        let world = Self { store: Arc::default(), cache: ReportCache::default() };
        for name in names {
            world.store.save_site(&site(name)).await.unwrap();
            world.crawl(name, 2, End::Whole, &[]).await;
        }
        world
    }

    /// Records a crawl of a morning with these changes: path, verdict, text.
    pub(crate) async fn crawl(&self, name: &str, day: i64, end: End, pages: &[(&str, Verdict, &str)]) {
        let crawl = Crawl::new(site_id(name), crawl_id(day), at(day, 6));
        self.store.open_crawl(&crawl).await.unwrap();
        let statistics = self.record(name, day, pages).await;
        self.close(name, day, end, statistics).await;
    }

    /// Records changes of an open crawl.
    pub(crate) async fn record(&self, name: &str, day: i64, pages: &[(&str, Verdict, &str)]) -> Statistics {
        let mut statistics = Statistics::default();
        for (number, (path, verdict, text)) in (0..).zip(pages) {
            let content = content(text);
            let mut record = record(name, crawl_id(day), path, *verdict);
            record.visit.weight = 900 - number;
            record.known.content = Some(content.reference());
            statistics.add(&record);
            self.store.record(&record, Some(&content)).await.unwrap();
        }
        statistics
    }

    /// Closes an open crawl.
    pub(crate) async fn close(&self, name: &str, day: i64, end: End, statistics: Statistics) {
        let reason = || "the rest was not there".to_owned();
        let obstacle = Obstacle::NeedsPassword { status: 401 };
        let ending = match end {
            End::Open => return,
            End::Whole | End::Unusual => Ending::Complete,
            End::Stopped | End::Unread => Ending::Partial("stopped after 54 pages".to_owned()),
        };
        let closed = Closed {
            at: at(day, 7),
            ending,
            suspicion: matches!(end, End::Unusual).then(|| Suspicion::new(reason())),
            state: matches!(end, End::Unread).then_some(SiteState { obstacle, read: 0 }),
            statistics,
        };
        self.store.close_crawl(&site_id(name), crawl_id(day), &closed).await.unwrap();
    }

    pub(crate) fn reports(&self) -> Reports<'_> {
        Reports { history: &*self.store, reviews: Some(&*self.store), cache: &self.cache, now: at(18, 20) }
    }

    pub(crate) async fn sites(&self) -> Vec<Site> {
        recrawl_core::ports::History::sites(&*self.store).await.unwrap()
    }

    pub(crate) async fn window(&self, bounds: Bounds, filter: &ChangesFilter) -> Window {
        self.reports().window(&self.sites().await, bounds, filter, Sort::Weight).await.unwrap()
    }

    pub(crate) async fn rows(&self, bounds: Bounds, filter: &ChangesFilter) -> Vec<ChangeRow> {
        let window = self.window(bounds, filter).await;
        let described =
            self.reports().described_window(&self.sites().await, &window.changes.rows, Detail::All).await;
        described.unwrap()
    }

    pub(crate) async fn edit(&self, name: &str, day: i64, path: &str, edit: ReviewEdit) {
        let (crawl, site) = (crawl_id(day), site_id(name));
        let change = ChangeId { crawl, event: EventId::new(crawl, &url(name, path)) };
        reviews::edit(&*self.store, &site, &[change], &edit, at(18, 20)).await.unwrap();
    }

    pub(crate) async fn lines(&self) -> Vec<(String, SiteStanding, String, String)> {
        let lines = self.reports().site_lines(&self.sites().await).await.unwrap();
        lines.into_iter().map(|line| (line.site.to_string(), line.state, line.word, line.sentence)).collect()
    }
}

pub(crate) fn url(name: &str, path: &str) -> PageUrl {
    bare_record(name, "crawl-2026-11-02", path).url
}

pub(crate) fn record(name: &str, crawl: CrawlId, path: &str, verdict: Verdict) -> PageRecord {
    let mut record = bare_record(name, &crawl.to_string(), path);
    record.visit.verdict = verdict;
    record.visit.words = WordCount { changed: 4, of: 612 };
    record.visit.tier = (verdict == Verdict::Changed).then_some(Tier::Content);
    record.known.presence = if verdict == Verdict::Gone { Presence::Gone } else { Presence::Present };
    record
}

pub(crate) fn week() -> Bounds {
    Bounds::since(Since::Time(at(11, 20)))
}

pub(crate) fn shown(rows: &[ChangeRow]) -> Vec<(&str, &str, bool)> {
    rows.iter()
        .map(|row| {
            let site = row.site().map_or("", SiteId::as_str);
            (site, row.url().map_or("", PageUrl::path), row.review().unwrap().seen)
        })
        .collect()
}

pub(crate) fn unseen() -> ChangesFilter {
    let review = ReviewFilter { unseen: true, starred: false };
    ChangesFilter { review, ..ChangesFilter::default() }
}
