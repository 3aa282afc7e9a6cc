//! Prefilter of noise rules: only lines with a word of a rule are matched against the patterns of all, and lines with a
//! part that is nothing but one word with a digit, such as an id.
//!
//! Why: plain words are sought an order of magnitude faster than patterns are matched, and few lines have one. The plain
//! twin examines every line; `whatever_a_pattern_matches_is_examined` shows that both find the same noise.

use std::ops::Range;

use super::word_search;
use crate::noise::{BARS, LONE_WORD};

/// The lines of a text that may hold noise, by the words of the rules.
pub(crate) struct SuspectLines {
    /// The text in lower case, in which every byte is where it was.
    text: String,
    /// Where a trigger is found next, of those that need no digit and of those that do.
    next: [Option<usize>; 2],
}

/// Finds the first trigger of a kind from a place on.
type Find = fn(&str, usize) -> Option<usize>;

const KINDS: [Find; 2] =
    [|text, from| word_search::ANYWHERE.find(text, from..text.len()), find_beside_digits];

impl SuspectLines {
    /// Returns where the lines begin and end that may hold noise; all of them where short cuts are off.
    pub(crate) fn of(text: &str) -> impl Iterator<Item = (usize, usize)> {
        let (fast, plain) =
            if super::ON { (Some(Self::new(text)), None) } else { (None, Some(all_lines(text))) };
        fast.into_iter().flatten().chain(plain.into_iter().flatten())
    }

    fn new(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        Self { next: KINDS.map(|find| find(&text, 0)), text }
    }
}

impl Iterator for SuspectLines {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let at = self.next.into_iter().flatten().min()?;
        let line = line_around(&self.text, at);
        for (next, find) in self.next.iter_mut().zip(KINDS) {
            if next.is_some_and(|next| next < line.end) {
                *next = find(&self.text, line.end);
            }
        }
        Some((line.start, line.end))
    }
}

/// The plain twin: every line.
fn all_lines(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let end = start + line.len();
        (std::mem::replace(&mut start, end + 1), end)
    })
}

/// Returns where the line around a place begins and ends.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    start..end
}

/// Returns a place in the first line from `from` on that has a digit, and a trigger that needs one or a lone word.
fn find_beside_digits(text: &str, mut from: usize) -> Option<usize> {
    loop {
        let line = line_around(text, from + first_digit(&text.as_bytes()[from..])?);
        if has_lone_word(&text[line.clone()]) {
            return Some(line.start);
        }
        if let Some(at) = word_search::BESIDE_DIGITS.find(text, line.clone()) {
            return Some(at);
        }
        from = line.end;
    }
}

/// Tells whether a part of a line is a single long word with a digit. The line has a digit.
pub(super) fn has_lone_word(line: &str) -> bool {
    let bytes = line.as_bytes();
    if memchr::memchr(b' ', bytes).is_none() {
        return bytes.len() >= LONE_WORD;
    }
    // The bytes with which bars begin: nearly all lines have none of them.
    memchr::memchr3(b'|', 0xC2, 0xE2, bytes).is_some() && line.split(BARS).any(is_lone_word)
}

fn is_lone_word(part: &str) -> bool {
    let part = part.trim();
    part.len() >= LONE_WORD && !part.contains(' ') && part.bytes().any(|byte| byte.is_ascii_digit())
}

