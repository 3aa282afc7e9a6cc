//! How many addresses of a shape had the same text.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::model::ids::SemanticHash;

/// How many shapes, and how many texts of shapes, are counted at a time.
const ROOM: usize = 50_000;

/// How large a part of the addresses of a shape has the same text in a trap, as one in this many.
///
/// A shop has many pages that only say that something is sold out, and many others of the same shape.
const ONE_IN: u32 = 4;

/// How many addresses of a shape had the same text.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Addresses of each shape.
    shapes: Counts,
    /// Addresses of each shape with each text.
    texts: Counts,
    /// The shapes that are traps.
    closed: HashSet<u64>,
}

impl Tally {
    /// Counts an address of `shape` with `text`; more than `limit` alike make the shape a trap.
    pub(super) fn add(&mut self, shape: &str, text: &SemanticHash, limit: u32) {
        let shape = xxh3_64(shape.as_bytes());
        let all = self.shapes.add(shape);
        let alike = self.texts.add(xxh3_64_with_seed(text.as_bytes(), shape));
        if alike > limit && alike >= all / ONE_IN && self.closed.len() < ROOM {
            self.closed.insert(shape);
        }
    }

    /// Tells whether `shape` is a trap.
    pub(super) fn is_closed(&self, shape: &str) -> bool {
        !self.closed.is_empty() && self.closed.contains(&xxh3_64(shape.as_bytes()))
    }
}

/// Counts by key, of which the smallest are forgotten when there are too many.
#[derive(Debug, Default)]
struct Counts(HashMap<u64, u32>);

impl Counts {
    fn add(&mut self, key: u64) -> u32 {
        let count = self.0.entry(key).or_default();
        *count += 1;
        let count = *count;
        let mut few = 1;
        while self.0.len() > ROOM {
            self.0.retain(|_, count| *count > few);
            few *= 2;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: u32) -> SemanticHash {
        SemanticHash::of(&number.to_le_bytes())
    }

    fn closed_after(limit: u32, texts: impl IntoIterator<Item = u32>) -> Option<usize> {
        let mut tally = Tally::default();
        texts.into_iter().position(|number| {
            tally.add("/item/*", &text(number), limit);
            tally.is_closed("/item/*")
        })
    }

    #[test]
    fn more_addresses_than_the_limit_with_the_same_text_are_a_trap() {
        for (what, limit, texts, expected) in [
            ("all alike", 100, vec![7; 200], Some(100)),
            ("exactly the limit", 100, vec![7; 100], None),
            ("all different", 100, (0..5_000).collect(), None),
            ("two by turns", 100, (0..400).map(|number| number % 2).collect(), Some(200)),
            (
                "one in ten sold out",
                100,
                (0..5_000).map(|number| if number % 10 == 0 { 0 } else { number }).collect(),
                None,
            ),
            ("many real pages, then a trap", 100, (0..50).chain([7; 200]).collect(), Some(149)),
        ] {
            assert_eq!(closed_after(limit, texts), expected, "{what}");
        }
    }

    #[test]
    fn the_same_text_at_other_shapes_is_counted_apart() {
        let mut tally = Tally::default();
        for number in 0..1_000 {
            tally.add(&format!("/{number}/*"), &text(7), 100);
        }
        assert!(tally.closed.is_empty());
    }

    #[test]
    fn what_is_counted_is_bounded_and_what_is_frequent_stays() {
        let mut tally = Tally::default();
        for number in 0..250_000 {
            tally.add("/item/*", &text(number), 100);
            tally.add(&format!("/{number}/*"), &text(number), 100);
            if number % 1_000 == 0 {
                tally.add("/trap/*", &text(u32::MAX), 100);
                tally.add("/trap/*", &text(u32::MAX), 100);
            }
        }
        assert!(tally.shapes.0.len() <= ROOM && tally.texts.0.len() <= ROOM);
        assert!(tally.is_closed("/trap/*") && !tally.is_closed("/item/*"));
    }
}
