//! Seeks the words of all noise rules at once, in vectors where the processor has them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind, Span};

use crate::noise::{NoiseRule, TextRule};

/// The words of all rules. A line without any of them, and without both a digit and one of [`BESIDE_DIGITS`] or a lone
/// word, holds no noise.
pub(super) static ANYWHERE: LazyLock<WordSearch> =
    LazyLock::new(|| WordSearch::new(&words(|rule| rule.words)));

/// The words of all rules that count only in lines with a digit.
pub(super) static BESIDE_DIGITS: LazyLock<WordSearch> =
    LazyLock::new(|| WordSearch::new(&words(|rule| rule.words_beside_digits)));

/// Returns words without those that hold another one, by which they are found as well.
fn words(of_rule: fn(&TextRule) -> &'static [&'static str]) -> Vec<&'static str> {
    let kinds = NoiseRule::ALL.into_iter().flat_map(|rule| rule.rule().text);
    let all: BTreeSet<&str> = kinds.flat_map(of_rule).copied().collect();
    let holds_another = |word: &str| all.iter().any(|other| *other != word && word.contains(other));
    all.iter().copied().filter(|word| !holds_another(word)).collect()
}

/// How many words vectors take before much of the text looks like one of them.
const MAX_PACKED: usize = 32;

/// Strings that are sought together.
pub(super) enum WordSearch {
    /// In vectors.
    Packed(Searcher),
    /// Byte by byte, where the words are too many or the processor has no such vectors.
    Automaton(AhoCorasick),
}

impl WordSearch {
    fn new(words: &[&str]) -> Self {
        let packed = if words.len() <= MAX_PACKED { Searcher::new(words) } else { None };
        packed.map_or_else(|| Self::automaton(words), Self::Packed)
    }

    fn automaton(words: &[&str]) -> Self {
        let strings = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .kind(Some(AhoCorasickKind::DFA))
            .prefilter(false)
            .build(words);
        Self::Automaton(strings.expect("there are few, and they are short"))
    }

    /// Returns where the first of them begins in a part of `text`, which is in lower case.
    pub(super) fn find(&self, text: &str, part: Range<usize>) -> Option<usize> {
        let part = Span::from(part);
        let found = match self {
            Self::Packed(searcher) => searcher.find_in(text, part),
            Self::Automaton(strings) => strings.find(Input::new(text).span(part)),
        };
        found.map(|found| found.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_alike_with_and_without_vectors() {
        let words = ["ago", "oday", "ime: ", "d in 1"];
        let text = "Posted 5 minutes ago\nToday is the day\nTime: 12:00\nloaded in 1 s, long ago";
        let all = |search: &WordSearch| {
            let mut found = Vec::new();
            while let Some(at) = search.find(text, found.last().map_or(0, |last| last + 1)..text.len()) {
                found.push(at);
            }
            found
        };
        assert_eq!(all(&WordSearch::automaton(&words)), [17, 22, 39, 55, 70]);
        assert_eq!(all(&WordSearch::new(&words)), all(&WordSearch::automaton(&words)));
        assert_eq!(WordSearch::new(&words).find("nothing", 0..7), None);
        assert_eq!(WordSearch::new(&words).find(text, 18..39), Some(22));
        assert_eq!(WordSearch::new(&words).find(text, 23..39), None);
    }
}
