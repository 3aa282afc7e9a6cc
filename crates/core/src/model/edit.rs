//! Edits: the smallest changes of a page, and what a visit says of them.

mod of_visit;

pub use self::of_visit::{ChangeFigures, Edits};

use serde::{Deserialize, Serialize};

use crate::model::aspect::Aspect;
use crate::model::kind::{Kinds, Tier};
use crate::model::region::Region;

/// The fingerprint of a line's words, or of its shape. It names neither page nor place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineId(#[serde(with = "crate::model::hexadecimal")] pub u64);

/// The fingerprint of what went and what came: the same edit on two pages has the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EditId(#[serde(with = "crate::model::hexadecimal")] pub u64);

/// One side of an edit: a line that went, or a line that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditSide {
    /// Its words, with the page's own address and title replaced by a mark.
    pub line: LineId,
    /// Its shape: what changes by itself replaced, such as numbers, dates and ids.
    pub shape: LineId,
    /// How many words it has.
    pub words: u32,
}

/// A line that became another, a line that went, or a line that came.
///
/// Links, images and facts of the head are lines of their [`Aspect`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What differs.
    #[serde(rename = "a")]
    pub aspect: Aspect,
    /// Where it stands: where the line came, or else where it went.
    #[serde(rename = "r")]
    pub region: Region,
    /// What went.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub went: Option<EditSide>,
    /// What came.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub came: Option<EditSide>,
    /// What kind of change it is, and what is said of it.
    #[serde(rename = "k")]
    pub traits: EditTraits,
    /// The beginning of the two texts, of the heaviest edits of a page: what went, what came.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<(String, String)>,
    /// How many edits it stands for, where there were more than a visit records.
    #[serde(rename = "n", default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
    /// What settling made of it.
    #[serde(rename = "s", default, skip_serializing_if = "EditState::is_own")]
    pub state: EditState,
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(count: &u32) -> bool {
    *count == 1
}

impl Edit {
    /// Returns the fingerprint of what went and came.
    pub fn id(&self) -> EditId {
        EditId(self.fingerprint(|side| side.line))
    }

    /// Returns the fingerprint of an edit in which these lines went and came.
    pub(crate) fn id_of(aspect: Aspect, went: Option<LineId>, came: Option<LineId>) -> EditId {
        let number = |line: Option<LineId>| line.map_or(0, |line| line.0);
        EditId(fingerprint(number(went), number(came), aspect))
    }

    /// Returns the fingerprint of the shapes of what went and came.
    pub fn shape(&self) -> EditId {
        EditId(self.fingerprint(|side| side.shape))
    }

    /// Tells whether both sides are there and have the same shape: nothing but numbers, dates or ids differ.
    pub fn is_of_one_shape(&self) -> bool {
        self.went.as_ref().zip(self.came.as_ref()).is_some_and(|(went, came)| went.shape == came.shape)
    }

    /// Returns how many words differ: the more of those that went and those that came.
    pub fn words(&self) -> u32 {
        let words = |side: &Option<EditSide>| side.as_ref().map_or(0, |side| side.words);
        words(&self.went).max(words(&self.came))
    }

    /// Returns the tier of the place where it stands, whatever else is known of it.
    pub fn place_tier(&self) -> Tier {
        match self.aspect {
            Aspect::Text if self.region == Region::Content => Tier::Content,
            Aspect::Meta if self.traits.kinds.is_head_of_content() => Tier::Content,
            Aspect::Links if self.traits.is_document => Tier::Content,
            Aspect::Text | Aspect::Links | Aspect::Media | Aspect::Meta => Tier::Around,
        }
    }

    /// Returns the fingerprint of edits of the text whose both sides have one shape.
    pub fn shape_of_both(shape: LineId) -> EditId {
        EditId(fingerprint(shape.0, shape.0, Aspect::Text))
    }

    fn fingerprint(&self, of: fn(&EditSide) -> LineId) -> u64 {
        let number = |side: &Option<EditSide>| side.as_ref().map_or(0, |side| of(side).0);
        fingerprint(number(&self.went), number(&self.came), self.aspect)
    }
}

