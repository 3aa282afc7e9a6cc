//! What the attributes of an element say about where its text stands.

use std::collections::HashMap;
use std::fmt::Write as _;

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, ns};

use super::element::Part;
use crate::html::frame_words::WordSet;

/// The index of hints in their table.
pub(crate) type HintIndex = u16;

/// What the attributes of an element say about where its text stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Hints {
    /// The frame words in its class and id.
    pub(crate) words: WordSet,
    /// What its role makes of it.
    pub(crate) part: Part,
    /// Browsers do not show it.
    pub(crate) is_hidden: bool,
}

impl Hints {
    /// Tells whether an attribute can be a hint. Its name is in lower case.
    pub(crate) fn are_in(tag: &[u8], attribute: &[u8]) -> bool {
        match attribute {
            // These name the kind of a page or of its layout, such as `with-sidebar`, and everything stands in them.
            b"class" | b"id" => !matches!(tag, b"html" | b"body"),
            b"role" | b"hidden" | b"aria-hidden" | b"style" => true,
            _ => false,
        }
    }

    /// Adds what an attribute says that [can be a hint](Self::are_in); a class or an id has these words.
    pub(crate) fn add(&mut self, attribute: &[u8], value: &[u8], words: WordSet) {
        match attribute {
            b"class" | b"id" => self.words |= words,
            b"role" => self.part = Part::of_role(value),
            b"hidden" => self.is_hidden = true,
            b"aria-hidden" => self.is_hidden |= value.trim_ascii().eq_ignore_ascii_case(b"true"),
            b"style" => self.is_hidden |= hides(value),
            _ => {}
        }
    }
}

/// Tells whether an inline style says `display: none`.
fn hides(style: &[u8]) -> bool {
    // The last declaration of a property wins.
    let mut displays = style.rsplit(|byte| *byte == b';').filter_map(|declaration| {
        let colon = memchr::memchr(b':', declaration)?;
        let (name, value) = declaration.split_at(colon);
        name.trim_ascii().eq_ignore_ascii_case(b"display").then_some(&value[1..])
    });
    displays.next().is_some_and(|value| {
        let value = value.split(|byte| *byte == b'!').next().unwrap_or_default();
        value.trim_ascii().eq_ignore_ascii_case(b"none")
    })
}

/// The hints of a page, each once, so that elements need no more than an index.
#[derive(Debug)]
pub(super) struct HintTable {
    hints: Vec<Hints>,
    places: HashMap<Hints, HintIndex>,
    /// The index that was asked for last: neighbours are often alike.
    last: HintIndex,
    /// The name of the attribute that carries an index.
    name: LocalName,
}

impl Default for HintTable {
    fn default() -> Self {
        // No page has an attribute of this name, because there is white space in it.
        let name = LocalName::from(" hints");
        Self { hints: vec![Hints::default()], places: HashMap::new(), last: 0, name }
    }
}

impl HintTable {
    /// Returns the hints of an index.
    pub(super) fn get(&self, index: HintIndex) -> &Hints {
        &self.hints[usize::from(index)]
    }

    /// Returns the index of hints; 0, which says nothing, where a page has more than anybody would make.
    fn index_of(&mut self, hints: Hints) -> HintIndex {
        if *self.get(self.last) == hints {
            return self.last;
        }
        let Ok(next) = HintIndex::try_from(self.hints.len()) else { return 0 };
        let index = *self.places.entry(hints).or_insert(next);
        if index == next {
            self.hints.push(hints);
        }
        self.last = index;
        index
    }

    /// Writes hints as an attribute that goes through the tree builder with the others of its tag, whatever becomes of
    /// it.
    pub(super) fn attribute_of(&mut self, hints: Hints) -> Attribute {
        let mut value = StrTendril::new();
        // Up to eight bytes need no memory of their own.
        let _ = write!(value, "{:x}", self.index_of(hints));
        Attribute { name: QualName::new(None, ns!(), self.name.clone()), value }
    }

    /// Takes the hints out of the attributes of an element, where they are the last.
    pub(super) fn take_from(&self, attributes: &mut Vec<Attribute>) -> HintIndex {
        let hints = attributes.pop_if(|last| last.name.local == self.name);
        hints.and_then(|hints| HintIndex::from_str_radix(&hints.value, 16).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inline_style_hides_by_its_last_display() {
        for (style, expected) in [
            ("display:none", true),
            ("color: red; DISPLAY : None !important", true),
            ("display:block;display:none;", true),
            ("display:none;display:block", false),
            ("x-display:none", false),
            ("background:url(display:none)", false),
            ("display", false),
            ("", false),
        ] {
            assert_eq!(hides(style.as_bytes()), expected, "{style}");
        }
    }

    #[test]
    fn hints_come_back_out_of_the_attributes_they_went_into() {
        let mut table = HintTable::default();
        let plain = Attribute {
            name: QualName::new(None, ns!(), LocalName::from("href")),
            value: StrTendril::from_slice("1"),
        };
        for number in 1..300 {
            let hints =
                Hints { words: WordSet::of(number % 100), is_hidden: number > 100, ..Hints::default() };
            let mut attributes = vec![plain.clone(), table.attribute_of(hints)];
            let index = table.take_from(&mut attributes);
            assert_eq!(table.get(index), &hints);
            assert_eq!(attributes, std::slice::from_ref(&plain));
            assert_eq!(table.take_from(&mut attributes), 0);
            assert_eq!(attributes, std::slice::from_ref(&plain));
        }
        assert_eq!(table.get(0), &Hints::default());
        assert_eq!(table.hints.len(), 201);
    }

    #[test]
    fn a_page_with_endless_hints_keeps_the_first() {
        let mut table = HintTable::default();
        for one in 0..128 {
            for two in 0..128 {
                for three in [0, 40, 80, 120] {
                    let words = WordSet::of(one) | WordSet::of(two) | WordSet::of(three);
                    let index = table.index_of(Hints { words, ..Hints::default() });
                    assert!(index == 0 || table.get(index).words == words);
                }
            }
        }
        assert!(table.hints.len() <= 1 << 16);
    }
}
