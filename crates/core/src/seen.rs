//! What this process has queued and finished, as fingerprints.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::url::PageUrl;

/// The pages of one crawl that this process has queued or finished.
///
/// Holds 16 bytes a page, not its address: a set of 100,000 pages takes a few megabytes.
#[derive(Debug, Default)]
pub struct Seen {
    queued: Mutex<Fingerprints>,
    finished: Mutex<Fingerprints>,
}

type Fingerprints = HashSet<u128, BuildHasherDefault<LowBits>>;

impl Seen {
    /// Returns those of `pages` that are `wanted` and were not queued before, and remembers them as
    /// queued.
    ///
    /// The cheap question comes first: most links of a page were seen on the page before.
    pub fn not_yet_queued<'a>(
        &self,
        pages: impl IntoIterator<Item = &'a PageUrl>,
        wanted: impl Fn(&PageUrl) -> bool,
    ) -> Vec<&'a PageUrl> {
        let mut queued = lock(&self.queued);
        let mut is_new = |page: &PageUrl| {
            let fingerprint = page.fingerprint();
            !queued.contains(&fingerprint) && wanted(page) && queued.insert(fingerprint)
        };
        pages.into_iter().filter(|page| is_new(page)).collect()
    }

    /// Forgets that `pages` were queued: the queue did not take them.
    pub fn forget_queued<'a>(&self, pages: impl IntoIterator<Item = &'a PageUrl>) {
        let mut queued = lock(&self.queued);
        for page in pages {
            queued.remove(&page.fingerprint());
        }
    }

    /// Returns how many pages were queued and are not finished.
    pub fn waiting(&self) -> usize {
        let queued = lock(&self.queued).len();
        queued.saturating_sub(lock(&self.finished).len())
    }

    /// Remembers that `page` is recorded.
    pub fn finish(&self, page: &PageUrl) {
        lock(&self.finished).insert(page.fingerprint());
    }

    /// Tells whether `page` is recorded, as far as this process knows.
    pub fn is_finished(&self, page: &PageUrl) -> bool {
        lock(&self.finished).contains(&page.fingerprint())
    }
}

fn lock(set: &Mutex<Fingerprints>) -> MutexGuard<'_, Fingerprints> {
    // An insert that panicked leaves at worst one page out, which the audit finds.
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the low bits of a fingerprint, which is a hash already.
#[derive(Debug, Default)]
struct LowBits(u64);

impl Hasher for LowBits {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for (index, byte) in bytes.iter().enumerate() {
            self.0 ^= u64::from(*byte) << (8 * (index % 8));
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_queued_once_until_it_is_forgotten() {
        let seen = Seen::default();
        let page: PageUrl = "https://example.org/a".parse().unwrap();
        assert_eq!(seen.not_yet_queued([&page, &page], |_| true), [&page]);
        assert!(seen.not_yet_queued([&page], |_| true).is_empty());
        seen.forget_queued([&page]);
        assert_eq!(seen.not_yet_queued([&page], |_| true), [&page]);
    }

    #[test]
    fn a_page_that_is_not_wanted_may_be_wanted_later() {
        let seen = Seen::default();
        let page: PageUrl = "https://example.org/a".parse().unwrap();
        assert!(seen.not_yet_queued([&page], |_| false).is_empty());
        assert_eq!(seen.not_yet_queued([&page], |_| true), [&page]);
    }

    #[test]
    fn a_queued_page_is_not_finished() {
        let seen = Seen::default();
        let page: PageUrl = "https://example.org/a".parse().unwrap();
        seen.not_yet_queued([&page], |_| true);
        assert!(!seen.is_finished(&page));
        seen.finish(&page);
        assert!(seen.is_finished(&page));
    }
}
