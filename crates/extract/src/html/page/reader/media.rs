//! Which images, sounds and films a page shows.

use recrawl_core::model::region::Mark;

use super::{PageElement, RawMedia, Reader};
use crate::html::tree::Role;

/// Where images are that are loaded when they come into view.
const LAZY_SOURCES: [&str; 2] = ["data-src", "data-lazy-src"];

impl<'text> Reader<'text, '_> {
    pub(super) fn read_media(&mut self, element: impl PageElement<'text>) {
        match element.role() {
            Role::Picture => self.picture_source = None,
            Role::Image => self.read_image(element),
            Role::Source => self.read_source(element),
            Role::Player => {
                self.add_media(element.attribute("src"), None, false);
                self.add_media(element.attribute("poster"), None, true);
            }
            Role::Object => self.add_media(element.attribute("data"), None, false),
            Role::SvgImage => {
                let address = element.attribute("href").or_else(|| element.xlink_address());
                self.add_media(address, None, true);
            }
            Role::None
            | Role::Root
            | Role::Anchor
            | Role::SvgAnchor
            | Role::Base
            | Role::Frame
            | Role::Input
            | Role::Link
            | Role::Meta
            | Role::Title
            | Role::HtmlAnnotation => {}
        }
    }

    fn read_image(&mut self, element: impl PageElement<'text>) {
        let from_picture = self.picture_source.take();
        let own = filled(element, "src");
        let address = match own {
            Some(address) if !is_data(address) => Some(address),
            own => LAZY_SOURCES
                .iter()
                .find_map(|name| filled(element, name))
                .or_else(|| first_candidate(filled(element, "srcset")?))
                .or_else(|| first_candidate(filled(element, "data-srcset")?))
                .or(from_picture)
                .or(own),
        };
        let alternative = element.attribute("alt").filter(|text| !text.trim().is_empty());
        if address.is_some() || alternative.is_some() {
            self.add_media(address.or(Some("")), alternative, true);
        }
    }

    fn read_source(&mut self, element: impl PageElement<'text>) {
        let address = element.attribute("src");
        if address.is_some() {
            self.add_media(address, None, false);
        } else if self.picture_source.is_none() {
            self.picture_source = element.attribute("srcset").and_then(first_candidate);
        }
    }

    fn add_media(&mut self, address: Option<&'text str>, alternative: Option<&'text str>, is_image: bool) {
        let Some(address) = address else {
            return;
        };
        if self.counts() {
            self.media_spots.push(self.spot());
            self.findings.media.push(RawMedia { address, alternative, mark: Mark::CONTENT, is_image });
        } else {
            self.log_uncounted(address);
        }
    }
}

/// Returns the value of an attribute that is not empty.
fn filled<'text>(element: impl PageElement<'text>, name: &str) -> Option<&'text str> {
    element.attribute(name).filter(|value| !value.trim_ascii().is_empty())
}

fn is_data(address: &str) -> bool {
    address.trim_ascii_start().get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Returns the first address of a `srcset` that is no placeholder's.
fn first_candidate(candidates: &str) -> Option<&str> {
    let address = candidates.split_ascii_whitespace().next()?.trim_end_matches(',');
    let address = address.trim_start_matches(',');
    (!address.is_empty() && !is_data(address)).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_candidate_is_an_address() {
        for (candidates, expected) in [
            ("a.png 1x, b.png 2x", Some("a.png")),
            (" \n a.png, b.png 2x", Some("a.png")),
            ("a,b.png 300w", Some("a,b.png")),
            ("data:image/gif;base64,R0lGOD 1x", None),
            (" , ", None),
            ("", None),
        ] {
            assert_eq!(first_candidate(candidates), expected, "{candidates}");
        }
    }
}
