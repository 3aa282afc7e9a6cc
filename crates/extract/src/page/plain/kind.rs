//! What an element's name means for the elements around it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::dom::{Flow, Role, html_flow_and_role};

/// How an element behaves where it begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Closes nothing.
    Inline,
    /// Closes an open paragraph.
    Block,
    /// `p`.
    Paragraph,
    /// `h1` to `h6`, which close a paragraph and each other.
    Heading,
    /// `li`.
    Item,
    /// `dt` and `dd`.
    Term,
    /// `a`, which closes another.
    Anchor,
    /// `button`, which closes another.
    Button,
    /// `form`, which is ignored inside another.
    Form,
    /// Has no end tag.
    Void,
    /// `hr`, which has no end tag and closes a paragraph.
    Rule,
    /// Contains nothing but text as it stands.
    RawText,
    /// Contains nothing but text with character references.
    Reference,
    /// Has rules that are left to the tree builder.
    Intricate,
}

/// What is known of an element by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) kind: Kind,
    pub(super) flow: Flow,
    pub(super) role: Role,
}

impl Known {
    /// Returns what is known of the elements of this name.
    pub(super) fn by_name(name: &str) -> Self {
        let known = pack(name).and_then(|key| KNOWN.get(&key).copied());
        known.unwrap_or(Self { kind: Kind::Inline, flow: Flow::Inline, role: Role::None })
    }

    /// Returns what is known of `html`, `head` and `body` in their own places.
    pub(super) fn frame(name: &str) -> Self {
        let (flow, role) = html_flow_and_role(name);
        Self { kind: Kind::Block, flow, role }
    }
}

/// The kinds of all names that the tree builder has rules for, and of those that divide text.
const KINDS: [(Kind, &str); 13] = [
    (
        Kind::Block,
        "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer \
         header hgroup listing main menu nav ol pre search section summary ul",
    ),
    (Kind::Paragraph, "p"),
    (Kind::Heading, "h1 h2 h3 h4 h5 h6"),
    (Kind::Item, "li"),
    (Kind::Term, "dd dt"),
    (Kind::Anchor, "a"),
    (Kind::Button, "button"),
    (Kind::Form, "form"),
    (Kind::Void, "area base basefont bgsound br embed img input link meta param source track wbr"),
    (Kind::Rule, "hr"),
    (Kind::RawText, "iframe script style"),
    (Kind::Reference, "textarea title"),
    (
        Kind::Intricate,
        "applet body caption col colgroup frame frameset head html image isindex keygen marquee math \
         menuitem nobr noembed noframes object optgroup option plaintext rb rp rt rtc select \
         selectedcontent svg table tbody td template tfoot th thead tr xmp",
    ),
];

/// What is left divides text or shows something, and is otherwise like any other element.
const INLINE: &str = "audio legend noscript picture video";

static KNOWN: LazyLock<HashMap<u128, Known, BuildHasherDefault<Product>>> = LazyLock::new(|| {
    let kinds = KINDS.into_iter().chain([(Kind::Inline, INLINE)]);
    let named = kinds.flat_map(|(kind, names)| names.split_whitespace().map(move |name| (kind, name)));
    let known = named.filter_map(|(kind, name)| {
        let (flow, role) = html_flow_and_role(name);
        Some((pack(name)?, Known { kind, flow, role }))
    });
    known.collect()
});

/// Packs a name of up to 16 bytes into a number that no other such name has: names hold no zeros.
fn pack(name: &str) -> Option<u128> {
    let pack = |name: &[u8]| name.iter().fold(0, |key, byte| (key << 8) | u128::from(*byte));
    (name.len() <= 16).then(|| pack(name.as_bytes()))
}

/// Multiplies: names are few and known beforehand, so that nobody can choose ones that collide.
#[derive(Debug, Default)]
struct Product(u64);

impl Hasher for Product {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
    fn write_u128(&mut self, key: u128) {
        let product = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_by_its_kind() {
        for (kind, names) in KINDS {
            for name in names.split_whitespace() {
                assert_eq!(Known::by_name(name).kind, kind, "{name}");
            }
        }
    }

    #[test]
    fn other_elements_are_inline() {
        for name in ["span", "b", "em", "x-menu", "a-name-of-more-than-sixteen-bytes", "di"] {
            let inline = Known { kind: Kind::Inline, flow: Flow::Inline, role: Role::None };
            assert_eq!(Known::by_name(name), inline, "{name}");
        }
        assert_eq!(Known::by_name("legend").flow, Flow::Block);
    }
}
