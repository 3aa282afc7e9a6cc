//! What will be asked about pages that were handed out, read before it is asked (prefetching).
//!
//! Why: pages that are handed out together lie together in the file, and one view reads them all.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::mem;

use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::record::PageState;
use recrawl_core::url::PageUrl;

use crate::cache::two_generation_cache::Mixer;
use crate::keys::CrawlKey;

/// How many links are kept of the pages that are handed out at once: a megabyte.
const ROOM: usize = 1 << 17;

/// Answers to questions that were not asked yet. Each is given once.
///
/// Those about the last two batches of pages are kept: while one is being worked off, the last pages of the other
/// are still under way.
#[derive(Debug, Default)]
pub(crate) struct Prefetched {
    epoch: u64,
    young: Answers,
    old: Answers,
}

/// The answers about the pages that were handed out at once.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// By the fingerprint of their page. Apart from the map, which is moved as it grows.
    known: HashMap<(CrawlKey, u128), Option<Box<PageState>>, BuildHasherDefault<Mixer>>,
    /// As they are stored: numbers of addresses.
    links: HashMap<ContentHash, Vec<i64>>,
    kept_links: usize,
}

impl Answers {
    /// Keeps what is known of `page` before `crawl`.
    pub(crate) fn keep_known(&mut self, crawl: CrawlKey, page: &PageUrl, known: Option<PageState>) {
        self.known.insert((crawl, page.fingerprint()), known.map(Box::new));
    }

    /// Keeps the links of a content, if there is room.
    pub(crate) fn keep_links(&mut self, content: ContentHash, links: Vec<i64>) {
        if self.kept_links < ROOM {
            self.kept_links += links.len();
            self.links.insert(content, links);
        }
    }
}

impl Prefetched {
    /// Returns the time at which reading began, for [`Prefetched::add`].
    pub(crate) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Adds answers that were read since `epoch`, unless they may be wrong by now.
    pub(crate) fn add(&mut self, epoch: u64, answers: Answers) {
        if epoch == self.epoch {
            self.old = mem::replace(&mut self.young, answers);
        }
    }

    /// Returns what is known of `page` before `crawl`, where that was read, be it nothing.
    #[expect(clippy::option_option, reason = "known to be none is something else than not known")]
    pub(crate) fn known(&mut self, crawl: CrawlKey, page: &PageUrl) -> Option<Option<PageState>> {
        let key = (crawl, page.fingerprint());
        let known = self.young.known.remove(&key).or_else(|| self.old.known.remove(&key))?;
        Some(known.map(|known| *known))
    }

    /// Returns the links of a content, where they were read.
    pub(crate) fn links(&mut self, content: &ContentHash) -> Option<Vec<i64>> {
        self.young.links.remove(content).or_else(|| self.old.links.remove(content))
    }

    /// Forgets everything, also what is being read.
    pub(crate) fn clear(&mut self) {
        *self = Self { epoch: self.epoch + 1, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRAWL: CrawlKey = CrawlKey { site: 1, crawl: 2 };

    fn page(number: usize) -> PageUrl {
        format!("https://example.org/{number}").parse().unwrap()
    }

    fn answers(numbers: std::ops::Range<usize>) -> Answers {
        let mut answers = Answers::default();
        for number in numbers {
            answers.keep_known(CRAWL, &page(number), None);
            answers.keep_links(ContentHash::of(&number.to_le_bytes()), vec![i64::try_from(number).unwrap()]);
        }
        answers
    }

    #[test]
    fn an_answer_is_given_once() {
        let mut prefetched = Prefetched::default();
        prefetched.add(0, answers(0..1));
        let (page, content) = (page(0), ContentHash::of(&0_usize.to_le_bytes()));
        assert_eq!(prefetched.known(CrawlKey { site: 1, crawl: 3 }, &page), None, "of another crawl");
        assert_eq!(prefetched.known(CRAWL, &page), Some(None));
        assert_eq!(prefetched.known(CRAWL, &page), None);
        assert_eq!(prefetched.links(&content), Some(vec![0]));
        assert_eq!(prefetched.links(&content), None);
    }

    #[test]
    fn the_last_two_lots_are_kept() {
        let mut prefetched = Prefetched::default();
        for batch in [0..2, 2..4, 4..6] {
            prefetched.add(0, answers(batch));
        }
        let known: Vec<usize> =
            (0..6).filter(|number| prefetched.known(CRAWL, &page(*number)).is_some()).collect();
        assert_eq!(known, [2, 3, 4, 5]);
    }

    #[test]
    fn what_was_being_read_when_all_was_forgotten_is_forgotten_too() {
        let mut prefetched = Prefetched::default();
        let epoch = prefetched.epoch();
        prefetched.add(epoch, answers(0..1));
        prefetched.clear();
        prefetched.add(epoch, answers(1..2));
        assert_eq!((prefetched.known(CRAWL, &page(0)), prefetched.known(CRAWL, &page(1))), (None, None));
        prefetched.add(prefetched.epoch(), answers(2..3));
        assert_eq!(prefetched.known(CRAWL, &page(2)), Some(None));
    }

    #[test]
    fn links_are_bounded() {
        let mut answers = Answers::default();
        for name in 0..9_u8 {
            answers.keep_links(ContentHash::of(&[name]), vec![0; ROOM / 4]);
        }
        assert_eq!(answers.links.len(), 4);
    }
}
