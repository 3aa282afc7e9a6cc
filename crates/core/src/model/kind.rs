//! How much a change matters, and what kind of change it is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How near a change is to what a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Tier {
    /// Its content, its title, or the page itself: new, gone, moved.
    Content = 1,
    /// What stands around the content: menus, links, images.
    Around = 2,
    /// What changes by itself: noise.
    Noise = 3,
}

impl Tier {
    /// Returns the number that stores and people use.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl From<Tier> for u8 {
    fn from(tier: Tier) -> Self {
        tier.number()
    }
}

/// The number is no tier.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} is no tier: 1 is content, 2 around it, 3 noise")]
pub struct NotATier(u8);

impl TryFrom<u8> for Tier {
    type Error = NotATier;

    fn try_from(number: u8) -> Result<Self, NotATier> {
        match number {
            1 => Ok(Self::Content),
            2 => Ok(Self::Around),
            3 => Ok(Self::Noise),
            other => Err(NotATier(other)),
        }
    }
}

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The title.
    Title,
    /// Headings.
    Headings,
    /// Words.
    Text,
    /// Nothing but numbers or money.
    Numbers,
    /// Nothing but dates.
    Dates,
    /// Where links lead.
    Links,
    /// Images, sounds and films.
    Media,
    /// The description in the head.
    Description,
    /// The address that the page prefers for itself.
    Canonical,
    /// What the page asks of robots.
    Robots,
    /// A file that is no page, or a link to one.
    Document,
}

impl Kind {
    /// Every kind, in the order in which people read them.
    pub const ALL: [Self; 11] = [
        Self::Title,
        Self::Headings,
        Self::Text,
        Self::Numbers,
        Self::Dates,
        Self::Links,
        Self::Media,
        Self::Description,
        Self::Canonical,
        Self::Robots,
        Self::Document,
    ];

    /// Returns the word used in settings, stores and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Headings => "headings",
            Self::Text => "text",
            Self::Numbers => "numbers",
            Self::Dates => "dates",
            Self::Links => "links",
            Self::Media => "media",
            Self::Description => "description",
            Self::Canonical => "canonical",
            Self::Robots => "robots",
            Self::Document => "document",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// The text is no kind of change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no kind of change: one of {words}", words = Kind::ALL.map(Kind::word).join(", "))]
pub struct NotAKind(String);

impl FromStr for Kind {
    type Err = NotAKind;

    fn from_str(text: &str) -> Result<Self, NotAKind> {
        let found = Self::ALL.into_iter().find(|kind| kind.word() == text);
        found.ok_or_else(|| NotAKind(text.to_owned()))
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Kind>", into = "Vec<Kind>")]
pub struct Kinds(u16);

impl Kinds {
    /// Tells whether the set has no kind.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Tells whether `kind` is in the set.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Returns the set with `kind` in it.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | kind.bit())
    }

    /// Returns the kinds of both sets.
    #[must_use]
    pub const fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Tells whether a fact of the head is in it that counts as content: the title, and what is asked of robots.
    pub const fn is_head_of_content(self) -> bool {
        self.contains(Kind::Title) || self.contains(Kind::Robots)
    }

    /// Returns the kinds of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }

    /// Returns the set as a number, for stores: a bit a kind, in the order of [`Kind::ALL`].
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Reads a set from its number; further bits are left out.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits & ((1 << Kind::ALL.len()) - 1))
    }
}

impl From<Vec<Kind>> for Kinds {
    fn from(kinds: Vec<Kind>) -> Self {
        kinds.into_iter().collect()
    }
}

impl From<Kinds> for Vec<Kind> {
    fn from(kinds: Kinds) -> Self {
        kinds.iter().collect()
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::default(), Self::with)
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

/// How large a change is, in words of the content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordCount {
    /// How many went or came.
    pub changed: u32,
    /// How many there are; of a page that is gone, how many there were.
    pub of: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_tiers_read_back_from_words_and_numbers() {
        for kind in Kind::ALL {
            assert_eq!(kind.word().parse(), Ok(kind));
        }
        assert!("colour".parse::<Kind>().is_err());
        let all: Kinds = Kind::ALL.into_iter().collect();
        assert_eq!(Kinds::from_bits(u16::MAX), all);
        assert_eq!(all.iter().count(), 11);
        for tier in [Tier::Content, Tier::Around, Tier::Noise] {
            assert_eq!(Tier::try_from(tier.number()), Ok(tier));
        }
        assert!(Tier::try_from(0).is_err());
    }
}
