//! How many pages have each verdict.

use std::fmt;
use std::ops::{Index, IndexMut};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::model::verdict::Verdict;

/// How many pages have each verdict; stored as a map of their words, to be flattened into a larger one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Verdict::ALL.len()]);

impl Counts {
    /// Returns how many pages have a verdict that is one of these.
    pub fn of(&self, is_one: impl Fn(Verdict) -> bool) -> u64 {
        Verdict::ALL.into_iter().filter(|verdict| is_one(*verdict)).map(|verdict| self[verdict]).sum()
    }
}

impl Index<Verdict> for Counts {
    type Output = u64;

    fn index(&self, verdict: Verdict) -> &u64 {
        &self.0[verdict as usize]
    }
}

impl IndexMut<Verdict> for Counts {
    fn index_mut(&mut self, verdict: Verdict) -> &mut u64 {
        &mut self.0[verdict as usize]
    }
}

impl<const N: usize> From<[(Verdict, u64); N]> for Counts {
    fn from(counted: [(Verdict, u64); N]) -> Self {
        let mut counts = Self::default();
        for (verdict, count) in counted {
            counts[verdict] += count;
        }
        counts
    }
}

impl Serialize for Counts {
    /// Writes every count, in the order in which verdicts are declared.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut verdicts = Verdict::ALL;
        verdicts.sort_unstable();
        serializer.collect_map(verdicts.into_iter().map(|verdict| (verdict.word(), self[verdict])))
    }
}

impl<'de> Deserialize<'de> for Counts {
    /// Reads the counts among other fields; a verdict that the writer did not know has none.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CountsVisitor)
    }
}

struct CountsVisitor;

impl<'de> Visitor<'de> for CountsVisitor {
    type Value = Counts;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("counts by verdict")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counts, A::Error> {
        let mut counts = Counts::default();
        while let Some(word) = map.next_key::<String>()? {
            match word.parse() {
                Ok(verdict) => counts[verdict] = map.next_value()?,
                Err(_) => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::value::{Error, MapDeserializer};

    use super::*;

    fn read<const N: usize>(words: [(&str, i64); N]) -> Result<Counts, Error> {
        Counts::deserialize(MapDeserializer::new(words.into_iter()))
    }

    #[test]
    fn what_is_not_there_is_zero_and_what_is_no_verdict_is_passed_over() {
        let written = [("gone", 2), ("total", -3), ("new", 1)];
        assert_eq!(read(written), Ok(Counts::from([(Verdict::New, 1), (Verdict::Gone, 2)])));
        assert!(read([("gone", -1)]).is_err());
    }

    #[test]
    fn every_verdict_is_counted_apart() {
        let mut counts = Counts::default();
        for (number, verdict) in (1..).zip(Verdict::ALL) {
            counts[verdict] += number;
        }
        for (number, verdict) in (1..).zip(Verdict::ALL) {
            assert_eq!((counts[verdict], counts.of(|other| other == verdict)), (number, number), "{verdict}");
        }
    }
}
