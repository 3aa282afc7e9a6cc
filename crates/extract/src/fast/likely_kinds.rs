//! Prefilter of patterns: a suspect line is matched only against those of which it has a word.
//!
//! Why: a line is suspect because of one word or two, and there are dozens of patterns. The plain twin takes all of them;
//! `whatever_a_pattern_matches_is_examined` shows that both find the same noise.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::suspect_lines::has_lone_word;
use crate::noise::TEXT_KINDS;

/// The kinds of text that a line may hold, by their places among [`TEXT_KINDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LikelyKinds(u64);

/// The words of all kinds, and for each the kinds that have it.
struct Words {
    search: AhoCorasick,
    kinds: Vec<u64>,
    lone: u64,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let places = || TEXT_KINDS.iter().enumerate().map(|(at, kind)| (1 << at, kind.text));
    let words = || {
        places().flat_map(|(kind, text)| {
            text.words.iter().chain(text.words_beside_digits).map(move |word| (kind, *word))
        })
    };
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words().map(|(_, word)| word));
    Words {
        search: search.expect("there are few, and they are short"),
        kinds: words().map(|(kind, _)| kind).collect(),
        lone: places().filter(|(_, text)| text.lone_words).fold(0, |all, (kind, _)| all | kind),
    }
});

/// Makes what the first page would wait for otherwise.
pub(super) fn warm_up() {
    LazyLock::force(&WORDS);
}

impl LikelyKinds {
    /// Returns the kinds that a line may hold; all of them where short cuts are off.
    pub(crate) fn of(line: &str) -> Self {
        if !super::ON {
            return Self(u64::MAX);
        }
        let by_shape = if has_lone_word(line) { WORDS.lone } else { 0 };
        let found = WORDS.search.find_overlapping_iter(line);
        Self(found.fold(by_shape, |kinds, found| kinds | WORDS.kinds[found.pattern().as_usize()]))
    }

    /// Tells whether a line may hold the kind at this place.
    pub(crate) const fn contains(self, at: usize) -> bool {
        self.0 & (1 << at) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRule;

    #[test]
    fn every_kind_has_a_place() {
        assert!(TEXT_KINDS.len() <= 64, "{}", TEXT_KINDS.len());
    }

    #[test]
    fn a_line_is_matched_against_the_kinds_of_its_words_only() {
        for (line, expected) in [
            ("Posted 5 minutes AGO", vec![NoiseRule::RelativeTimes]),
            ("1.261.0.339", vec![NoiseRule::Ids, NoiseRule::Versions]),
            ("12 downloads", vec![NoiseRule::Counters]),
            ("The bridge is closed", vec![]),
        ] {
            let likely = LikelyKinds::of(line);
            let mut rules: Vec<NoiseRule> = (0..TEXT_KINDS.len())
                .filter(|at| likely.contains(*at))
                .map(|at| TEXT_KINDS[at].rule)
                .collect();
            rules.dedup();
            assert!(!super::super::ON || rules == expected, "{line}: {rules:?}");
        }
    }
}
