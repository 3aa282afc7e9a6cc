//! `crawls/{crawl id}`: one crawl.

use firestore::FirestoreTimestamp;
use jiff::Timestamp;
use jiff::civil::Date;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::{Closed, Crawl, CrawlKind, Ending, Mode, Site, Suspicion};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::site::ScopeMap;
use super::{cut, time, unreadable};

/// The fields that a crawl gains when it is closed.
pub(crate) const CLOSING_FIELDS: [&str; 8] = [
    "closed_at",
    "duration_seconds",
    "ending",
    "ending_reason",
    "suspicion",
    "site_state",
    "statistics",
    "rolls",
];

/// How `opened_by` begins in documents of older versions where a crawl visits pages that were due.
const DUE: &str = "due pages at ";

/// The longest reason that is kept.
const REASON_LIMIT: usize = 10_000;

/// One crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CrawlDocument {
    site: String,
    root: String,
    /// The running number of the crawl among those of its site; not in documents of the first two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<i64>,
    pub(crate) opened_at: FirestoreTimestamp,
    /// Null while the crawl is open, so that a query finds it.
    #[serde(with = "firestore::serialize_as_null")]
    pub(crate) closed_at: Option<FirestoreTimestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_seconds: Option<i64>,
    mode: Mode,
    /// Not in documents of whole crawls, and not in those of older versions ([`DUE`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<CrawlKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opened_by: Option<String>,
    settings: ScopeMap,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending: Option<EndingWord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    suspicion: Option<SuspicionMap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    site_state: Option<SiteState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statistics: Option<StatisticsMap>,
    /// How many documents of the collection `page_index` below this one list the pages of the crawl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rolls: Option<usize>,
}

/// Where a crawl stands among those of its site: by its running number. One without a number was opened by an older
/// version, and stands before all that have one, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CrawlOrder(Option<i64>, Date, u32);

