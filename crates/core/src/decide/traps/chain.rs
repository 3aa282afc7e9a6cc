//! Redirects that lead to redirects.

use std::collections::HashMap;

use super::MOST_REDIRECTS;
use crate::model::record::{Found, FoundBy};
use crate::url::PageUrl;

/// Where the redirects of a crawl come from: the source of each target, by fingerprints.
#[derive(Debug, Default)]
pub(super) struct Redirects(HashMap<u128, u128>);

impl Redirects {
    /// Adds a redirect; of several that lead to one page the first counts.
    pub(super) fn add(&mut self, source: &PageUrl, target: &PageUrl) {
        self.0.entry(target.fingerprint()).or_insert(source.fingerprint());
    }

    /// Returns how many redirects in a row led to a page that was found this way; no more are counted than
    /// one beyond those that are followed.
    ///
    /// A page that was found by a link begins anew, whatever else leads to it.
    pub(super) fn before(&self, url: &PageUrl, found: &Found) -> usize {
        if found.by != FoundBy::Redirect {
            return 0;
        }
        let (mut hops, mut place) = match &found.referrer {
            Some(referrer) => (1, referrer.fingerprint()),
            None => (0, url.fingerprint()),
        };
        while hops <= MOST_REDIRECTS
            && let Some(source) = self.0.get(&place)
        {
            place = *source;
            hops += 1;
        }
        hops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(number: usize) -> PageUrl {
        format!("http://a/{number}").parse().unwrap()
    }

    fn found(by: FoundBy, referrer: Option<usize>) -> Found {
        Found { by, depth: 1, referrer: referrer.map(url) }
    }

    #[test]
    fn redirects_are_counted_back_to_the_page_that_was_found_otherwise() {
        let mut redirects = Redirects::default();
        for number in 0..30 {
            redirects.add(&url(number), &url(number + 1));
        }
        for (by, referrer, page, expected) in [
            (FoundBy::Link, Some(9), 10, 0),
            (FoundBy::Redirect, Some(0), 1, 1),
            (FoundBy::Redirect, Some(9), 10, 10),
            (FoundBy::Redirect, None, 10, 10),
            (FoundBy::Redirect, Some(19), 20, 20),
            (FoundBy::Redirect, Some(20), 21, 21),
            (FoundBy::Redirect, Some(29), 30, 21),
            (FoundBy::Redirect, Some(99), 100, 1),
            (FoundBy::Memory, None, 30, 0),
        ] {
            assert_eq!(redirects.before(&url(page), &found(by, referrer)), expected, "{by:?} {page}");
        }
    }

    #[test]
    fn a_circle_ends() {
        let mut redirects = Redirects::default();
        redirects.add(&url(1), &url(2));
        redirects.add(&url(2), &url(1));
        assert_eq!(redirects.before(&url(1), &found(FoundBy::Redirect, Some(2))), MOST_REDIRECTS + 1);
    }
}
