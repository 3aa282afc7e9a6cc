//! What this process has queued and finished, as fingerprints.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use recrawl_core::url::PageUrl;

/// The pages of one crawl that this process has queued or finished.
///
/// Holds 16 bytes a page, not its address: a set of 100,000 pages takes about two megabytes.
#[derive(Debug, Default)]
pub struct Seen(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    places: HashMap<Fingerprint, PageProgress, BuildHasherDefault<LowBits>>,
    finished: usize,
    has_left_out: bool,
}

/// How far a page has come, and how far from the root it is by the shortest way that this process knows.
#[derive(Debug, Clone, Copy)]
struct PageProgress {
    /// Deeper ones are all alike.
    depth: u16,
    stage: Stage,
}

impl PageProgress {
    fn new(stage: Stage, depth: u32) -> Self {
        Self { depth: u16::try_from(depth).unwrap_or(u16::MAX), stage }
    }

    fn depth(self) -> u32 {
        u32::from(self.depth)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued,
    Finished,
}

/// 96 bits: two of a billion pages share one with a probability of less than one in ten billion.
///
/// Three short words, so that it fills 16 bytes with its stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fingerprint([u32; 3]);

impl Fingerprint {
    #[expect(clippy::cast_possible_truncation, reason = "the parts are cut out of the whole")]
    fn cut(whole: u128) -> Self {
        Self([whole as u32, (whole >> 32) as u32, (whole >> 64) as u32])
    }

    fn of(page: &PageUrl) -> Self {
        Self::cut(page.fingerprint())
    }
}

impl Hash for Fingerprint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [low, middle, _] = self.0;
        state.write_u64(u64::from(middle) << 32 | u64::from(low));
    }
}

/// Pages to which a way was found that is shorter than those known before.
#[derive(Debug, Default)]
pub struct Approached<'a> {
    /// Those that wait.
    pub waiting: Vec<&'a PageUrl>,
    /// Those that are recorded.
    pub recorded: Vec<&'a PageUrl>,
}

