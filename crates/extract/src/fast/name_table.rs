//! Names of elements that are noise: one look at a table refuses most words.
//!
//! Why: every word of every class of a page is looked up. The plain twin is `find`, which compares with each name.

use crate::noise::NoiseRule;

/// Names of elements that are noise, and their rules; a star stands for any ending.
pub(crate) struct NameTable {
    /// By first byte: bit n says that a name of n bytes, or a beginning of at most n, starts with it.
    lengths: [u64; 256],
    names: Vec<(&'static str, NoiseRule)>,
}

impl NameTable {
    /// Makes a table of names.
    pub(crate) fn new(names: impl Iterator<Item = (&'static str, NoiseRule)>) -> Self {
        let names: Vec<_> = names.collect();
        let mut lengths = [0; 256];
        for (name, _) in &names {
            let first = usize::from(name.as_bytes()[0]);
            match name.strip_suffix('*') {
                Some(start) => lengths[first] |= u64::MAX << start.len(),
                None => lengths[first] |= 1 << name.len(),
            }
        }
        Self { lengths, names }
    }

    fn may_know(&self, word: &[u8]) -> bool {
        let first = word.first().copied().unwrap_or_default();
        self.lengths[usize::from(first)] & (1 << word.len().min(63)) != 0
    }

    /// Returns the rule that knows a word.
    pub(crate) fn rule_of(&self, word: &str) -> Option<NoiseRule> {
        if super::ON && !self.may_know(word.as_bytes()) {
            return None;
        }
        self.find(word)
    }

    /// The plain twin: compares the word with every name.
    fn find(&self, word: &str) -> Option<NoiseRule> {
        let is_meant = |name: &str| match name.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == name,
        };
        self.names.iter().find(|(name, _)| is_meant(name)).map(|(_, rule)| *rule)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_table_refuses_no_word_that_is_known(word in "(klaro|ad-slot(-[a-z]{0,3})?|[ak][a-z-]{0,70}|\\PC{0,5})") {
            let names = [("klaro", NoiseRule::CookieBanners), ("ad-slot-*", NoiseRule::Ads), ("ad-slot", NoiseRule::Ads)];
            let table = NameTable::new(names.into_iter());
            prop_assert_eq!(table.rule_of(&word), table.find(&word));
        }
    }
}
