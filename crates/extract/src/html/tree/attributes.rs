//! Which attributes of a page are kept.

use std::sync::Arc;

use super::Hints;
use crate::html::frame_words::{FrameWords, WordSet};
use crate::noise::{NoiseRuleSet, is_exempt, names_can_be_noise, noise_of_names};

/// The attributes that are kept while parsing; the others are dropped before they cost anything.
///
/// What links, media, metadata, the tree builder and the rules read is always kept, so that a page says the same
/// whatever else is kept.
#[derive(Debug, Clone)]
pub(crate) struct AttributeFilter {
    /// Whether the others are kept as well, for CSS selectors.
    pub(crate) keeps_all: bool,
    /// Further names that are read on any element, in lower case.
    pub(crate) extra: Vec<String>,
    /// Names that make an element noise by these rules, in lower case.
    pub(crate) marks: Vec<&'static str>,
    /// The rules about noise in force.
    pub(crate) noise: NoiseRuleSet,
    /// The frame words in force.
    pub(crate) frame_words: Arc<FrameWords>,
}

/// What happens to an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is dropped.
    Dropped,
    /// It is kept.
    Kept,
    /// It is kept if its value tells that the element is noise.
    KeptIfNoise,
    /// It is dropped once it was asked where the element stands.
    Asked,
}

impl AttributeFilter {
    /// Tells what happens to an attribute of a tag, of which those that nothing reads may have no room. Both
    /// names are in lower case.
    pub(crate) fn admits(&self, tag: &[u8], attribute: &[u8], has_room: bool) -> Admission {
        if self.keeps_all && has_room { Admission::Kept } else { self.need(tag, attribute) }
    }

    fn need(&self, tag: &[u8], attribute: &[u8]) -> Admission {
        let Self { extra, noise, marks, .. } = self;
        let is_read = match attribute {
            b"href" => matches!(tag, b"a" | b"area" | b"base" | b"link" | b"image"),
            b"rel" => matches!(tag, b"a" | b"area" | b"link" | b"meta" | b"iframe" | b"frame"),
            b"src" => matches!(
                tag,
                b"iframe" | b"frame" | b"img" | b"video" | b"audio" | b"source" | b"embed"
                    // The tree builder makes an `img` of it.
                    | b"image"
            ),
            b"srcset" => matches!(tag, b"img" | b"source" | b"image"),
            b"data-src" | b"data-lazy-src" | b"data-srcset" | b"alt" => matches!(tag, b"img" | b"image"),
            b"poster" => matches!(tag, b"video" | b"audio" | b"embed"),
            b"data" => tag == b"object",
            b"xlink:href" => matches!(tag, b"a" | b"image"),
            b"content" | b"http-equiv" => tag == b"meta",
            b"name" => matches!(tag, b"meta" | b"input"),
            b"lang" => tag == b"html",
            // The tree builder reads these: hidden inputs stay inside tables, `font` with a colour
            // leaves SVG, and annotations in HTML are parsed as HTML.
            b"type" => tag == b"input",
            b"color" | b"face" | b"size" => tag == b"font",
            b"encoding" => tag == b"annotation-xml",
            _ => std::str::from_utf8(attribute).is_ok_and(|name| marks.contains(&name)),
        };
        if is_read || extra.iter().any(|name| name.as_bytes() == attribute) {
            return Admission::Kept;
        }
        let names = matches!(attribute, b"class" | b"id");
        if names && names_can_be_noise(*noise) && !is_exempt(tag) {
            return Admission::KeptIfNoise;
        }
        if Hints::are_in(tag, attribute) { Admission::Asked } else { Admission::Dropped }
    }

    /// Finds out what a class or an id says.
    pub(crate) fn examine(&self, names: &[u8]) -> Names {
        let is_noise = str::from_utf8(names).is_ok_and(|names| noise_of_names(names, self.noise).is_some());
        Names { is_noise, words: self.frame_words.of_names(names) }
    }
}

/// What a class or an id says about its element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// It is noise.
    pub(crate) is_noise: bool,
    /// The frame words in it.
    pub(crate) words: WordSet,
}
