//! Which attributes of a page are kept.

use crate::text::{NoiseRule, NoiseRules, is_exempt, noise_of_names};

/// The attributes that are kept while parsing; the others are dropped before they cost anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AttributeFilter {
    /// Every attribute, for CSS selectors.
    All,
    /// What links, media, metadata, the tree builder and these rules read, and these names on any element.
    Needed {
        /// Further names, in lower case.
        extra: Vec<String>,
        /// The rules about noise in force.
        noise: NoiseRules,
    },
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
}

impl AttributeFilter {
    /// Tells what happens to an attribute of a tag. Both names are in lower case.
    pub(crate) fn admits(&self, tag: &[u8], attribute: &[u8]) -> Admission {
        let (extra, noise) = match self {
            Self::All => return Admission::Kept,
            Self::Needed { extra, noise } => (extra, *noise),
        };
        let is_read = match attribute {
            b"href" => matches!(tag, b"a" | b"area" | b"base" | b"link" | b"image"),
            b"rel" => matches!(tag, b"a" | b"area" | b"link"),
            b"src" => matches!(
                tag,
                b"iframe" | b"frame" | b"img" | b"video" | b"audio" | b"source" | b"embed"
                    // The tree builder makes an `img` of it.
                    | b"image"
            ),
            b"srcset" => matches!(tag, b"img" | b"source" | b"image"),
            b"data-src" | b"data-lazy-src" | b"data-srcset" | b"alt" => matches!(tag, b"img" | b"image"),
            b"poster" => tag == b"video",
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
            b"data-ad-slot" => noise.contains(NoiseRule::Ads),
            _ => false,
        };
        if is_read || extra.iter().any(|name| name.as_bytes() == attribute) {
            return Admission::Kept;
        }
        let names = matches!(attribute, b"class" | b"id");
        if names && names_can_be_noise(noise) && !is_exempt(tag) {
            return Admission::KeptIfNoise;
        }
        Admission::Dropped
    }

    /// Tells whether this value of an attribute that is [`Admission::KeptIfNoise`] is kept.
    pub(crate) fn keeps_value(&self, value: &str) -> bool {
        match self {
            Self::All => true,
            Self::Needed { noise, .. } => noise_of_names(value, *noise).is_some(),
        }
    }
}

fn names_can_be_noise(noise: NoiseRules) -> bool {
    noise.contains(NoiseRule::Ads) || noise.contains(NoiseRule::CookieBanners)
}
