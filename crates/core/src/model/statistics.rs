//! The figures of a crawl, added up from its records.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::counts::Counts;
use crate::model::record::{Check, PageRecord};
use crate::model::verdict::Verdict;
use crate::plan::change_rate::Shown;

/// The figures of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Pages recorded.
    pub total: u64,
    /// Pages by what was found out about them.
    #[serde(flatten)]
    pub counts: Counts,
    /// Failed visits of pages that were live when last seen.
    #[serde(default)]
    pub failed_known: u64,
    /// Pages that answered and have less than half of their lines of content left; lines of a template change are not
    /// lost.
    #[serde(default)]
    pub lost_content: u64,
    /// Pages with changes of the first tier that are their own.
    #[serde(default)]
    pub own_content: u64,
    /// Pages that changed around their content only (tier 2).
    #[serde(default)]
    pub around: u64,
    /// Pages that changed with others only, by shared changes of the first tier.
    #[serde(default)]
    pub only_shared: u64,
    /// Pages with edits that are nothing but noise.
    #[serde(default)]
    pub only_noise: u64,
    /// Shared changes that are news.
    #[serde(default)]
    pub shared_changes: u64,
    /// Pages that answered and have next to no text without JavaScript.
    #[serde(default)]
    pub script_pages: u64,
    /// Failed visits of pages that had text and have next to none without JavaScript.
    #[serde(default)]
    pub lost_to_scripts: u64,
    /// Failed visits of pages that are forbidden to us, or in whose place a firewall answered.
    #[serde(default)]
    pub kept_out: u64,
    /// Failed visits of pages that Recrawl itself could not read.
    #[serde(default)]
    pub stumbled: u64,
    /// Pages believed to be what they were without asking.
    #[serde(default)]
    pub presumed: u64,
    /// Visits answered 304.
    pub not_modified: u64,
    /// Pages of which a HEAD request showed the same validators as before.
    #[serde(default)]
    pub same_by_head: u64,
    /// Answers of 304 that were checked.
    #[serde(default)]
    pub checked: u64,
    /// Answers of 304 that were not true.
    #[serde(default)]
    pub refuted: u64,
    /// Requests made, retries included.
    pub requests: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes saved by 304s and HEAD requests.
    pub saved_bytes: u64,
    /// When the last visit took place.
    pub last_visit: Option<Timestamp>,
    /// Pages of which it is known how often they change: a visit after the first could have seen one.
    #[serde(default)]
    pub watched: u64,
    /// The sum of their change frequencies, for the mean.
    pub frequency_sum: f64,
}

impl Statistics {
    /// Counts `record`.
    pub fn add(&mut self, record: &PageRecord) {
        let visit = &record.visit;
        self.total += 1;
        self.counts[visit.verdict] += 1;
        self.failed_known += u64::from(visit.verdict == Verdict::Failed && record.known.presence.is_live());
        self.script_pages += u64::from(record.needs_scripts());
        self.lost_to_scripts += u64::from(visit.is_lost_to_scripts());
        self.kept_out += u64::from(visit.is_kept_out());
        self.stumbled += u64::from(visit.is_stumble());
        self.presumed += u64::from(visit.verdict == Verdict::Unchanged && visit.requests == 0);
        self.not_modified += u64::from(visit.not_modified);
        self.same_by_head += u64::from(visit.is_same_by_head());
        self.checked += u64::from(visit.check != Check::None);
        self.refuted += u64::from(visit.check == Check::False304);
        self.requests += u64::from(visit.requests);
        self.received_bytes += visit.received_bytes;
        self.saved_bytes += visit.saved_bytes;
        self.last_visit = self.last_visit.max(Some(visit.fetched_at));
        if let Some(changes_a_day) = Shown::from(&record.known).changes_a_day {
            self.watched += 1;
            self.frequency_sum += changes_a_day;
        }
    }

    /// Counts a record in place of what it was before it was settled, or asked for again.
    pub fn replace(&mut self, before: &PageRecord, after: &PageRecord) {
        self.counts[before.visit.verdict] -= 1;
        self.counts[after.visit.verdict] += 1;
        self.requests += u64::from(after.visit.requests.saturating_sub(before.visit.requests));
        self.received_bytes += after.visit.received_bytes.saturating_sub(before.visit.received_bytes);
        let changes_a_day = |record: &PageRecord| Shown::from(&record.known).changes_a_day.unwrap_or(0.0);
        self.frequency_sum += changes_a_day(after) - changes_a_day(before);
    }

    /// Returns how many pages were asked for.
    pub fn asked(&self) -> u64 {
        self.total.saturating_sub(self.counts[Verdict::Excluded] + self.presumed)
    }

    /// Returns how many pages were live before and were looked at again.
    pub fn known(&self) -> u64 {
        self.counts.of(Verdict::is_of_known_page) + self.failed_known
    }

    /// Returns how many pages changed, in the widest sense: those that are announced.
    pub fn changes(&self) -> u64 {
        Verdict::CHANGES.into_iter().map(|verdict| self.counts[verdict]).sum()
    }

    /// Returns how many pages lists have a row for that are of `verdict`: of those that changed, the ones that did so by
    /// themselves and in their content.
    pub fn listed(&self, verdict: Verdict) -> u64 {
        let elsewhere = if verdict == Verdict::Changed { self.around + self.only_shared } else { 0 };
        self.counts[verdict].saturating_sub(elsewhere)
    }

    /// Returns the mean change frequency of the pages, in changes a day; `None` while it is known of none.
    #[expect(clippy::cast_precision_loss, reason = "a crawl has fewer than 2^52 pages")]
    pub fn mean_change_frequency(&self) -> Option<f64> {
        (self.watched > 0).then(|| self.frequency_sum / self.watched as f64)
    }
}
