//! Which pages stand for a site, and what they say about it.
//!
//! A crawl in mode smart visits a sample of the known pages first. If many of them changed, something happened to the
//! site as a whole, and the crawl becomes a full one.

mod choice;

use std::collections::HashMap;

pub use self::choice::{Member, sample, seed};
use crate::url::PageUrl;

/// What a sample decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SmartDecision {
    /// Little changed: known pages are asked for conditionally.
    Incremental,
    /// Much changed: every page is asked for whole.
    Full,
}

/// The pages of a sample, and what their visits found so far.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// By fingerprint: whether the page changed, where that is known already.
    found: HashMap<u128, Option<bool>>,
}

impl Sample {
    /// Starts with these pages, none of them visited.
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a PageUrl>) -> Self {
        Self { found: pages.into_iter().map(|page| (page.fingerprint(), None)).collect() }
    }

    /// Tells whether the page belongs to the sample, visited or not.
    pub fn contains(&self, page: &PageUrl) -> bool {
        self.found.contains_key(&page.fingerprint())
    }

    /// Takes in what a visit found. Other pages are ignored, and so is a second visit.
    pub fn note(&mut self, page: &PageUrl, changed: bool) {
        if let Some(found) = self.found.get_mut(&page.fingerprint()) {
            found.get_or_insert(changed);
        }
    }

    /// Takes a page out of the sample whose visit told nothing.
    ///
    /// It changes no decision that was already possible, and not what was noted.
    pub fn leave_out(&mut self, page: &PageUrl) {
        let fingerprint = page.fingerprint();
        if self.found.get(&fingerprint) == Some(&None) {
            self.found.remove(&fingerprint);
        }
    }

    /// Tells whether all pages of the sample were visited.
    pub fn is_complete(&self) -> bool {
        self.found.values().all(Option::is_some)
    }

    /// Returns the part of the visited pages that changed, 0 where none was visited.
    pub fn share_changed(&self) -> f64 {
        let visited = self.found.values().flatten().count();
        share(self.count(Some(true)), visited)
    }

    /// Returns what the sample decides as soon as the remaining pages cannot alter it: a full crawl
    /// where more than the `threshold`, a share, of its pages changed, else an incremental one.
    pub fn turn(&self, threshold: f64) -> Option<SmartDecision> {
        let (changed, waiting) = (self.count(Some(true)), self.count(None));
        let size = self.found.len();
        if share(changed, size) > threshold {
            Some(SmartDecision::Full)
        } else if share(changed + waiting, size) <= threshold {
            Some(SmartDecision::Incremental)
        } else {
            None
        }
    }

    fn count(&self, state: Option<bool>) -> usize {
        self.found.values().filter(|found| **found == state).count()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sample has far fewer pages than 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: usize) -> PageUrl {
        format!("https://example.org/{number}").parse().unwrap()
    }

    fn sample_of(size: usize) -> Sample {
        Sample::of(&(0..size).map(page).collect::<Vec<_>>())
    }

    /// A sample of which the first pages were visited: these changed, then these unchanged.
    fn visited(size: usize, changed: usize, unchanged: usize) -> Sample {
        let mut sample = sample_of(size);
        for number in 0..changed + unchanged {
            sample.note(&page(number), number < changed);
        }
        sample
    }

    #[test]
    fn the_turn_is_decided_as_early_as_it_can_be() {
        use SmartDecision::{Full, Incremental};
        for (size, changed, unchanged, expected) in [
            (50, 0, 0, None),
            (50, 10, 0, None),
            (50, 11, 0, Some(Full)),
            (50, 11, 39, Some(Full)),
            (50, 10, 39, None),
            (50, 10, 40, Some(Incremental)),
            (50, 0, 39, None),
            (50, 0, 40, Some(Incremental)),
            (15, 3, 12, Some(Incremental)),
            (15, 4, 0, Some(Full)),
            (1, 0, 0, None),
            (1, 1, 0, Some(Full)),
            (1, 0, 1, Some(Incremental)),
            (0, 0, 0, Some(Incremental)),
        ] {
            let sample = visited(size, changed, unchanged);
            assert_eq!(sample.turn(0.2), expected, "{changed} and {unchanged} of {size}");
        }
    }

    #[test]
    fn a_threshold_of_zero_or_one_has_its_meaning() {
        assert_eq!(visited(5, 1, 0).turn(0.0), Some(SmartDecision::Full));
        assert_eq!(visited(5, 0, 5).turn(0.0), Some(SmartDecision::Incremental));
        assert_eq!(visited(5, 0, 0).turn(1.0), Some(SmartDecision::Incremental));
    }

    #[test]
    fn each_page_of_the_sample_counts_once_and_others_do_not() {
        let mut sample = sample_of(2);
        sample.note(&page(7), true);
        sample.note(&page(0), true);
        sample.note(&page(0), false);
        assert!((sample.share_changed() - 1.0).abs() < 1e-12);
        assert!(!sample.is_complete());
        sample.note(&page(1), false);
        assert!((sample.share_changed() - 0.5).abs() < 1e-12);
        assert!(sample.is_complete() && sample.contains(&page(1)) && !sample.contains(&page(7)));
    }

    #[test]
    fn a_page_that_told_nothing_is_left_out() {
        let mut sample = visited(10, 2, 7);
        assert_eq!(sample.turn(0.2), None);
        sample.leave_out(&page(9));
        assert_eq!(sample.turn(0.2), Some(SmartDecision::Full), "two of nine changed");
        sample.leave_out(&page(0));
        assert!((sample.share_changed() - 2.0 / 9.0).abs() < 1e-12, "what was noted stays");
    }
}