fn fingerprint(went: u64, came: u64, aspect: Aspect) -> u64 {
    let mut bytes = [0; 17];
    bytes[..8].copy_from_slice(&went.to_le_bytes());
    bytes[8..16].copy_from_slice(&came.to_le_bytes());
    bytes[16] = aspect.bits();
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

/// What can be said of an edit without its texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, stored as bits")]
pub struct EditTraits {
    /// Its kinds.
    pub kinds: Kinds,
    /// A sentence of 40 letters or more is in it.
    pub is_sentence: bool,
    /// Numbers, money or dates differ.
    pub has_figures: bool,
    /// Nothing but what can be learnt from a single page differs: ids, times of day, durations, sizes.
    pub is_drawn: bool,
    /// Its figures are never noise: the line speaks of a fee, a deadline, a total.
    pub is_protected: bool,
    /// A link in content to a document leads elsewhere under the same words.
    pub is_document: bool,
    /// It is a heading.
    pub is_heading: bool,
    /// Most of it stands in links.
    pub is_links: bool,
    /// What came had gone with one of the page's last versions, or nothing came and what went had come with one.
    pub is_return: bool,
}

impl From<EditTraits> for u32 {
    fn from(traits: EditTraits) -> Self {
        let flags = [
            traits.is_sentence,
            traits.has_figures,
            traits.is_drawn,
            traits.is_protected,
            traits.is_document,
            traits.is_heading,
            traits.is_links,
            traits.is_return,
        ];
        let bits = (16..).zip(flags).map(|(place, flag)| Self::from(flag) << place);
        bits.fold(Self::from(traits.kinds.bits()), |all, bit| all | bit)
    }
}

impl From<u32> for EditTraits {
    fn from(bits: u32) -> Self {
        let flag = |place: u32| bits & (1 << place) != 0;
        Self {
            kinds: Kinds::from_bits((bits & 0xffff) as u16),
            is_sentence: flag(16),
            has_figures: flag(17),
            is_drawn: flag(18),
            is_protected: flag(19),
            is_document: flag(20),
            is_heading: flag(21),
            is_links: flag(22),
            is_return: flag(23),
        }
    }
}

/// What settling made of an edit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EditState {
    /// It is the page's own.
    #[default]
    Own,
    /// It is a shared change.
    Shared,
    /// It is a shared change of the site's frame.
    Template,
    /// A line moved on from one page of a list to another.
    Shifted,
    /// It is noise that was learnt, or that somebody named.
    Learnt,
    /// It goes and comes back all the time.
    Rotating,
    /// It stands where everything is replaced at every visit.
    Lively,
}

impl EditState {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    const fn is_own(&self) -> bool {
        matches!(self, Self::Own)
    }

    /// Tells whether it happens by itself.
    pub const fn is_noise(self) -> bool {
        matches!(self, Self::Learnt | Self::Rotating | Self::Lively)
    }

    /// Tells whether other pages have it, too.
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Shared | Self::Template | Self::Shifted)
    }
}

/// A visit records no more edits; what exceeds them is one edit a region.
pub const MAX_EDITS: usize = 64;

/// How many edits that brought something keep their texts, and how many that did not, in the content and around it.
pub const MAX_TEXTS: usize = 3;

/// How many characters of a text are kept.
pub const MAX_TEXT: usize = 200;

/// What stands before a text whose beginning is not kept.
pub const LEFT_OUT: &str = "... ";

/// Tells whether a text that was kept is a whole line for sure.
pub fn is_whole(text: &str) -> bool {
    text.chars().take(MAX_TEXT).count() < MAX_TEXT && !text.starts_with(LEFT_OUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_an_edit_reads_back_from_its_bits() {
        let all = EditTraits {
            kinds: Kinds::from_bits(5),
            is_sentence: true,
            has_figures: true,
            is_drawn: true,
            is_protected: true,
            is_document: true,
            is_heading: true,
            is_links: true,
            is_return: true,
        };
        for traits in [all, EditTraits::default(), EditTraits { is_drawn: true, ..EditTraits::default() }] {
            assert_eq!(EditTraits::from(u32::from(traits)), traits);
        }
    }

    #[test]
    fn an_edit_is_known_by_what_went_and_came_and_by_nothing_else() {
        let side = |line, shape| Some(EditSide { line: LineId(line), shape: LineId(shape), words: 3 });
        let edit = |went, came| Edit {
            aspect: Aspect::Text,
            region: Region::Content,
            went,
            came,
            traits: EditTraits::default(),
            texts: None,
            count: 1,
            state: EditState::Own,
        };
        let there = edit(side(1, 9), side(2, 9));
        let elsewhere = Edit { region: Region::Footer, state: EditState::Shared, ..there.clone() };
        assert_eq!(there.id(), elsewhere.id());
        assert_ne!(there.id(), edit(side(2, 9), side(1, 9)).id());
        assert_ne!(there.id(), edit(side(1, 9), None).id());
        assert_ne!(there.id(), Edit { aspect: Aspect::Links, ..there.clone() }.id());
        assert!(there.is_of_one_shape() && !edit(side(1, 9), None).is_of_one_shape());
        assert_eq!(edit(side(1, 9), side(5, 9)).shape(), there.shape());
    }
}
