//! How hosts bear up during a run.

use std::collections::HashMap;

use recrawl_core::url::{HostKey, PageUrl};

/// How many requests in a row may fail before a host counts as down: about seven minutes of back-off.
const PATIENCE: u32 = 10;

/// How hosts bear up during a run.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    failures: HashMap<HostKey, u32>,
    held: HashMap<HostKey, String>,
}

impl Hosts {
    /// Notes a good answer of `host`.
    pub(crate) fn succeeded(&mut self, host: &HostKey) {
        self.failures.remove(host);
    }

    /// Notes that `host` did not give a good answer; tells whether it counts as down now.
    pub(crate) fn failed(&mut self, host: &HostKey) -> bool {
        let failures = self.failures.entry(host.clone()).or_default();
        *failures += 1;
        *failures >= PATIENCE
    }

    /// Leaves `host` alone for the rest of the run, for this reason.
    pub(crate) fn hold(&mut self, host: HostKey, reason: String) {
        self.held.entry(host).or_insert(reason);
    }

    /// Tells whether the host of `page` is left alone.
    pub(crate) fn is_held(&self, page: &PageUrl) -> bool {
        !self.held.is_empty() && self.held.contains_key(&page.host_key())
    }

    /// Returns why hosts are left alone, if any are.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self.held.values().cloned().collect();
        reasons.sort();
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_down_after_ten_failures_in_a_row() {
        let host = "http://example.org/".parse::<PageUrl>().unwrap().host_key();
        let mut hosts = Hosts::default();
        for _ in 0..9 {
            assert!(!hosts.failed(&host));
        }
        hosts.succeeded(&host);
        for _ in 0..9 {
            assert!(!hosts.failed(&host));
        }
        assert!(hosts.failed(&host));
    }
}
