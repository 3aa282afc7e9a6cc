//! How many pages a crawl asks for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Places for the pages that a crawl asks for, as many as it may.
#[derive(Debug)]
pub(crate) struct PageQuota {
    limit: Option<u64>,
    taken: AtomicU64,
}

/// A place for one page. It is free again when this is dropped, unless the page was asked for.
#[derive(Debug)]
pub(crate) struct PageSlot<'a> {
    taken: &'a AtomicU64,
    is_kept: AtomicBool,
}

impl PageQuota {
    /// Has `limit` page quota, of which some were taken before.
    pub(super) fn new(limit: Option<u64>, taken: u64) -> Self {
        Self { limit, taken: AtomicU64::new(taken) }
    }

    /// Returns how many places there are, once all of them are taken.
    pub(crate) fn are_taken(&self) -> Option<u64> {
        self.limit.filter(|limit| self.taken.load(Ordering::Relaxed) >= *limit)
    }

    /// Takes a place, if there is one.
    pub(crate) fn take(&self) -> Option<PageSlot<'_>> {
        let more = |taken: u64| self.limit.is_none_or(|limit| taken < limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(PageSlot { taken: &self.taken, is_kept: AtomicBool::new(false) })
    }
}

impl PageSlot<'_> {
    /// Notes that the page was asked for.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for PageSlot<'_> {
    fn drop(&mut self) {
        if !*self.is_kept.get_mut() {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_unless_the_page_was_asked_for() {
        let page_quota = PageQuota::new(Some(3), 1);
        let (first, second) = (page_quota.take().unwrap(), page_quota.take().unwrap());
        assert!(page_quota.take().is_none());
        assert_eq!(page_quota.are_taken(), Some(3));
        first.keep();
        drop((first, second));
        assert_eq!(page_quota.are_taken(), None);
        let third = page_quota.take().unwrap();
        assert!(page_quota.take().is_none());
        drop(third);
        assert!(PageQuota::new(None, u64::MAX - 1).take().is_some());
    }
}
