//! The latest state of every page, with its change rate.

use std::collections::HashSet;

use jiff::Timestamp;
use recrawl_core::decide::baseline;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::change_rate::days_between;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::versions::failures;
use serde::Serialize;

use crate::frequency::Frequency;
use crate::scan::Scan;

/// A page as it was last seen; its JSON form is stable.
#[derive(Debug, Clone, Serialize)]
pub struct PageEntry {
    /// The page.
    pub url: PageUrl,
    /// What it last was.
    pub presence: Presence,
    /// What its last visit found.
    pub last_verdict: Verdict,
    /// The HTTP status of its last visit.
    pub status: Option<u16>,
    /// The crawl that visited it last.
    pub crawl: CrawlId,
    /// When a visit last told something.
    pub last_seen: Timestamp,
    /// How many days ago that is.
    pub stale_days: f64,
    /// When a change was last seen.
    pub last_changed: Option<Timestamp>,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// How often it changes.
    #[serde(flatten)]
    pub frequency: Frequency,
    /// What it cost when it was last received whole.
    pub received_bytes: u64,
    /// How long its last visit took.
    pub fetch_ms: u32,
    /// How many visits failed one after the other, up to the last.
    pub failures: usize,
    /// Why its last visit failed or did not take place.
    pub reason: Option<String>,
    /// Its title.
    pub title: Option<String>,
    #[serde(skip)]
    content: Option<ContentHash>,
}

impl PageEntry {
    /// The fields in the order of columns.
    pub const FIELDS: [&str; 20] = [
        "url",
        "presence",
        "last_verdict",
        "status",
        "crawl",
        "last_seen",
        "stale_days",
        "last_changed",
        "first_seen",
        "changes_a_day",
        "estimated_changes_a_day",
        "meaning",
        "suggested_interval_hours",
        "observations",
        "changes",
        "received_bytes",
        "fetch_ms",
        "failures",
        "reason",
        "title",
    ];

    /// Describes a page by its newest record.
    pub fn new(record: &PageRecord, now: Timestamp) -> Self {
        let (visit, known) = (&record.visit, &record.known);
        Self {
            url: record.url.clone(),
            presence: known.presence,
            last_verdict: visit.verdict,
            status: visit.status,
            crawl: record.crawl,
            last_seen: known.last_seen,
            stale_days: days_between(known.last_seen, now),
            last_changed: known.last_changed,
            first_seen: known.first_seen,
            frequency: Frequency::of(known),
            received_bytes: known.transfer_bytes,
            fetch_ms: visit.fetch_ms,
            failures: usize::from(visit.verdict == Verdict::Failed),
            reason: visit.reason.clone(),
            title: None,
            content: known.content.as_ref().map(|content| content.hash),
        }
    }

    /// Tells whether the page is there, or redirects.
    pub fn is_live(&self) -> bool {
        self.presence.is_live()
    }

    /// Tells whether its last visit failed.
    pub fn is_failing(&self) -> bool {
        self.last_verdict == Verdict::Failed
    }

    /// Tells whether the page fails, or is not there.
    pub fn is_wrong(&self) -> bool {
        let is_absent = match self.presence {
            Presence::Gone | Presence::GoneForGood => true,
            Presence::Unknown => self.last_verdict == Verdict::Missing,
            Presence::Present | Presence::Redirect => false,
        };
        self.is_failing() || is_absent
    }

    /// Counts how many of its visits failed one after the other, up to the last.
    fn count_failures(&mut self, visits: &[PageRecord]) {
        let failures = failures(visits);
        let row = failures.last().and_then(|failures| failures.since).map(|(_, visits)| visits);
        self.failures = row.unwrap_or(self.failures);
    }
}

/// Calls `keep` with the newest record of every page in a crawl that is believed, and returns what it keeps.
pub async fn latest_pages<T>(
    history: &dyn History,
    crawls: &[Crawl],
    keep: impl Fn(&PageRecord) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let mut seen: HashSet<u128> = HashSet::new();
    let mut kept = Vec::new();
    for id in baseline(crawls) {
        let Some(crawl) = crawls.iter().find(|crawl| crawl.id == id) else { continue };
        let mut scan = Scan::new(history, crawl, &[]);
        while let Some(records) = scan.next().await? {
            for record in records {
                if seen.insert(record.url.fingerprint()) {
                    kept.extend(keep(&record));
                }
            }
        }
    }
    Ok(kept)
}

/// Adds what is worth a look only for the pages that are listed: titles, and how often visits failed.
pub async fn complete(history: &dyn History, site: &Site, rows: &mut [PageEntry]) -> Result<(), StoreError> {
    let contents: Vec<ContentHash> = rows.iter().filter_map(|row| row.content).collect();
    let titles = history.titles(&site.id, &contents).await?;
    for row in rows {
        row.title = row.content.and_then(|hash| titles.get(&hash).cloned());
        if row.is_failing() {
            row.count_failures(&history.visits(&site.id, &row.url).await?);
        }
    }
    Ok(())
}
