//! Conditions on the words that came and went.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// The largest automaton that a pattern may need.
const MOST_MEMORY: usize = 1 << 20;

/// The longest pattern.
const LONGEST: usize = 1_000;

/// A regular expression, in any case of letters.
#[derive(Debug, Clone)]
pub struct Words(Regex);

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Words {}

/// The text is no regular expression that is taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotWords {
    /// It cannot be read.
    #[error("{0:?} is no regular expression")]
    Unreadable(String),
    /// It is out of proportion.
    #[error("the regular expression is too large")]
    TooLarge,
}

impl std::str::FromStr for Words {
    type Err = NotWords;

    fn from_str(text: &str) -> Result<Self, NotWords> {
        if text.len() > LONGEST {
            return Err(NotWords::TooLarge);
        }
        let mut builder = RegexBuilder::new(text);
        builder.case_insensitive(true).size_limit(MOST_MEMORY).dfa_size_limit(MOST_MEMORY);
        builder.build().map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => NotWords::TooLarge,
            _ => NotWords::Unreadable(text.to_owned()),
        })
    }
}

impl Words {
    /// Returns the expression as it was written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    fn are_in(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.0.is_match(text))
    }
}

/// What must have come or gone; nothing where nothing is named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// In what came or in what went.
    pub either: Option<Words>,
    /// In what came.
    pub added: Option<Words>,
    /// In what went.
    pub removed: Option<Words>,
    /// Neither in what came nor in what went.
    pub exclude: Option<Words>,
}

impl Conditions {
    /// Tells whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Tells whether what went and what came is as it must be.
    pub fn admit(&self, went: &[&str], came: &[&str]) -> bool {
        let holds = |words: &Option<Words>, texts: &[&[&str]]| {
            words.as_ref().is_none_or(|words| texts.iter().any(|texts| words.are_in(texts)))
        };
        let is_excluded = self.exclude.as_ref().is_some_and(|words| words.are_in(went) || words.are_in(came));
        holds(&self.either, &[went, came])
            && holds(&self.added, &[came])
            && holds(&self.removed, &[went])
            && !is_excluded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Words {
        text.parse().unwrap()
    }

    #[test]
    fn each_condition_looks_at_its_side() {
        let (went, came) = (["meets monthly"], ["meets behind Closed Doors"]);
        for (conditions, expected) in [
            (Conditions::default(), true),
            (Conditions { either: Some(words("monthly")), ..Conditions::default() }, true),
            (Conditions { either: Some(words("vacant")), ..Conditions::default() }, false),
            (Conditions { added: Some(words("closed doors|vacant")), ..Conditions::default() }, true),
            (Conditions { added: Some(words("monthly")), ..Conditions::default() }, false),
            (Conditions { removed: Some(words("monthly")), ..Conditions::default() }, true),
            (Conditions { removed: Some(words("doors")), ..Conditions::default() }, false),
            (Conditions { exclude: Some(words("doors")), ..Conditions::default() }, false),
            (Conditions { exclude: Some(words("monthly")), ..Conditions::default() }, false),
            (
                Conditions {
                    either: Some(words("meets")),
                    exclude: Some(words("vacant")),
                    ..Conditions::default()
                },
                true,
            ),
        ] {
            assert_eq!(conditions.admit(&went, &came), expected, "{conditions:?}");
        }
    }

    #[test]
    fn what_is_no_expression_or_out_of_proportion_is_refused() {
        assert_eq!("(".parse::<Words>().unwrap_err(), NotWords::Unreadable("(".to_owned()));
        assert_eq!("((a{100}){100}){100}".parse::<Words>().unwrap_err(), NotWords::TooLarge);
        assert_eq!("a".repeat(2_000).parse::<Words>().unwrap_err(), NotWords::TooLarge);
    }
}
