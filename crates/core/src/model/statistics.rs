//! The figures of a crawl, added up from its records.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::record::{Check, PageRecord};
use crate::model::verdict::Verdict;
use crate::plan::change_rate::Shown;

/// The figures of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Pages recorded.
    pub total: u64,
    /// Pages that were new.
    pub new: u64,
    /// Pages that say something else.
    pub changed: u64,
    /// Pages with other bytes and the same meaning.
    pub touched: u64,
    /// Pages that are what they were.
    pub unchanged: u64,
    /// Pages that have gone.
    pub gone: u64,
    /// Redirects that appeared or lead elsewhere.
    pub moved: u64,
    /// Broken links.
    pub missing: u64,
    /// Visits without evidence.
    pub failed: u64,
    /// Pages not fetched, by rule.
    pub excluded: u64,
    /// Failed visits of pages that were live when last seen.
    #[serde(default)]
    pub failed_known: u64,
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
        *self.count_mut(visit.verdict) += 1;
        self.failed_known += u64::from(visit.verdict == Verdict::Failed && record.known.presence.is_live());
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

    /// Returns how many pages were asked for.
    pub fn asked(&self) -> u64 {
        self.total.saturating_sub(self.excluded + self.presumed)
    }

    /// Returns how many pages were live before and were looked at again.
    pub fn known(&self) -> u64 {
        self.changed + self.touched + self.unchanged + self.gone + self.moved + self.failed_known
    }

    /// Returns how many pages changed, in the widest sense: those that are announced.
    pub fn changes(&self) -> u64 {
        self.new + self.changed + self.moved + self.gone
    }

    /// Returns how many records have `verdict`.
    pub fn count(&self, verdict: Verdict) -> u64 {
        *self.clone().count_mut(verdict)
    }

    /// Returns the mean change frequency of the pages, in changes a day; `None` while it is known of none.
    #[expect(clippy::cast_precision_loss, reason = "a crawl has fewer than 2^52 pages")]
    pub fn mean_change_frequency(&self) -> Option<f64> {
        (self.watched > 0).then(|| self.frequency_sum / self.watched as f64)
    }

    fn count_mut(&mut self, verdict: Verdict) -> &mut u64 {
        match verdict {
            Verdict::New => &mut self.new,
            Verdict::Changed => &mut self.changed,
            Verdict::Touched => &mut self.touched,
            Verdict::Unchanged => &mut self.unchanged,
            Verdict::Gone => &mut self.gone,
            Verdict::Moved => &mut self.moved,
            Verdict::Missing => &mut self.missing,
            Verdict::Failed => &mut self.failed,
            Verdict::Excluded => &mut self.excluded,
        }
    }
}