impl Seen {
    /// Returns those of `pages` that are `wanted` and were not queued before, and remembers them as
    /// queued.
    ///
    /// The cheap question comes first: most links of a page were seen on the page before. The other is asked while
    /// nobody waits for the answer, and a panic in it leaves nothing marked that nobody queues.
    pub fn not_yet_queued<'a>(
        &self,
        pages: impl IntoIterator<Item = &'a PageUrl>,
        wanted: impl Fn(&PageUrl) -> bool,
    ) -> Vec<&'a PageUrl> {
        self.not_yet_queued_within(usize::MAX, u32::MAX, pages, wanted)
    }

    /// Does as [`Seen::not_yet_queued`] for pages at `depth` until this many pages wait. Others are left out: as if they had not been
    /// seen, they are to be found again when fewer wait.
    pub fn not_yet_queued_within<'a>(
        &self,
        most_waiting: usize,
        depth: u32,
        pages: impl IntoIterator<Item = &'a PageUrl>,
        wanted: impl Fn(&PageUrl) -> bool,
    ) -> Vec<&'a PageUrl> {
        let mut unseen: Vec<(Fingerprint, &PageUrl)> =
            pages.into_iter().map(|page| (Fingerprint::of(page), page)).collect();
        {
            let seen = self.pages();
            unseen.retain(|(fingerprint, _)| !seen.places.contains_key(fingerprint));
        }
        unseen.retain(|(_, page)| wanted(page));
        let mut seen = self.pages();
        let Pages { places, finished, has_left_out } = &mut *seen;
        let mut is_new = |fingerprint| {
            let is_full = places.len() - *finished >= most_waiting;
            match places.entry(fingerprint) {
                Entry::Vacant(place) if !is_full => {
                    place.insert(PageProgress::new(Stage::Queued, depth));
                    true
                }
                Entry::Vacant(_) => {
                    *has_left_out = true;
                    false
                }
                Entry::Occupied(_) => false,
            }
        };
        unseen.into_iter().filter(|(fingerprint, _)| is_new(*fingerprint)).map(|(_, page)| page).collect()
    }

    /// Tells whether any page was left out because too many waited.
    pub fn has_left_out(&self) -> bool {
        self.pages().has_left_out
    }

    /// Returns those of `pages` that were not queued.
    pub fn unseen(&self, mut pages: Vec<PageUrl>) -> Vec<PageUrl> {
        let seen = self.pages();
        pages.retain(|page| !seen.places.contains_key(&Fingerprint::of(page)));
        pages
    }

    /// Forgets that `pages` were queued: the queue did not take them.
    pub fn forget_queued<'a>(&self, pages: impl IntoIterator<Item = &'a PageUrl>) {
        let mut seen = self.pages();
        for page in pages {
            seen.places.remove(&Fingerprint::of(page));
        }
    }

    /// Takes in a way of `depth` links to those of `pages` that wait at a greater depth. What is recorded at one stays as
    /// it is.
    pub fn approach<'a>(&self, pages: &[&'a PageUrl], depth: u32) -> Approached<'a> {
        let mut seen = self.pages();
        let mut approached = Approached::default();
        for page in pages {
            match seen.places.get_mut(&Fingerprint::of(page)) {
                Some(place) if place.depth() > depth => match place.stage {
                    Stage::Queued => {
                        *place = PageProgress::new(Stage::Queued, depth);
                        approached.waiting.push(*page);
                    }
                    Stage::Finished => approached.recorded.push(*page),
                },
                Some(_) | None => {}
            }
        }
        approached
    }

    /// Takes in that the record of `page` names a way of `depth` links.
    pub fn lower(&self, page: &PageUrl, depth: u32) {
        if let Some(place) = self.pages().places.get_mut(&Fingerprint::of(page)) {
            *place = PageProgress::new(place.stage, place.depth().min(depth));
        }
    }

    /// Returns the depth at which a page was queued or recorded, as far as that is known.
    pub fn depth(&self, page: &PageUrl) -> Option<u32> {
        let seen = self.pages();
        let place = seen.places.get(&Fingerprint::of(page))?;
        (place.depth < u16::MAX).then(|| place.depth())
    }

    /// Returns how many pages were queued and are not finished.
    pub fn waiting(&self) -> usize {
        let seen = self.pages();
        seen.places.len() - seen.finished
    }

    /// Remembers that `page` is recorded at `depth`; returns the depth of a shorter way that was found meanwhile.
    pub fn finish(&self, page: &PageUrl, depth: u32) -> Option<u32> {
        let mut seen = self.pages();
        let before = seen.places.insert(Fingerprint::of(page), PageProgress::new(Stage::Finished, depth));
        if before.is_none_or(|before| before.stage != Stage::Finished) {
            seen.finished += 1;
        }
        before.map(PageProgress::depth).filter(|before| *before < depth)
    }

    /// Tells whether `page` is recorded, as far as this process knows.
    pub fn is_finished(&self, page: &PageUrl) -> bool {
        self.pages().places.get(&Fingerprint::of(page)).is_some_and(|place| place.stage == Stage::Finished)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        // An insert that panicked leaves at worst one page out, which the audit finds.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

    fn write_u64(&mut self, low: u64) {
        self.0 = low;
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
    fn what_was_neither_queued_nor_recorded_is_unseen() {
        let seen = Seen::default();
        let pages: [PageUrl; 3] =
            ["a", "b", "c"].map(|name| format!("https://example.org/{name}").parse().unwrap());
        seen.not_yet_queued([&pages[1]], |_| true);
        assert_eq!(seen.unseen(pages.to_vec()), [pages[0].clone(), pages[2].clone()]);
        seen.finish(&pages[0], 1);
        assert_eq!(seen.unseen(pages.to_vec()), [pages[2].clone()]);
    }

    #[test]
    fn a_page_that_is_not_wanted_may_be_wanted_later() {
        let seen = Seen::default();
        let page: PageUrl = "https://example.org/a".parse().unwrap();
        assert!(seen.not_yet_queued([&page], |_| false).is_empty());
        assert_eq!(seen.not_yet_queued([&page], |_| true), [&page]);
    }

    #[test]
    fn pages_are_left_out_while_too_many_wait() {
        let seen = Seen::default();
        let pages: Vec<PageUrl> =
            (0..4).map(|number| format!("https://example.org/{number}").parse().unwrap()).collect();
        assert_eq!(seen.not_yet_queued_within(2, 1, &pages[..2], |_| true).len(), 2);
        assert!(!seen.has_left_out());
        assert!(seen.not_yet_queued_within(2, 1, &pages, |_| true).is_empty());
        assert!(seen.has_left_out());
        seen.finish(&pages[0], 1);
        assert_eq!(seen.not_yet_queued_within(2, 1, &pages, |_| true), [&pages[2]]);
    }

    #[test]
    fn a_page_takes_16_bytes() {
        assert_eq!(size_of::<(Fingerprint, PageProgress)>(), 16);
    }

    #[test]
    fn a_queued_page_is_not_finished() {
        let seen = Seen::default();
        let page: PageUrl = "https://example.org/a".parse().unwrap();
        seen.not_yet_queued([&page], |_| true);
        assert!(!seen.is_finished(&page));
        assert_eq!(seen.finish(&page, 1), None);
        assert!(seen.is_finished(&page));
    }

    #[test]
    fn the_shortest_way_to_a_page_is_remembered() {
        let seen = Seen::default();
        let page: PageUrl = "https://example.org/a".parse().unwrap();
        assert_eq!(seen.depth(&page), None);
        seen.not_yet_queued_within(9, 3, [&page], |_| true);
        assert!(seen.approach(&[&page], 4).waiting.is_empty());
        assert_eq!(seen.depth(&page), Some(3));
        assert_eq!(seen.approach(&[&page], 2).waiting, [&page]);
        assert_eq!(seen.depth(&page), Some(2));
        assert_eq!(seen.finish(&page, 3), Some(2), "a way was found while it was visited");
        assert_eq!(seen.approach(&[&page], 1).recorded, [&page]);
        assert_eq!(seen.depth(&page), Some(3), "its record says so");
        seen.lower(&page, 1);
        assert_eq!(seen.depth(&page), Some(1));
        assert!(seen.approach(&[&page], 1).recorded.is_empty());
    }
}
