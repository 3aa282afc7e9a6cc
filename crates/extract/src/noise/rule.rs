//! What a rule is made of that removes noise from text.

use std::sync::LazyLock;

use regex::Regex;

/// A rule that works on lines of canonical text, in which white space is a single space.
///
/// Plain words are found an order of magnitude faster than patterns are matched, so a line is examined only if it has one
/// of the words. The fewer they are, and the more letters the shortest has, the faster they are sought.
pub(super) struct TextRule {
    /// Whatever the pattern matches holds one of these, in upper or lower case, or is found by `words_beside_digits`.
    /// Written in lower case.
    pub(super) words: &'static [&'static str],
    /// Words of matches that hold a digit, too. Most lines of prose have none.
    pub(super) words_beside_digits: &'static [&'static str],
    /// What is removed where the pattern matches.
    pub(super) removes: Removes,
    /// What noise looks like. Only ASCII letters have two cases (`(?i-u)`), because words are sought so, too.
    pub(super) pattern: LazyLock<Regex>,
}

/// What is removed where a pattern matches.
pub(super) enum Removes {
    /// Every match, but for what the group `keep` matches.
    Match,
    /// The line, or a part of it between bars, if it matches as a whole.
    Part,
}

/// Compiles the pattern of a rule.
pub(super) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, compiled by the tests")
}
