//! A set of address numbers, a bit each.
//!
//! Why: a crawl asks for every link of every page whether it is queued. A bit a page is 60 times less memory than a hash set.
//! A crate for bit sets would not spare the rest: numbers of a damaged file must not take memory for each below them.

use std::collections::HashSet;

use crate::keys::CrawlKey;

/// A set of numbers: a bit each, for they follow each other closely.
#[derive(Debug, Default)]
pub(crate) struct UrlIdSet {
    bits: Vec<u64>,
    /// Numbers that only a damaged file has, and for which bits would take any amount of memory.
    strange: HashSet<i64>,
}

/// The numbers of addresses are smaller; bits for all of them take 128 MB.
const DENSE: i64 = 1 << 30;

impl UrlIdSet {
    pub(crate) fn contains(&self, number: i64) -> bool {
        match place(number) {
            Some((word, bit)) => self.bits.get(word).is_some_and(|word| word & bit != 0),
            None => self.strange.contains(&number),
        }
    }

    /// Adds a number; tells whether it is new.
    pub(crate) fn insert(&mut self, number: i64) -> bool {
        let Some((word, bit)) = place(number) else {
            return self.strange.insert(number);
        };
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }

    pub(crate) fn remove(&mut self, number: i64) {
        match place(number) {
            Some((word, bit)) => {
                if let Some(word) = self.bits.get_mut(word) {
                    *word &= !bit;
                }
            }
            None => {
                self.strange.remove(&number);
            }
        }
    }
}

impl FromIterator<i64> for UrlIdSet {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        let mut set = Self::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

/// Numbers that belong to the crawl that was asked about last.
#[derive(Debug, Default)]
pub(crate) struct CrawlUrlSet {
    crawl: Option<CrawlKey>,
    numbers: UrlIdSet,
}

impl CrawlUrlSet {
    /// Returns the numbers of `crawl`; those that it begins with are read.
    pub(crate) fn of_or_read<E>(
        &mut self,
        crawl: CrawlKey,
        read: impl FnOnce() -> Result<UrlIdSet, E>,
    ) -> Result<&mut UrlIdSet, E> {
        if self.crawl != Some(crawl) {
            *self = Self { crawl: Some(crawl), numbers: read()? };
        }
        Ok(&mut self.numbers)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Returns the word and the bit of a number that has one.
fn place(number: i64) -> Option<(usize, u64)> {
    let number = usize::try_from(number).ok().filter(|_| number < DENSE)?;
    Some((number / 64, 1 << (number % 64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_set_from_adding_to_removing() {
        let mut numbers = UrlIdSet::default();
        for number in [0, 63, 64, 1_000, -1, i64::MIN, DENSE, i64::MAX] {
            assert!(!numbers.contains(number));
            assert!(numbers.insert(number));
            assert!(!numbers.insert(number));
            assert!(numbers.contains(number));
        }
        numbers.remove(64);
        numbers.remove(1_000_000);
        assert_eq!([63, 64, 65, 1_000].map(|number| numbers.contains(number)), [true, false, false, true]);
    }
}
