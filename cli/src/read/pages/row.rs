//! One page in the list.

use jiff::Timestamp;
use recrawl_core::model::ids::{ContentHash, CrawlId};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::change_rate::days_between;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::failures;
use serde::Serialize;

use crate::output::{Cell, Column, Sheet, bytes, counted, day_and_time, style_of};
use crate::read::frequency::{Frequency, figure_if_known};

/// A page as it was last seen; its JSON form is stable.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PageRow {
    pub(super) url: PageUrl,
    /// What it last was.
    presence: Presence,
    /// What its last visit found.
    last_verdict: Verdict,
    status: Option<u16>,
    crawl: CrawlId,
    /// When a visit last told something, and how many days ago.
    last_seen: Timestamp,
    pub(super) stale_days: f64,
    last_changed: Option<Timestamp>,
    first_seen: Timestamp,
    #[serde(flatten)]
    frequency: Frequency,
    /// What it cost when it was last received whole.
    pub(super) received_bytes: u64,
    pub(super) fetch_ms: u32,
    /// How many visits failed one after the other, up to the last.
    failures: usize,
    reason: Option<String>,
    pub(super) title: Option<String>,
    #[serde(skip)]
    pub(super) content: Option<ContentHash>,
}

/// The fields in the order of columns.
pub(super) const FIELDS: [&str; 20] = [
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

impl PageRow {
    pub(super) fn new(record: &PageRecord, now: Timestamp) -> Self {
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

    pub(super) fn is_live(&self) -> bool {
        self.presence.is_live()
    }

    pub(super) fn is_failing(&self) -> bool {
        self.last_verdict == Verdict::Failed
    }

    /// Tells whether the page fails, or is not there.
    pub(super) fn is_wrong(&self) -> bool {
        let is_absent = match self.presence {
            Presence::Gone | Presence::GoneForGood => true,
            Presence::Unknown => self.last_verdict == Verdict::Missing,
            Presence::Present | Presence::Redirect => false,
        };
        self.is_failing() || is_absent
    }

    pub(super) fn changes_a_day(&self) -> Option<f64> {
        self.frequency.changes_a_day
    }

    /// Counts how many of its visits failed one after the other, up to the last.
    pub(super) fn count_failures(&mut self, visits: &[PageRecord]) {
        let failures = failures(visits);
        let row = failures.last().and_then(|failures| failures.since).map(|(_, visits)| visits);
        self.failures = row.unwrap_or(self.failures);
    }

    fn state(&self) -> String {
        if self.is_failing() {
            return format!("failed {}", counted(self.failures as u64, "time"));
        }
        match (self.presence, self.last_verdict) {
            (_, Verdict::Excluded) => "excluded",
            (Presence::Present, _) => "present",
            (Presence::Redirect, _) => "redirect",
            (Presence::Gone, _) => "gone",
            (Presence::GoneForGood, _) => "gone for good",
            (Presence::Unknown, _) => "missing",
        }
        .to_owned()
    }
}

pub(super) fn sheet(rows: &[PageRow], address: impl Fn(&PageUrl) -> &str) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("page"),
        Column::new("state"),
        Column::number("status"),
        Column::new("last seen (UTC)"),
        Column::new("last changed"),
        Column::number("changes a day"),
        Column::new("meaning"),
        Column::new("visit it"),
        Column::number("received"),
        Column::number("took"),
        Column::flexible("title"),
    ]);
    for row in rows {
        let live = |text: String| if row.is_live() { text } else { "-".to_owned() };
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let remark =
            if row.is_failing() || row.last_verdict == Verdict::Excluded { &row.reason } else { &row.title };
        let cells: [Cell; 11] = [
            address(&row.url).into(),
            Cell::styled(row.state(), style_of(row.last_verdict)),
            or_dash(row.status.map(|status| status.to_string())).into(),
            day_and_time(row.last_seen).into(),
            or_dash(row.last_changed.map(day_and_time)).into(),
            live(figure_if_known(row.changes_a_day())).into(),
            live(row.frequency.meaning.to_owned()).into(),
            live(row.frequency.interval()).into(),
            live(bytes(row.received_bytes)).into(),
            format!("{} ms", row.fetch_ms).into(),
            remark.clone().unwrap_or_default().into(),
        ];
        sheet.push(cells);
    }
    sheet
}
