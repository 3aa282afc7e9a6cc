//! Aspects of a page that can change: what it says, where it leads, what it shows.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One side from which a page can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aspect {
    /// What it says: the canonical text.
    Text,
    /// Where its links lead.
    Links,
    /// Which images, sounds and films it shows.
    Media,
    /// What its head says of it: title, description, canonical address, robots.
    Meta,
}

impl Aspect {
    /// Every aspect, in the order in which people read them.
    pub const ALL: [Self; 4] = [Self::Text, Self::Links, Self::Media, Self::Meta];

    /// Returns the word used in settings, stores and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Links => "links",
            Self::Media => "media",
            Self::Meta => "meta",
        }
    }

    /// Returns the number by which sets of aspects are stored.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Text => 1,
            Self::Links => 2,
            Self::Media => 4,
            Self::Meta => 8,
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// The text is no aspect of a page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no aspect of a page: one of text, links, media, meta")]
pub struct NotAnAspect(String);

impl FromStr for Aspect {
    type Err = NotAnAspect;

    fn from_str(text: &str) -> Result<Self, NotAnAspect> {
        let found = Self::ALL.into_iter().find(|aspect| aspect.word() == text);
        found.ok_or_else(|| NotAnAspect(text.to_owned()))
    }
}

/// A set of aspects.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Aspect>", into = "Vec<Aspect>")]
pub struct Aspects(u8);

impl Aspects {
    /// No aspect.
    pub const NONE: Self = Self(0);

    /// Every aspect.
    pub const ALL: Self = Self(15);

    /// The text alone.
    pub const TEXT: Self = Self(Aspect::Text.bits());

    /// Tells whether the set has no aspect.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Tells whether `aspect` is in the set.
    pub const fn contains(self, aspect: Aspect) -> bool {
        self.0 & aspect.bits() != 0
    }

    /// Returns the set with `aspect` in it.
    #[must_use]
    pub const fn with(self, aspect: Aspect) -> Self {
        Self(self.0 | aspect.bits())
    }

    /// Returns the aspects that are in both sets.
    #[must_use]
    pub const fn among(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Returns the aspects of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Aspect> {
        Aspect::ALL.into_iter().filter(move |aspect| self.contains(*aspect))
    }

    /// Returns the set as a small number, for stores: 1 is text, 2 links, 4 media, 8 meta, added up.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Reads a set from its number; further bits are left out.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }
}

impl From<Vec<Aspect>> for Aspects {
    fn from(aspects: Vec<Aspect>) -> Self {
        aspects.into_iter().collect()
    }
}

impl From<Aspects> for Vec<Aspect> {
    fn from(aspects: Aspects) -> Self {
        aspects.iter().collect()
    }
}

impl FromIterator<Aspect> for Aspects {
    fn from_iter<I: IntoIterator<Item = Aspect>>(aspects: I) -> Self {
        aspects.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Display for Aspects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Aspect::word).collect();
        formatter.pad(&words.join(", "))
    }
}

impl fmt::Debug for Aspects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

/// A short fingerprint of a set of addresses, such as the links of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature(pub u64);

/// What a page leads to, shows and says of itself, each as one fingerprint. One that was not made is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signatures {
    /// Of the targets of its links.
    pub links: Signature,
    /// Of its images, sounds and films.
    pub media: Signature,
    /// Of what its head says, where that was looked at.
    #[serde(default)]
    pub meta: Option<Signature>,
}

impl Signatures {
    /// Returns what differs between the two.
    pub fn differences(&self, other: &Self) -> Aspects {
        let links = (self.links != other.links).then_some(Aspect::Links);
        let media = (self.media != other.media).then_some(Aspect::Media);
        let meta = self.meta.zip(other.meta).filter(|(one, two)| one != two).map(|_| Aspect::Meta);
        links.into_iter().chain(media).chain(meta).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aspect_reads_back_from_its_word_and_every_set_from_its_number() {
        for aspect in Aspect::ALL {
            assert_eq!(aspect.word().parse(), Ok(aspect));
        }
        assert!("title".parse::<Aspect>().is_err());
        for bits in 0..16 {
            let set = Aspects::from_bits(bits);
            assert_eq!(set.bits(), bits);
            assert_eq!(set.iter().collect::<Aspects>(), set);
        }
    }

    #[test]
    fn signatures_tell_which_side_differs() {
        let signatures = |links, media, meta: Option<u64>| Signatures {
            links: Signature(links),
            media: Signature(media),
            meta: meta.map(Signature),
        };
        for (other, expected) in [
            (signatures(1, 1, Some(1)), ""),
            (signatures(2, 1, Some(1)), "links"),
            (signatures(1, 2, Some(1)), "media"),
            (signatures(2, 2, Some(2)), "links, media, meta"),
            (signatures(1, 1, None), ""),
        ] {
            assert_eq!(signatures(1, 1, Some(1)).differences(&other).to_string(), expected);
        }
    }
}
