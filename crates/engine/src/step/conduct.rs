//! How a page is asked for: not at all, conditionally, or whole; and whose word is doubted.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::CrawlStep;
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::record::{Check, PageRecord, PageState, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::sample::{Sample, SmartDecision};
use recrawl_core::url::{HostKey, PageUrl};

/// What a crawl has learnt so far about how to ask.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    sample: Mutex<Option<Sample>>,
    distrusted_hosts: Mutex<HashSet<HostKey>>,
}

impl Learnt {
    fn sample(&self) -> MutexGuard<'_, Option<Sample>> {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lies(&self, url: &PageUrl) -> bool {
        let distrusted_hosts = self.distrusted_hosts();
        !distrusted_hosts.is_empty() && distrusted_hosts.contains(&url.host_key())
    }

    fn distrusted_hosts(&self) -> MutexGuard<'_, HashSet<HostKey>> {
        self.distrusted_hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CrawlStep {
    /// Decides by these pages whether a crawl in mode smart becomes a full one.
    pub fn decide_by(&self, sample: Sample) {
        *self.learnt.sample() = Some(sample);
    }

    /// Returns what a crawl in mode smart has come to, once its sample has decided.
    pub fn turn(&self) -> Option<SmartDecision> {
        self.learnt.sample().as_ref().and_then(|sample| sample.turn(self.settings.smart_threshold))
    }

    /// Returns the hosts whose 304s are not believed in this crawl.
    pub fn distrusted_hosts(&self) -> Vec<HostKey> {
        let mut distrusted_hosts: Vec<HostKey> = self.learnt.distrusted_hosts().iter().cloned().collect();
        distrusted_hosts.sort_by_cached_key(ToString::to_string);
        distrusted_hosts
    }

    /// Takes in a record that an earlier process of this crawl wrote.
    pub fn resume(&self, record: &PageRecord) {
        self.learn(record);
        self.seen.finish(&record.url, record.found.depth);
    }

    /// Learns from a record how to ask for further pages.
    pub(super) fn learn(&self, record: &PageRecord) {
        self.traps.learn(record, &self.settings.url_rules);
        if record.visit.check == Check::False304 {
            self.learnt.distrusted_hosts().insert(record.url.host_key());
        }
        if let Some(sample) = self.learnt.sample().as_mut() {
            match record.visit.verdict {
                Verdict::Failed | Verdict::Excluded => sample.leave_out(&record.url),
                verdict => sample.note(&record.url, verdict.change().is_some()),
            }
        }
    }

    /// Tells whether known pages of the host of `url` are asked for conditionally.
    pub(super) fn asks_conditionally(&self, url: &PageUrl) -> bool {
        let by_mode = match self.crawl.mode {
            Mode::Full => false,
            Mode::Incremental => true,
            Mode::Smart => self.turn() != Some(SmartDecision::Full),
        };
        by_mode && !self.learnt.lies(url)
    }

    /// Tells whether a 304 for `url` is checked: a fixed share of the pages, others in every crawl.
    pub(super) fn checks(&self, url: &PageUrl) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
        let place = xxh3_64_with_seed(url.as_str().as_bytes(), self.draw) as f64 / u64::MAX as f64;
        place < self.settings.checked_share
    }

    /// Returns why a known page is believed to be what it was, in words, where nobody needs to ask.
    pub(super) fn presumption(
        &self,
        url: &PageUrl,
        known: Option<&PageState>,
        now: Timestamp,
    ) -> Option<String> {
        let known = known.filter(|known| known.presence == Presence::Present)?;
        let is_sampled = || self.learnt.sample().as_ref().is_some_and(|sample| sample.contains(url));
        if self.crawl.mode == Mode::Full || *url == self.site.root || is_sampled() {
            return None;
        }
        // What was seen ahead of now was seen while a clock was wrong: nobody knows when.
        let age = now.duration_since(known.last_seen);
        if age.is_negative() {
            return None;
        }
        let days = self.settings.skip_if_visited_days;
        if age < SignedDuration::from_hours(24 * i64::from(days)) {
            return Some(format!("not asked: visited on {}, less than {days} days ago", known.last_seen));
        }
        if let Some(until) = known.fresh_until.filter(|until| self.settings.trust_freshness && now < *until) {
            return Some(format!("not asked: fresh until {until}, the server said"));
        }
        if self.crawl.mode == Mode::Smart
            && self.turn() != Some(SmartDecision::Full)
            && let Some(changed) = self.planner.unchanged_since(url, known.last_seen)
        {
            return Some(format!("not asked: last changed by {changed}, the sitemap says"));
        }
        None
    }

    /// Compares what the sitemap said of a page with what the visit found.
    pub(super) fn compare_with_sitemap(&self, known: Option<&PageState>, record: &PageRecord) {
        let is_evidence = match record.visit.verdict {
            Verdict::Changed | Verdict::Unchanged | Verdict::Touched => record.visit.requests > 0,
            Verdict::New
            | Verdict::Gone
            | Verdict::Moved
            | Verdict::Missing
            | Verdict::Failed
            | Verdict::Excluded => false,
        };
        if let Some(known) = known.filter(|_| is_evidence) {
            let changed = record.visit.verdict == Verdict::Changed;
            self.planner.note(&record.url, known.last_seen, changed);
        }
    }
}
