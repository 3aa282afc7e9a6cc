//! What elements say about their page.

use recrawl_core::model::region::Mark;

use super::{PageElement, Reader, Spot};
use crate::html::links::{LinkKind, RawLink};
use crate::html::page::documents::is_document;
use crate::html::page::refresh::refresh_target;
use crate::html::tree::Role;

/// Titles and languages are not kept any longer.
const MAX_CHARACTERS: usize = 1_000;

impl<'text> Reader<'text, '_> {
    pub(super) fn read_element(&mut self, element: impl PageElement<'text>) {
        match element.role() {
            Role::None | Role::Input | Role::HtmlAnnotation => {}
            Role::Root => {
                let language = element.attribute("lang");
                self.findings.language = language
                    .map(|language| shortened(language.trim()).to_owned())
                    .filter(|language| !language.is_empty());
            }
            Role::Title => {
                if self.findings.title.is_none() {
                    self.findings.title = Some(collapse(element.child_texts()));
                }
            }
            Role::Base => {
                if self.findings.base.is_none() {
                    self.findings.base = element.attribute("href");
                }
            }
            Role::Anchor => self.add_link(element, element.attribute("href"), LinkKind::Anchor),
            Role::SvgAnchor => {
                let href = element.attribute("href").or_else(|| element.xlink_address());
                self.add_link(element, href, LinkKind::Anchor);
            }
            Role::Frame => self.add_link(element, element.attribute("src"), LinkKind::Frame),
            Role::Link => self.read_link(element),
            Role::Meta => self.read_meta(element),
            Role::Image | Role::Object | Role::Picture | Role::Player | Role::Source | Role::SvgImage => {
                self.read_media(element);
            }
        }
    }

    fn read_link(&mut self, element: impl PageElement<'text>) {
        let says = |word| relation_says(element, word);
        let kind = if says("canonical") {
            LinkKind::Canonical
        } else if says("next") {
            LinkKind::Next
        } else if says("alternate") && !says("stylesheet") {
            LinkKind::Alternate
        } else {
            return;
        };
        // An empty `link` address means nothing by the standard; an empty `a` means this page.
        self.add_link(element, element.attribute("href").filter(|href| !href.is_empty()), kind);
    }

    fn read_meta(&mut self, element: impl PageElement<'text>) {
        let Some(content) = element.attribute("content") else {
            return;
        };
        if let Some(name) = element.attribute("name") {
            self.findings.robots.read_meta(name, content);
            if self.findings.description.is_none() && name.trim_ascii().eq_ignore_ascii_case("description") {
                self.findings.description = Some(collapse([content].into_iter()));
            }
        }
        let pragma = element.attribute("http-equiv");
        if pragma.is_some_and(|pragma| pragma.eq_ignore_ascii_case("refresh")) {
            self.add_link(element, refresh_target(content), LinkKind::Refresh);
        }
    }

    fn add_link(&mut self, element: impl PageElement<'text>, target: Option<&'text str>, kind: LinkKind) {
        let Some(target) = target else {
            return;
        };
        let nofollow = relation_says(element, "nofollow");
        let is_shown = matches!(kind, LinkKind::Anchor | LinkKind::Frame);
        let counts = is_shown && self.counts();
        if is_shown && !counts {
            self.log_uncounted(target);
        }
        if kind == LinkKind::Anchor && self.linked_at.is_none() {
            self.linked_at = Some(self.depth);
            let number = self.findings.links.len();
            self.document = (counts && is_document(target)).then(|| (number, self.writer.len()));
        }
        self.link_spots.push(Spot { is_link: true, ..self.spot() });
        self.findings.links.push(RawLink { target, kind, nofollow, counts, mark: Mark::CONTENT });
    }
}

fn relation_says<'text>(element: impl PageElement<'text>, word: &str) -> bool {
    element.attribute("rel").is_some_and(|relation| {
        relation.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word))
    })
}

/// Strips and collapses white space as the standard does for titles, of as much as is kept.
fn collapse<'text>(pieces: impl Iterator<Item = &'text str>) -> String {
    let mut collapsed = String::new();
    let mut characters = 0;
    let mut has_gap = false;
    for character in pieces.flat_map(str::chars) {
        if character.is_ascii_whitespace() {
            has_gap = characters > 0;
            continue;
        }
        if std::mem::take(&mut has_gap) {
            collapsed.push(' ');
            characters += 1;
        }
        collapsed.push(character);
        characters += 1;
        if characters >= MAX_CHARACTERS {
            break;
        }
    }
    shortened(&collapsed).trim_ascii_end().to_owned()
}

/// Returns as much of a text as is kept of what is meant to be short.
fn shortened(text: &str) -> &str {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_collapsed_across_their_pieces() {
        for (pieces, expected) in [
            (&["  a\n b "] as &[&str], "a b"),
            (&["a", "b ", " c"], "ab c"),
            (&["", " \t"], ""),
            (&[], ""),
            (&["\u{a0}a"], "\u{a0}a"),
        ] {
            assert_eq!(collapse(pieces.iter().copied()), expected, "{pieces:?}");
        }
    }

    #[test]
    fn what_is_meant_to_be_short_is_cut_between_characters() {
        let long = "\u{e9}".repeat(2_000);
        assert_eq!(shortened(&long), "\u{e9}".repeat(1_000));
        assert_eq!(collapse([&*long].into_iter()), "\u{e9}".repeat(1_000));
        assert_eq!(collapse(["a ".repeat(2_000).as_str()].into_iter()), "a ".repeat(500).trim_end());
        assert_eq!(shortened("short"), "short");
    }
}
