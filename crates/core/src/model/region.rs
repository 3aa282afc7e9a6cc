//! Where on a page a line, a link or an image stands: in its content, or in the frame around it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A part of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// What the page is about.
    #[default]
    Content,
    /// A menu.
    Nav,
    /// The head of the site.
    Header,
    /// The foot of the site.
    Footer,
    /// What stands beside the content.
    Aside,
    /// Any other frame: promotions, buttons, forms, hidden text.
    Other,
}

impl Region {
    /// Every region.
    pub const ALL: [Self; 6] =
        [Self::Content, Self::Nav, Self::Header, Self::Footer, Self::Aside, Self::Other];

    /// Returns the word used in stores and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Nav => "nav",
            Self::Header => "header",
            Self::Footer => "footer",
            Self::Aside => "aside",
            Self::Other => "other",
        }
    }

    /// Returns the letter by which outlines are stored.
    const fn letter(self) -> u8 {
        match self {
            Self::Content => b'c',
            Self::Nav => b'n',
            Self::Header => b'h',
            Self::Footer => b'f',
            Self::Aside => b'a',
            Self::Other => b'o',
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// What is known of a block beside its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Where it stands.
    pub region: Region,
    /// It is a heading.
    pub is_heading: bool,
    /// Most of its letters stand in links.
    pub is_links: bool,
}

impl Mark {
    /// A block of plain content.
    pub const CONTENT: Self = Self::of(Region::Content);

    /// Returns the mark of a plain block in a region.
    pub const fn of(region: Region) -> Self {
        Self { region, is_heading: false, is_links: false }
    }

    /// Returns the two characters by which outlines are stored: a letter for the region, and a digit of two bits for
    /// headings and links.
    pub(super) fn code(self) -> [u8; 2] {
        let about = b'0' + u8::from(self.is_heading) + 2 * u8::from(self.is_links);
        [self.region.letter(), about]
    }

    pub(super) fn from_code(code: &[u8]) -> Option<Self> {
        let [letter, about @ b'0'..=b'3'] = *code else { return None };
        let region = Region::ALL.into_iter().find(|region| region.letter() == letter)?;
        let about = about - b'0';
        Some(Self { region, is_heading: about & 1 != 0, is_links: about & 2 != 0 })
    }
}