fn first_digit(bytes: &[u8]) -> Option<usize> {
    const STRIDE: usize = 64;
    // Without an early exit, a stride is compared in vectors.
    let has_digit = |stride: &[u8]| stride.iter().fold(false, |has, byte| has | byte.is_ascii_digit());
    let from = STRIDE * bytes.chunks(STRIDE).position(has_digit)?;
    bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::string::string_regex_parsed;
    use proptest::test_runner::TestRunner;
    use regex_syntax::hir::{Hir, HirKind, Repetition};

    use super::*;
    use crate::fast::LikelyKinds;
    use crate::noise::{Removes, TEXT_KINDS, TextKind};

    #[test]
    fn whatever_a_pattern_matches_is_examined() {
        for (at, TextKind { rule, pattern: regex, .. }) in TEXT_KINDS.iter().enumerate() {
            let pattern = regex_syntax::parse(regex.as_str()).expect("valid");
            let matching = string_regex_parsed(&without_places(&pattern)).expect("nothing but characters");
            let config = ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() };
            let examined = TestRunner::new(config).run(&matching, |line| {
                prop_assume!(!line.contains('\n') && regex.is_match(&line));
                let text = format!("before\n{line}\nafter");
                prop_assert_eq!(SuspectLines::new(&text).next(), Some((7, 7 + line.len())), "{:?}", line);
                prop_assert!(LikelyKinds::of(&line).contains(at), "{:?}", line);
                Ok(())
            });
            assert!(examined.is_ok(), "{rule}: {}", examined.expect_err("seen"));
        }
    }

    proptest! {
        #[test]
        fn a_part_between_bars_that_a_pattern_matches_is_examined(
            line in "((1\\.261\\.0\\.339|[0-9]{11,14}|0f96ba58-7903-4b11-839a-dd2c75cdcdd5|v1|12|help us)( ?[|·•] ?)?){1,5}"
        ) {
            for (at, TextKind { text, pattern, .. }) in TEXT_KINDS.iter().enumerate() {
                let is_noise = |part: &str| matches!(text.removes, Removes::Part) && pattern.is_match(part.trim());
                if line.split(BARS).any(is_noise) {
                    prop_assert_eq!(SuspectLines::new(&line).next(), Some((0, line.len())));
                    prop_assert!(LikelyKinds::of(&line).contains(at));
                }
            }
        }
    }

    #[test]
    fn lone_words_are_long_and_have_a_digit() {
        for (line, expected) in [
            ("12345678", true),
            ("1.261.0.339", true),
            ("Acme | 12345678 | Help", true),
            ("12345678 \u{2022} Help", true),
            ("Help \u{b7} 12345678", true),
            ("123456", false),
            ("2026 | Help", false),
            ("in 1999 and 12345678", false),
            ("Contact us | 12345678 times", false),
        ] {
            assert_eq!(has_lone_word(line), expected, "{line}");
        }
    }

    /// Returns a pattern without what it says about where a match stands, which no strategy can make.
    fn without_places(pattern: &Hir) -> Hir {
        let all = |parts: &[Hir]| parts.iter().map(without_places).collect();
        match pattern.kind() {
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => pattern.clone(),
            HirKind::Look(_) => Hir::empty(),
            HirKind::Capture(capture) => without_places(&capture.sub),
            HirKind::Repetition(repetition) => {
                let sub = Box::new(without_places(&repetition.sub));
                Hir::repetition(Repetition { sub, ..repetition.clone() })
            }
            HirKind::Concat(parts) => Hir::concat(all(parts)),
            HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        }
    }

    #[test]
    fn lines_with_a_trigger_are_suspect_and_some_of_them_only_with_a_digit() {
        let prose = "long prose without any number ".repeat(9);
        let text = format!("7 downloads\n{prose}\nmore downloads\n{prose}in 1999\n3 visitors\nlong ago");
        let lines: Vec<&str> = SuspectLines::new(&text).map(|(start, end)| &text[start..end]).collect();
        assert_eq!(lines, ["7 downloads", "3 visitors", "long ago"]);
    }

    proptest! {
        #[test]
        fn suspect_lines_are_whole_lines_in_order(text in "([a-z ]{0,4}|[0-9]|views| ago|today|\n){0,30}") {
            let all: Vec<_> = all_lines(&text).collect();
            let mut rest = all.iter();
            for suspect in SuspectLines::new(&text) {
                prop_assert!(rest.any(|line| *line == suspect), "{:?} is no line of {:?}", suspect, text);
            }
            let joined: Vec<&str> = all.iter().map(|(start, end)| &text[*start..*end]).collect();
            prop_assert_eq!(joined.join("\n"), text);
        }
    }

    #[test]
    fn the_first_digit_is_found_wherever_it_stands() {
        for length in [0, 1, 63, 64, 65, 200] {
            let before = "x".repeat(length);
            assert_eq!(first_digit(before.as_bytes()), None);
            for digit in ["0", "9", "5x7"] {
                assert_eq!(first_digit((before.clone() + digit).as_bytes()), Some(length));
            }
        }
    }
}
