//! How hosts bear up during a run.

use std::collections::HashMap;

use jiff::Timestamp;
use recrawl_core::url::{HostKey, PageUrl};

/// How many requests in a row may fail before a host counts as down: about seven minutes of back-off.
const PATIENCE: u32 = 10;

/// Why a crawl cannot go on now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Why hosts are left alone, in words.
    pub reasons: Vec<String>,
    /// When it makes sense to go on, if that is known: all of the hosts named a time, and this is the first.
    pub until: Option<Timestamp>,
}

/// How hosts bear up during a run.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    failures: HashMap<HostKey, u32>,
    held: HashMap<HostKey, Held>,
}

/// Why a host is left alone for the rest of the run, and until when if it said so.
#[derive(Debug)]
struct Held {
    reason: String,
    until: Option<Timestamp>,
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

    /// Leaves `host` alone for the rest of the run, for this reason; it may have named the time.
    pub(crate) fn hold(&mut self, host: HostKey, reason: String, until: Option<Timestamp>) {
        self.held.entry(host).or_insert(Held { reason, until });
    }

    /// Tells whether the host of `page` is left alone.
    pub(crate) fn is_held(&self, page: &PageUrl) -> bool {
        !self.held.is_empty() && self.held.contains_key(&page.host_key())
    }

    /// Returns why the host of `page` is left alone, if it is.
    pub(crate) fn why_held(&self, page: &PageUrl) -> Option<&str> {
        if self.held.is_empty() {
            return None;
        }
        self.held.get(&page.host_key()).map(|held| held.reason.as_str())
    }

    /// Returns why hosts are left alone, if any are, and until when.
    pub(crate) fn waiting(&self) -> Waiting {
        let mut reasons: Vec<String> = self.held.values().map(|held| held.reason.clone()).collect();
        reasons.sort();
        let times: Option<Vec<Timestamp>> = self.held.values().map(|held| held.until).collect();
        Waiting { reasons, until: times.and_then(|times| times.into_iter().min()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_goes_on_when_the_first_host_may_be_asked_if_all_of_them_said_when() {
        let [one, other] = ["one.example", "other.example"].map(|host| host.parse::<HostKey>().unwrap());
        let time = |seconds| Timestamp::from_second(seconds).unwrap();
        for (first, second, until) in
            [(Some(200), Some(100), Some(100)), (Some(100), None, None), (None, None, None)]
        {
            let mut hosts = Hosts::default();
            hosts.hold(one.clone(), "a".to_owned(), first.map(time));
            hosts.hold(other.clone(), "b".to_owned(), second.map(time));
            let expected = Waiting { reasons: vec!["a".to_owned(), "b".to_owned()], until: until.map(time) };
            assert_eq!(hosts.waiting(), expected);
        }
        assert_eq!(Hosts::default().waiting().until, None);
    }

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
