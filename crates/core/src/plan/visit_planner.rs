//! What is expected of the pages of a site during a crawl: who was seen when, what changes often, what the
//! sitemaps say, and how far their word can be trusted.

mod reliability;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

pub use self::reliability::Reliability;
use crate::model::record::PageSummary;
use crate::plan::priority::{SitemapHint, Weights, priority};
use crate::ports::Priority;
use crate::url::{HostKey, PageUrl};

/// Of how many pages at most it is kept what sitemaps say, beside those that are known.
const MOST_UNKNOWN: usize = 100_000;

/// What a sitemap says of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Listing {
    /// The latest moment that its date of last change can mean.
    pub changed_by: Option<Timestamp>,
    /// How long after a visit it should be visited again, by its change frequency.
    pub period: Option<SignedDuration>,
}

impl Listing {
    /// Tells whether a page that was last visited then is stale by what the sitemap says: it changed since, or the time
    /// in which it is said to change has passed.
    pub fn is_stale(&self, last_visit: Timestamp, now: Timestamp) -> bool {
        let changed_since = self.changed_by.is_some_and(|changed_by| changed_by > last_visit);
        changed_since || self.period.is_some_and(|period| now.duration_since(last_visit) > period)
    }
}

/// What is expected of the pages of a site during a crawl.
///
/// Holds a few dozen bytes a page, not its address.
#[derive(Debug)]
pub struct VisitPlanner {
    weights: Weights,
    now: Timestamp,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: HashMap<u128, Seen>,
    listed: HashMap<u128, Listing>,
    hosts: HashMap<HostKey, Reliability>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    last_seen: Timestamp,
    frequency: f32,
}

impl VisitPlanner {
    /// Expects nothing of anybody; `now` is when the crawl was opened.
    pub fn new(weights: Weights, now: Timestamp) -> Self {
        Self { weights, now, state: Mutex::default() }
    }

    /// Takes in what is known of a page.
    #[expect(clippy::cast_possible_truncation, reason = "an order needs no more than seven digits")]
    pub fn expect(&self, page_summary: &PageSummary) {
        if page_summary.presence.is_live() {
            let seen =
                Seen { last_seen: page_summary.last_seen, frequency: page_summary.change_frequency as f32 };
            self.state().seen.insert(page_summary.url.fingerprint(), seen);
        }
    }

    /// Returns how many pages were live when last seen.
    pub fn known(&self) -> usize {
        self.state().seen.len()
    }

    /// Takes in what a sitemap that was read at `read_at` says of a page.
    pub fn list(&self, url: &PageUrl, listing: Listing, read_at: Timestamp) {
        let mut state = self.state();
        if let Some(changed_by) = listing.changed_by {
            state.hosts.entry(url.host_key()).or_default().list(changed_by, read_at);
        }
        // Only what is known of pages makes use of it; a sitemap can list any number of others.
        let fingerprint = url.fingerprint();
        let has_room = state.seen.contains_key(&fingerprint) || state.listed.len() < MOST_UNKNOWN;
        if listing != Listing::default() && has_room {
            state.listed.insert(fingerprint, listing);
        }
    }

    /// Takes in what earlier crawls learnt of a host's sitemaps.
    pub fn trust(&self, host: HostKey, reliability: Reliability) {
        self.state().hosts.insert(host, reliability);
    }

    /// Returns what is known of the reliability of hosts' sitemaps, by host.
    pub fn reliabilities(&self) -> Vec<(HostKey, Reliability)> {
        let state = self.state();
        let mut hosts: Vec<(HostKey, Reliability)> =
            state.hosts.iter().map(|(host, reliability)| (host.clone(), *reliability)).collect();
        hosts.sort_by_cached_key(|(host, _)| host.to_string());
        hosts
    }

    /// Returns how early a page found at `depth` should be visited.
    pub fn priority(&self, url: &PageUrl, depth: u32) -> Priority {
        let state = self.state();
        let fingerprint = url.fingerprint();
        let seen = state.seen.get(&fingerprint);
        let last_seen = seen.map(|seen| seen.last_seen);
        let hint = last_seen.map_or(SitemapHint::None, |last_seen| {
            let believed = state.hosts.get(&url.host_key()).is_none_or(Reliability::is_newness_believed);
            state
                .listed
                .get(&fingerprint)
                .map_or(SitemapHint::None, |listing| hint(listing, last_seen, self.now, believed))
        });
        let frequency = seen.map_or(0.0, |seen| f64::from(seen.frequency));
        Priority::of(priority(&self.weights, last_seen, frequency, depth, hint, self.now))
    }

