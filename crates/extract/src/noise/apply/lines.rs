//! Noise in lines of canonical text.

use std::borrow::Cow;
use std::ops::Range;

use recrawl_core::model::content::Unreadable;

use super::text_rule::Removes;
use super::{NoiseRules, triggers};
use crate::budget::WorkBudget;
use crate::text::notes::{Cause, Notes};
use crate::text::tidy;

/// What divides a line into parts that stand for themselves.
const BARS: [char; 3] = ['|', '\u{b7}', '\u{2022}'];

/// What is longer says more than when a page was made or how often it was read.
const MAX_PART: usize = 1_000;

/// Removes what `rules` call noise from canonical text, which stays canonical.
pub(in crate::text) fn remove_noise(
    text: String,
    rules: NoiseRules,
    mut notes: Option<&mut Notes>,
    budget: &WorkBudget,
) -> Result<String, Unreadable> {
    let mut cleaned = String::new();
    let mut copied = 0;
    let mut suspects = Suspects::new(&text);
    while let Some((start, end)) = suspects.next_line() {
        if let Some(line) = clean_line(&text[start..end], rules, notes.as_deref_mut(), budget)? {
            cleaned.push_str(&text[copied..start]);
            cleaned.push_str(&line);
            // A line that became empty takes its line end with it.
            copied = if line.is_empty() { text.len().min(end + 1) } else { end };
        }
    }
    if copied == 0 {
        return Ok(text);
    }
    cleaned.push_str(&text[copied..]);
    cleaned.truncate(cleaned.trim_end_matches('\n').len());
    Ok(cleaned)
}

/// The lines of a text in which there may be noise.
struct Suspects {
    /// The text in lower case, in which every byte is where it was.
    text: String,
    /// Where a trigger is found next, of those that need no digit and of those that do.
    next: [Option<usize>; 2],
}

/// Finds the first trigger of a kind from a place on.
type Find = fn(&str, usize) -> Option<usize>;

const KINDS: [Find; 2] = [|text, from| triggers::ANYWHERE.find(text, from..text.len()), find_beside_digits];

impl Suspects {
    fn new(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        Self { next: KINDS.map(|find| find(&text, 0)), text }
    }

    /// Returns where the next such line begins and ends.
    fn next_line(&mut self) -> Option<(usize, usize)> {
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

/// Returns where the line around a place begins and ends.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    start..end
}

/// Returns a place in the first line from `from` on that has a digit, and a trigger that needs one.
fn find_beside_digits(text: &str, mut from: usize) -> Option<usize> {
    loop {
        let line = line_around(text, from + first_digit(&text.as_bytes()[from..])?);
        if let Some(at) = triggers::BESIDE_DIGITS.find(text, line.clone()) {
            return Some(at);
        }
        from = line.end;
    }
}

fn first_digit(bytes: &[u8]) -> Option<usize> {
    const STRIDE: usize = 64;
    // Without an early exit, a stride is compared in vectors.
    let has_digit = |stride: &[u8]| stride.iter().fold(false, |has, byte| has | byte.is_ascii_digit());
    let from = STRIDE * bytes.chunks(STRIDE).position(has_digit)?;
    bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at)
}

/// Removes noise from one line; `None` if there is none.
fn clean_line(
    line: &str,
    rules: NoiseRules,
    mut notes: Option<&mut Notes>,
    budget: &WorkBudget,
) -> Result<Option<String>, Unreadable> {
    let mut cleaned: Option<String> = None;
    let is_noted = notes.is_some();
    for rule in rules.iter() {
        let Some(in_text) = rule.in_text() else { continue };
        let current = cleaned.as_deref().unwrap_or(line);
        budget.work_on(current)?;
        let mut note = |removed: &str| {
            if let Some(notes) = &mut notes {
                notes.add(Cause::Noise(rule), removed);
            }
        };
        let pattern = &*in_text.pattern;
        let changed = match in_text.removes {
            Removes::Match => {
                if is_noted {
                    pattern.find_iter(current).for_each(|found| note(found.as_str()));
                }
                match pattern.replace_all(current, "$keep") {
                    Cow::Owned(changed) => Some(changed),
                    Cow::Borrowed(_) => None,
                }
            }
            Removes::Part => {
                let is_noise = |part: &str| {
                    budget.work_on(part)?;
                    Ok(part.len() <= MAX_PART && pattern.is_match(part))
                };
                without_parts(current, is_noise, note)?
            }
        };
        cleaned = changed.or(cleaned);
    }
    Ok(cleaned.map(|cleaned| tidy(&cleaned)))
}

/// Returns the line without the parts between bars that are noise; `None` if none is.
fn without_parts(
    line: &str,
    is_noise: impl Fn(&str) -> Result<bool, Unreadable>,
    mut note: impl FnMut(&str),
) -> Result<Option<String>, Unreadable> {
    let mut kept = String::new();
    let mut has_noise = false;
    let mut bar = None;
    for piece in line.split_inclusive(BARS) {
        let part = piece.trim_end_matches(BARS);
        let next_bar = piece.strip_prefix(part).and_then(|bars| bars.chars().next());
        let part = part.trim();
        if is_noise(part)? {
            note(part);
            has_noise = true;
        } else {
            if let Some(bar) = bar.filter(|_| !kept.is_empty()) {
                kept.extend([' ', bar, ' ']);
            }
            kept.push_str(part);
        }
        bar = next_bar;
    }
    Ok(has_noise.then_some(kept))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::string::string_regex_parsed;
    use proptest::test_runner::TestRunner;
    use regex_syntax::hir::{Hir, HirKind, Repetition};

    use super::*;
    use crate::text::noise::NoiseRule;

    #[test]
    fn whatever_a_pattern_matches_is_examined() {
        for rule in NoiseRule::ALL {
            let Some(in_text) = rule.in_text() else { continue };
            let pattern = regex_syntax::parse(in_text.pattern.as_str()).expect("valid");
            let matching = string_regex_parsed(&without_places(&pattern)).expect("nothing but characters");
            let config = ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() };
            let examined = TestRunner::new(config).run(&matching, |line| {
                prop_assume!(!line.contains('\n') && in_text.pattern.is_match(&line));
                let text = format!("before\n{line}\nafter");
                prop_assert_eq!(Suspects::new(&text).next_line(), Some((7, 7 + line.len())), "{:?}", line);
                Ok(())
            });
            assert!(examined.is_ok(), "{rule}: {}", examined.expect_err("seen"));
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
        let mut suspects = Suspects::new(&text);
        let lines: Vec<&str> =
            std::iter::from_fn(|| suspects.next_line()).map(|(start, end)| &text[start..end]).collect();
        assert_eq!(lines, ["7 downloads", "3 visitors", "long ago"]);
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
