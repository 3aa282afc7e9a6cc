//! The shape of a line: what changes by itself (numbers, dates, times, ids, sizes, durations) replaced by `#`.
//!
//! Two lines of one shape differ in nothing else. Which of these values differ decides whether the difference can be
//! noise: a page's own ids can, its prices cannot.

mod tokens;
mod values;

use xxhash_rust::xxh3::xxh3_64;

use self::tokens::tokens;
pub(super) use self::values::Values;
use self::values::{Value, value_at};
use crate::model::edit::LineId;

/// What stands for a value.
const PLACEHOLDER: char = '#';

/// A line, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The line with its values replaced, for people.
    pub text: String,
    values: Vec<(Value, String)>,
}

impl Shape {
    /// Takes a line apart.
    pub fn of(line: &str) -> Self {
        let tokens = tokens(line);
        let mut shape = Self { text: String::with_capacity(line.len()), values: Vec::new() };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let Some((value, length)) = value_at(&tokens[at..]) else {
                shape.text.push_str(token.text);
                at += 1;
                continue;
            };
            let text: String = tokens[at..at + length].iter().map(|token| token.text).collect();
            shape.push(value, text);
            at += length;
        }
        shape
    }

    /// Returns the fingerprint of the line without its values.
    pub fn id(&self) -> LineId {
        LineId(xxh3_64(self.text.as_bytes()))
    }

    /// Returns which values differ between two lines of one shape.
    pub(super) fn differing(&self, other: &Self) -> Values {
        if self.values.len() == other.values.len() {
            let pairs = self.values.iter().zip(&other.values);
            let differing = pairs.filter(|(one, two)| one != two);
            return differing.flat_map(|(one, two)| [one.0, two.0]).collect();
        }
        self.values.iter().chain(&other.values).map(|(value, _)| *value).collect()
    }

    /// Returns the values of the line.
    pub(super) fn values(&self) -> Values {
        self.values.iter().map(|(value, _)| *value).collect()
    }

    /// Adds a value. Values side by side are one, such as a date and a time.
    fn push(&mut self, value: Value, text: String) {
        self.values.push((value, text));
        if self.text.trim_end().ends_with(PLACEHOLDER) {
            let length = self.text.trim_end().len();
            self.text.truncate(length);
        } else {
            self.text.push(PLACEHOLDER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_by_itself_is_replaced() {
        for (line, expected) in [
            ("Page built 2026-11-16 06:04, request 4fd1c0a2e9", "Page built #, request #"),
            ("Updated on 16 November 2026", "Updated on #"),
            ("Updated on November 16, 2026 at 6:04 pm", "Updated on # at #"),
            ("Stand: 3. M\u{e4}rz 2026", "Stand: #"),
            ("Mis \u{e0} jour le 1er d\u{e9}cembre 2025", "Mis \u{e0} jour le #"),
            ("12 people are viewing this page", "# people are viewing this page"),
            ("report.pdf (1.4 MB)", "report.pdf (#)"),
            ("rendered in 0.213 seconds", "rendered in #"),
            ("rendered in 12ms", "rendered in #"),
            ("id 123e4567-e89b-12d3-a456-426614174000", "id #"),
            ("key dGhpcyBpcyBhIHRlc3Q1 end", "key # end"),
            ("unit bdcacebcf is defaced", "unit # is defaced"),
            ("Consultants 95,000", "Consultants #"),
            ("Fee: $4.10 a month", "Fee: # a month"),
            ("Preis 3,50 \u{20ac}", "Preis #"),
            ("503-555-0134", "#"),
            ("Q3 results", "# results"),
            ("May I come in", "May I come in"),
            ("No figures here", "No figures here"),
            ("", ""),
        ] {
            assert_eq!(Shape::of(line).text, expected, "{line}");
        }
    }

    #[test]
    fn it_is_known_which_values_differ() {
        for (one, two, drawn, figures) in [
            ("request 4fd1c0a2e9", "request 91b2e7730c", true, false),
            ("at 6:04", "at 7:12", true, false),
            ("took 12 ms", "took 15 ms", true, false),
            ("1.4 MB", "1.5 MB", true, false),
            ("95,000", "195,000", false, true),
            ("$4.10", "$4.60", false, true),
            ("3 May 2026", "4 June 2026", false, true),
            ("built 2026-11-16 06:04", "built 2026-11-16 07:04", true, false),
            ("built 2026-11-16 06:04", "built 2026-11-17 06:04", false, true),
            ("same 5", "same 5", false, false),
        ] {
            let (one, two) = (Shape::of(one), Shape::of(two));
            assert_eq!(one.id(), two.id(), "{one:?} {two:?}");
            let differing = one.differing(&two);
            assert_eq!(
                (differing.are_drawn(), differing.have_figures()),
                (drawn, figures),
                "{one:?} {two:?}"
            );
        }
    }
}