    /// Returns when the sitemap says that a page last seen at `last_seen` changed, if that is earlier and the
    /// word of its host has proved true.
    pub fn unchanged_since(&self, url: &PageUrl, last_seen: Timestamp) -> Option<Timestamp> {
        let state = self.state();
        let changed_by = state.listed.get(&url.fingerprint())?.changed_by?;
        let reliable = state.hosts.get(&url.host_key()).is_some_and(Reliability::is_reliable);
        (reliable && changed_by < last_seen).then_some(changed_by)
    }

    /// Compares what the sitemap said of a page last seen at `last_seen` with what a visit found.
    pub fn note(&self, url: &PageUrl, last_seen: Timestamp, changed: bool) {
        let mut state = self.state();
        let listing = state.listed.get(&url.fingerprint());
        if let Some(changed_by) = listing.and_then(|listing| listing.changed_by) {
            state.hosts.entry(url.host_key()).or_default().note(changed_by >= last_seen, changed);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is a single insert, so a panic leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hint(listing: &Listing, last_seen: Timestamp, now: Timestamp, believed: bool) -> SitemapHint {
    if believed && listing.changed_by.is_some_and(|changed_by| changed_by >= last_seen) {
        return SitemapHint::Newer;
    }
    match listing.period {
        Some(period) if now.duration_since(last_seen) > period => SitemapHint::Due,
        Some(_) | None => SitemapHint::None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::model::record::{FoundBy, Presence};

    fn day(number: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + (24 * number).hours()
    }

    fn url(path: &str) -> PageUrl {
        format!("https://example.org{path}").parse().unwrap()
    }

    fn seen(path: &str, presence: Presence) -> PageSummary {
        PageSummary {
            url: url(path),
            presence,
            found_by: FoundBy::Link,
            depth: 1,
            first_seen: day(0),
            last_seen: day(10),
            changes_detected: 0,
            observations: 1,
            change_frequency: 0.1,
        }
    }

    #[test]
    fn a_page_is_stale_if_it_changed_since_the_visit_or_its_time_has_passed() {
        let listing = |changed_by: Option<i64>, hours: Option<i64>| Listing {
            changed_by: changed_by.map(day),
            period: hours.map(SignedDuration::from_hours),
        };
        for (listing, expected) in [
            (listing(Some(12), None), true),
            (listing(Some(10), None), false),
            (listing(Some(9), Some(168)), false),
            (listing(Some(9), Some(24)), true),
            (listing(None, Some(48)), false),
            (listing(None, Some(47)), true),
            (listing(None, Some(0)), true),
            (listing(None, None), false),
        ] {
            assert_eq!(listing.is_stale(day(10), day(12)), expected, "{listing:?}");
        }
    }

    #[test]
    fn new_pages_come_first_then_what_the_sitemap_calls_changed_then_the_rest() {
        let planner = VisitPlanner::new(Weights::default(), day(17));
        for path in ["/newer", "/due", "/plain"] {
            planner.expect(&seen(path, Presence::Present));
        }
        planner.expect(&seen("/gone", Presence::Gone));
        let listing = Listing { changed_by: Some(day(12)), period: None };
        planner.list(&url("/newer"), listing, day(17));
        let listing = Listing { changed_by: Some(day(2)), period: Some(SignedDuration::from_hours(24)) };
        planner.list(&url("/due"), listing, day(17));
        let order = ["/new", "/newer", "/due", "/plain"].map(|path| planner.priority(&url(path), 1));
        assert!(order.is_sorted_by(|one, other| one > other), "{order:?}");
        assert_eq!(planner.priority(&url("/gone"), 1), order[0], "what came back is as good as new");
    }

    #[test]
    fn only_a_host_that_proved_true_is_believed_that_nothing_changed() {
        let planner = VisitPlanner::new(Weights::default(), day(17));
        let paths: Vec<String> = (0..40).map(|number| format!("/{number}")).collect();
        for path in &paths {
            let listing = Listing { changed_by: Some(day(2)), period: None };
            planner.list(&url(path), listing, day(17));
        }
        assert_eq!(planner.unchanged_since(&url("/0"), day(10)), None);
        for path in &paths {
            planner.note(&url(path), day(10), false);
        }
        assert_eq!(planner.unchanged_since(&url("/0"), day(10)), Some(day(2)));
        assert_eq!(planner.unchanged_since(&url("/0"), day(1)), None, "it changed since");
        assert_eq!(planner.unchanged_since(&url("/other"), day(10)), None);
    }
}
