//! Noise in lines of canonical text.

use std::borrow::Cow;

use super::NoiseRules;
use super::patterns::{TRIGGERS, Way};
use crate::text::notes::{Cause, Notes};
use crate::text::tidy;

/// What divides a line into parts that stand for themselves.
const BARS: [char; 3] = ['|', '\u{b7}', '\u{2022}'];

/// Removes what `rules` call noise from canonical text, which stays canonical.
pub(in crate::text) fn remove_noise(
    text: String,
    rules: NoiseRules,
    mut notes: Option<&mut Notes>,
) -> String {
    let mut cleaned = String::new();
    let mut copied = 0;
    let mut suspects = Suspects::new(&text);
    while let Some((start, end)) = suspects.next_line() {
        if let Some(line) = clean_line(&text[start..end], rules, notes.as_deref_mut()) {
            cleaned.push_str(&text[copied..start]);
            cleaned.push_str(&line);
            // A line that became empty takes its line end with it.
            copied = if line.is_empty() { text.len().min(end + 1) } else { end };
        }
    }
    if copied == 0 {
        return text;
    }
    cleaned.push_str(&text[copied..]);
    cleaned.truncate(cleaned.trim_end_matches('\n').len());
    cleaned
}

/// The lines of a text in which there may be noise.
struct Suspects<'text> {
    text: &'text str,
    /// Where one of each kind of trigger is found next.
    next: [Option<usize>; 2],
}

impl<'text> Suspects<'text> {
    fn new(text: &'text str) -> Self {
        Self { text, next: TRIGGERS.each_ref().map(|triggers| triggers.find(text, 0)) }
    }

    /// Returns where the next such line begins and ends.
    fn next_line(&mut self) -> Option<(usize, usize)> {
        let at = self.next.into_iter().flatten().min()?;
        let bytes = self.text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        for (next, triggers) in self.next.iter_mut().zip(&*TRIGGERS) {
            if next.is_some_and(|next| next < end) {
                *next = triggers.find(self.text, end);
            }
        }
        Some((start, end))
    }
}

/// Removes noise from one line; `None` if there is none.
fn clean_line(line: &str, rules: NoiseRules, mut notes: Option<&mut Notes>) -> Option<String> {
    let mut cleaned: Option<String> = None;
    let is_noted = notes.is_some();
    for rule in rules.iter() {
        let current = cleaned.as_deref().unwrap_or(line);
        let mut note = |removed: &str| {
            if let Some(notes) = &mut notes {
                notes.add(Cause::Noise(rule), removed);
            }
        };
        let changed = match Way::of(rule) {
            None => None,
            Some(Way::Anywhere(pattern)) => {
                if is_noted {
                    pattern.find_iter(current).for_each(|found| note(found.as_str()));
                }
                match pattern.replace_all(current, "$keep") {
                    Cow::Owned(changed) => Some(changed),
                    Cow::Borrowed(_) => None,
                }
            }
            Some(Way::Part(pattern)) => without_parts(current, |part| pattern.is_match(part), note),
        };
        cleaned = changed.or(cleaned);
    }
    cleaned.map(|cleaned| tidy(&cleaned))
}

/// Returns the line without the parts between bars that are noise; `None` if none is.
fn without_parts(line: &str, is_noise: impl Fn(&str) -> bool, mut note: impl FnMut(&str)) -> Option<String> {
    let mut kept = String::new();
    let mut has_noise = false;
    let mut bar = None;
    for piece in line.split_inclusive(BARS) {
        let part = piece.trim_end_matches(BARS);
        let next_bar = piece[part.len()..].chars().next();
        let part = part.trim();
        if is_noise(part) {
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
    has_noise.then_some(kept)
}
