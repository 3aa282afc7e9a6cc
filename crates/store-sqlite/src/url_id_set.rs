//! Numbers of addresses: lists as they are stored, and sets.

use std::collections::HashSet;
use std::fmt::Write;

use crate::error::unreadable;
use crate::keys::CrawlKey;

/// Writes numbers as a JSON array.
pub(crate) fn to_json(numbers: &[i64]) -> String {
    let mut json = String::with_capacity(8 * numbers.len() + 2);
    json.push('[');
    for number in numbers {
        let separator = if json.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(json, "{separator}{number}");
    }
    json.push(']');
    json
}

/// Reads a JSON array of numbers that addresses can have: there are never as many as 32 bits can count.
pub(crate) fn from_json(json: &str) -> rusqlite::Result<Vec<i64>> {
    let inner = json.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or_else(|| unreadable("numbers that are no array"))?;
    let mut numbers = Vec::with_capacity(inner.len() / 2 + 1);
    let mut number: Option<u32> = None;
    for byte in inner.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = u32::from(byte - b'0');
                let longer = number.unwrap_or(0).checked_mul(10).and_then(|tens| tens.checked_add(digit));
                number = Some(longer.ok_or_else(|| unreadable("the number of an address is too large"))?);
            }
            b',' => {
                let number = number.take().ok_or_else(|| unreadable("an address without a number"))?;
                numbers.push(number.into());
            }
            _ => return Err(unreadable("the number of an address is none")),
        }
    }
    match number {
        Some(last) => numbers.push(last.into()),
        None if numbers.is_empty() => {}
        None => return Err(unreadable("an address without a number")),
    }
    Ok(numbers)
}

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

    #[test]
    fn numbers_are_read_from_an_array_and_from_nothing_else() {
        assert!(from_json("[]").unwrap().is_empty());
        assert_eq!(from_json("[7]").unwrap(), [7]);
        assert_eq!(from_json("[12,3,4294967295]").unwrap(), [12, 3, 4_294_967_295]);
        for wrong in ["", "[", "7", "[,]", "[1,]", "[,1]", "[1 ]", "[-1]", "[4294967296]"] {
            assert!(from_json(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for numbers in [vec![], vec![7], vec![12, 0, 4_294_967_295]] {
            assert_eq!(from_json(&to_json(&numbers)).unwrap(), numbers);
        }
    }
}
