//! Known pages that were absent or lost their content, and wait for the second look that confirms it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use recrawl_core::url::PageUrl;
use tokio::time::Instant;

/// Known pages that were absent, or lost their content, once in a crawl.
///
/// The audit queues them again when the crawl is quiet. A message that is delivered twice is not that second
/// look: it would come a moment after the first.
pub(crate) struct Absences {
    quiet: Duration,
    is_partial: bool,
    since: Mutex<HashMap<u128, Instant>>,
}

impl Absences {
    /// Expects the second look no sooner than the audit comes; never in a crawl that is partial from the start.
    pub(super) fn new(quiet: Duration, is_partial: bool) -> Self {
        Self { quiet, is_partial, since: Mutex::default() }
    }

    /// Notes that a page was absent, or lost its content.
    pub(crate) fn note(&self, url: &PageUrl) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.entry(url.fingerprint()).or_insert_with(Instant::now);
    }

    /// Tells whether it is too early for a second look at a page.
    pub(crate) fn wait_with(&self, url: &PageUrl) -> bool {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.get(&url.fingerprint()).is_some_and(|since| self.is_partial || since.elapsed() < self.quiet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_second_look_comes_when_the_crawl_is_quiet_and_never_in_a_partial_one() {
        let (absent, other) = ("http://a/1".parse().unwrap(), "http://a/2".parse().unwrap());
        for is_partial in [false, true] {
            let absences = Absences::new(Duration::from_mins(10), is_partial);
            absences.note(&absent);
            assert!(absences.wait_with(&absent) && !absences.wait_with(&other));
            tokio::time::advance(Duration::from_mins(9)).await;
            absences.note(&absent);
            assert!(absences.wait_with(&absent));
            tokio::time::advance(Duration::from_mins(1)).await;
            assert_eq!(absences.wait_with(&absent), is_partial);
        }
    }
}
