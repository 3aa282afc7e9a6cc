//! What a crawl learns while it runs, and goes by from then on: hosts whose 304 was false, the sample of mode smart, and
//! traps.
//!
//! All of it follows from the records of the crawl, so a process that resumes it learns the same again.

use std::collections::HashSet;

use super::traps::Traps;
use crate::model::record::{Check, PageRecord};
use crate::model::verdict::Sight;
use crate::plan::sample::{Sample, SmartDecision};
use crate::url::{HostKey, PageUrl, UrlRules};

/// What a crawl has learnt so far.
#[derive(Debug)]
pub struct Learnt {
    sample: Option<Sample>,
    smart_threshold: f64,
    distrusted_hosts: HashSet<HostKey>,
    traps: Traps,
}

impl Learnt {
    /// Knows nothing yet. `smart_threshold` is the share of sampled pages that must have changed to make a crawl in mode
    /// smart a full one; for `trap_limit` see [`Traps::new`].
    pub fn new(smart_threshold: f64, trap_limit: u32) -> Self {
        Self {
            sample: None,
            smart_threshold,
            distrusted_hosts: HashSet::new(),
            traps: Traps::new(trap_limit),
        }
    }

    /// Decides by these pages whether a crawl in mode smart becomes a full one.
    pub fn decide_by(&mut self, sample: Sample) {
        self.sample = Some(sample);
    }

    /// Learns from a record of the crawl, each once.
    pub fn learn(&mut self, record: &PageRecord, rules: &UrlRules) {
        self.traps.learn(record, rules);
        if record.visit.check == Check::False304 {
            self.distrusted_hosts.insert(record.url.host_key());
        }
        if let Some(sample) = &mut self.sample {
            match record.visit.verdict.sight() {
                Sight::Nothing => sample.leave_out(&record.url),
                Sight::There | Sight::Absent => {
                    sample.note(&record.url, record.visit.verdict.change().is_some());
                }
            }
        }
    }

    /// Learns where a page redirects to, before others follow.
    pub fn learn_redirect(&mut self, source: &PageUrl, target: &PageUrl) {
        self.traps.learn_redirect(source, target);
    }

    /// Returns what a crawl in mode smart has come to, once its sample has decided.
    pub fn turn(&self) -> Option<SmartDecision> {
        self.sample.as_ref().and_then(|sample| sample.turn(self.smart_threshold))
    }

    /// Tells whether a page is in the sample of mode smart.
    pub fn is_sampled(&self, url: &PageUrl) -> bool {
        self.sample.as_ref().is_some_and(|sample| sample.contains(url))
    }

    /// Returns the hosts whose 304s are not believed in this crawl.
    pub fn distrusted_hosts(&self) -> Vec<HostKey> {
        let mut hosts: Vec<HostKey> = self.distrusted_hosts.iter().cloned().collect();
        hosts.sort_by_cached_key(ToString::to_string);
        hosts
    }

    /// Tells whether the 304s of the host of `url` are not believed.
    pub fn distrusts(&self, url: &PageUrl) -> bool {
        !self.distrusted_hosts.is_empty() && self.distrusted_hosts.contains(&url.host_key())
    }

    /// Returns the traps that were learnt.
    pub const fn traps(&self) -> &Traps {
        &self.traps
    }
}
