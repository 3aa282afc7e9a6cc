//! The links and images of a page with the places where they stand, as far as an outline has room for them.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use recrawl_core::model::outline::{Item, MAX_OUTLINE};
use recrawl_core::model::region::{Mark, Region};

use crate::html::links::AsIs;

/// Links or images under way, each once.
#[derive(Debug, Default)]
pub(super) struct OutlineItems {
    items: Vec<Item>,
    /// The places of items, by the hashes of their addresses.
    places: HashMap<u64, usize, BuildHasherDefault<AsIs>>,
    bytes: usize,
}

impl OutlineItems {
    /// Adds an address with its hash, unless there is no room for it. Of doubles, the one in the content counts.
    pub(super) fn add(&mut self, hash: u64, mark: Mark, address: &str, words: &str) {
        self.add_fetched(hash, mark, address, words, "");
    }

    /// Adds an address that is fetched from `source`, if that is another one.
    pub(super) fn add_fetched(&mut self, hash: u64, mark: Mark, address: &str, words: &str, source: &str) {
        if let Some(earlier) = self.places.get(&hash).and_then(|place| self.items.get_mut(*place)) {
            if mark.region == Region::Content && earlier.mark.region != Region::Content {
                earlier.mark = mark;
                words.clone_into(&mut earlier.words);
            }
            return;
        }
        self.bytes += address.len() + words.len() + source.len();
        if !self.is_cut() {
            self.places.insert(hash, self.items.len());
            let (address, words, source) = (address.to_owned(), words.to_owned(), source.to_owned());
            self.items.push(Item { mark, address, words, source });
        }
    }

    /// Makes room for so many.
    pub(super) fn reserve(&mut self, count: usize) {
        // More have no room, however short they are.
        let count = count.min(MAX_OUTLINE / 16);
        self.items.reserve(count);
        self.places.reserve(count);
    }

    /// Tells whether some are missing.
    pub(super) fn is_cut(&self) -> bool {
        self.bytes > MAX_OUTLINE
    }

    /// Returns them, in the order of the page.
    pub(super) fn finish(self) -> Vec<Item> {
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_one_item_and_content_counts() {
        let mut items = OutlineItems::default();
        items.add(1, Mark::of(Region::Nav), "a", "");
        items.add(2, Mark::CONTENT, "b", "");
        items.add(1, Mark::CONTENT, "a", "words");
        items.add(1, Mark::of(Region::Footer), "a", "others");
        let items = items.finish();
        assert_eq!(items.len(), 2);
        assert_eq!((items[0].mark, &*items[0].words), (Mark::CONTENT, "words"));
    }

    #[test]
    fn what_has_no_room_is_missing() {
        let mut items = OutlineItems::default();
        for hash in 0..3 {
            items.add(hash, Mark::CONTENT, &"x".repeat(MAX_OUTLINE / 2), "");
        }
        assert!(items.is_cut());
        items.add(9, Mark::CONTENT, "short, and too late", "");
        assert_eq!(items.finish().len(), 2);
    }
}
