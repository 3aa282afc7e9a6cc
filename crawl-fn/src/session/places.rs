//! How many pages a crawl asks for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Places for the pages that a crawl asks for, as many as it may.
#[derive(Debug)]
pub(crate) struct Places {
    limit: Option<u64>,
    taken: AtomicU64,
}

/// A place for one page. It is free again when this is dropped, unless the page was asked for.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    taken: &'a AtomicU64,
    is_kept: AtomicBool,
}

impl Places {
    /// Has `limit` places, of which some were taken before.
    pub(super) fn new(limit: Option<u64>, taken: u64) -> Self {
        Self { limit, taken: AtomicU64::new(taken) }
    }

    /// Returns how many places there are, once all of them are taken.
    pub(crate) fn are_taken(&self) -> Option<u64> {
        self.limit.filter(|limit| self.taken.load(Ordering::Relaxed) >= *limit)
    }

    /// Takes a place, if there is one.
    pub(crate) fn take(&self) -> Option<Place<'_>> {
        let more = |taken: u64| self.limit.is_none_or(|limit| taken < limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Place { taken: &self.taken, is_kept: AtomicBool::new(false) })
    }
}

impl Place<'_> {
    /// Notes that the page was asked for.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for Place<'_> {
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
        let places = Places::new(Some(3), 1);
        let (first, second) = (places.take().unwrap(), places.take().unwrap());
        assert!(places.take().is_none());
        assert_eq!(places.are_taken(), Some(3));
        first.keep();
        drop((first, second));
        assert_eq!(places.are_taken(), None);
        let third = places.take().unwrap();
        assert!(places.take().is_none());
        drop(third);
        assert!(Places::new(None, u64::MAX - 1).take().is_some());
    }
}