impl CrawlOrder {
    pub(crate) fn new(number: Option<i64>, crawl: CrawlId) -> Self {
        Self(number, crawl.day(), crawl.ordinal())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EndingWord {
    Complete,
    Partial,
}

/// Why the findings of a crawl are doubted, and whether somebody accepted them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SuspicionMap {
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accepted_at: Option<FirestoreTimestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confirmed_by: Option<String>,
}

impl SuspicionMap {
    /// Tells whether the findings are doubted and nobody accepted them.
    pub(crate) fn is_open(&self) -> bool {
        self.accepted_at.is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StatisticsMap {
    total: u64,
    #[serde(flatten)]
    counts: Counts,
    #[serde(default)]
    failed_known: u64,
    #[serde(default)]
    lost_content: u64,
    #[serde(default)]
    own_content: u64,
    #[serde(default)]
    around: u64,
    #[serde(default)]
    only_shared: u64,
    #[serde(default)]
    only_noise: u64,
    #[serde(default)]
    shared_changes: u64,
    #[serde(default)]
    script_pages: u64,
    #[serde(default)]
    lost_to_scripts: u64,
    #[serde(default)]
    kept_out: u64,
    #[serde(default)]
    stumbled: u64,
    #[serde(default)]
    presumed: u64,
    not_modified: u64,
    #[serde(default)]
    same_by_head: u64,
    #[serde(default)]
    checked: u64,
    #[serde(default)]
    refuted: u64,
    requests: u64,
    received_bytes: u64,
    saved_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_visit: Option<FirestoreTimestamp>,
    #[serde(default)]
    watched: u64,
    frequency_sum: f64,
    /// For people; it follows from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mean_change_frequency: Option<f64>,
}

impl CrawlDocument {
    /// Writes an open or closed crawl of `site` under its running number, without a page index.
    pub(crate) fn new(crawl: &Crawl, site: &Site, number: i64) -> Self {
        let document = Self {
            site: crawl.site.to_string(),
            root: site.root.to_string(),
            number: Some(number),
            opened_at: time(crawl.opened_at),
            closed_at: None,
            duration_seconds: None,
            mode: crawl.mode,
            kind: Some(crawl.kind).filter(|kind| *kind != CrawlKind::Full),
            opened_by: crawl.opened_by.clone(),
            settings: ScopeMap::from(&site.scope),
            ending: None,
            ending_reason: None,
            suspicion: None,
            site_state: None,
            statistics: None,
            rolls: None,
        };
        match &crawl.closed {
            Some(closed) => document.closed(closed, None),
            None => document,
        }
    }

    /// Returns the crawl as it is once closed; `rolls` is how many documents list its pages.
    pub(crate) fn closed(self, closed: &Closed, rolls: Option<usize>) -> Self {
        let (ending, reason) = match &closed.ending {
            Ending::Complete => (EndingWord::Complete, None),
            Ending::Partial(reason) => (EndingWord::Partial, Some(cut(reason, REASON_LIMIT))),
        };
        Self {
            closed_at: Some(time(closed.at)),
            duration_seconds: Some(closed.at.duration_since(self.opened_at.0).as_secs()),
            ending: Some(ending),
            ending_reason: reason,
            suspicion: closed.suspicion.as_ref().map(SuspicionMap::from),
            site_state: closed.state.clone(),
            statistics: Some(StatisticsMap::from(&closed.statistics)),
            rolls,
            ..self
        }
    }

    /// Returns the crawl with its findings accepted at `at`, if not before; `None` if nobody doubts them.
    pub(crate) fn accepted(mut self, at: Timestamp) -> Option<Self> {
        let suspicion = self.suspicion.as_mut().filter(|_| self.closed_at.is_some())?;
        suspicion.accepted_at.get_or_insert(time(at));
        Some(self)
    }

    /// Returns the crawl with what it came to when it was judged again, unless it was accepted before; `None` if nobody
    /// doubts it.
    pub(crate) fn judged_again(mut self, reason: &str, statistics: &Statistics) -> Option<Self> {
        let suspicion = self.suspicion.as_mut().filter(|_| self.closed_at.is_some())?;
        if suspicion.is_open() {
            suspicion.reason = cut(reason, REASON_LIMIT);
            self.statistics = Some(StatisticsMap::from(statistics));
        }
        Some(self)
    }

    /// Returns the crawl as confirmed by another, if not before; `None` if nobody doubts it.
    pub(crate) fn confirmed(mut self, by: CrawlId) -> Option<Self> {
        let suspicion = self.suspicion.as_mut().filter(|_| self.closed_at.is_some())?;
        suspicion.confirmed_by.get_or_insert_with(|| by.to_string());
        Some(self)
    }

    /// Reads a crawl; its name is that of the document.
    pub(crate) fn into_crawl(self, id: &str) -> Result<Crawl, StoreError> {
        let closed = match (self.closed_at, self.ending, self.statistics) {
            (None, _, _) => None,
            (Some(at), Some(ending), Some(statistics)) => Some(Closed {
                at: at.0,
                ending: match ending {
                    EndingWord::Complete => Ending::Complete,
                    EndingWord::Partial => Ending::Partial(self.ending_reason.unwrap_or_default()),
                },
                suspicion: self.suspicion.map(Suspicion::try_from).transpose()?,
                state: self.site_state,
                statistics: statistics.into(),
            }),
            (Some(_), _, _) => return Err(unreadable("a closed crawl without its figures")),
        };
        let was_due = self.opened_by.as_deref().is_some_and(|message| message.starts_with(DUE));
        let older_kind = if was_due { CrawlKind::Due } else { CrawlKind::Full };
        Ok(Crawl {
            site: self.site.parse().map_err(unreadable)?,
            id: id.parse().map_err(unreadable)?,
            opened_at: self.opened_at.0,
            mode: self.mode,
            kind: self.kind.unwrap_or(older_kind),
            opened_by: self.opened_by,
            closed,
        })
    }
}

impl From<&Suspicion> for SuspicionMap {
    fn from(suspicion: &Suspicion) -> Self {
        Self {
            reason: cut(&suspicion.reason, REASON_LIMIT),
            accepted_at: suspicion.accepted_at.map(time),
            confirmed_by: suspicion.confirmed_by.map(|by| by.to_string()),
        }
    }
}

impl TryFrom<SuspicionMap> for Suspicion {
    type Error = StoreError;

    fn try_from(map: SuspicionMap) -> Result<Self, StoreError> {
        let confirmed_by = map.confirmed_by.map(|by| by.parse().map_err(unreadable)).transpose()?;
        Ok(Self { reason: map.reason, accepted_at: map.accepted_at.map(|time| time.0), confirmed_by })
    }
}

impl From<&Statistics> for StatisticsMap {
    fn from(statistics: &Statistics) -> Self {
        Self {
            total: statistics.total,
            counts: statistics.counts,
            failed_known: statistics.failed_known,
            lost_content: statistics.lost_content,
            own_content: statistics.own_content,
            around: statistics.around,
            only_shared: statistics.only_shared,
            only_noise: statistics.only_noise,
            shared_changes: statistics.shared_changes,
            script_pages: statistics.script_pages,
            lost_to_scripts: statistics.lost_to_scripts,
            kept_out: statistics.kept_out,
            stumbled: statistics.stumbled,
            presumed: statistics.presumed,
            not_modified: statistics.not_modified,
            same_by_head: statistics.same_by_head,
            checked: statistics.checked,
            refuted: statistics.refuted,
            requests: statistics.requests,
            received_bytes: statistics.received_bytes,
            saved_bytes: statistics.saved_bytes,
            last_visit: statistics.last_visit.map(time),
            watched: statistics.watched,
            frequency_sum: statistics.frequency_sum,
            mean_change_frequency: statistics.mean_change_frequency(),
        }
    }
}

impl From<StatisticsMap> for Statistics {
    fn from(map: StatisticsMap) -> Self {
        Self {
            total: map.total,
            counts: map.counts,
            failed_known: map.failed_known,
            lost_content: map.lost_content,
            own_content: map.own_content,
            around: map.around,
            only_shared: map.only_shared,
            only_noise: map.only_noise,
            shared_changes: map.shared_changes,
            script_pages: map.script_pages,
            lost_to_scripts: map.lost_to_scripts,
            kept_out: map.kept_out,
            stumbled: map.stumbled,
            presumed: map.presumed,
            not_modified: map.not_modified,
            same_by_head: map.same_by_head,
            checked: map.checked,
            refuted: map.refuted,
            requests: map.requests,
            received_bytes: map.received_bytes,
            saved_bytes: map.saved_bytes,
            last_visit: map.last_visit.map(|time| time.0),
            watched: map.watched,
            frequency_sum: map.frequency_sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawls_stand_by_their_numbers_and_those_without_before_them_by_their_names() {
        let turns = [
            (None, "crawl-2026-11-09"),
            (None, "crawl-2026-11-09-2"),
            (None, "crawl-2026-11-09-10"),
            (None, "crawl-2030-01-01"),
            (Some(1), "crawl-2026-11-16"),
            (Some(2), "crawl-2031-01-01"),
            (Some(10), "crawl-2026-11-23"),
        ];
        let turns = turns.map(|(number, name)| CrawlOrder::new(number, name.parse().unwrap()));
        assert!(turns.is_sorted(), "{turns:?}");
    }
}
