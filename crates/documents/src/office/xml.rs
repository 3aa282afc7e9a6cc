//! Names, attributes and text of XML.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::package::{GO_ON, Package};

/// An element that has more is no element of an office file.
const MAX_ATTRIBUTES: usize = 64;

/// Texts that belong to facts such as a title are no longer.
const MAX_FACT: usize = 10_000;

/// Returns an attribute of an element, by its name without prefix.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let attributes = attributes.with_checks(false).take(MAX_ATTRIBUTES).flatten();
    let found = attributes.into_iter().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    found.normalized_value(XmlVersion::Explicit1_0).ok().map(Cow::into_owned)
}

/// Returns an attribute of an element that has one with this prefix.
pub(super) fn prefixed_attribute(element: &BytesStart<'_>, prefix: &str, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let mut attributes = attributes.with_checks(false).take(MAX_ATTRIBUTES).flatten();
    let found = attributes.find(|attribute| {
        attribute.key.local_name().as_ref() == name
            && attribute.key.prefix().is_some_and(|found| found.as_ref() == prefix)
    })?;
    found.normalized_value(XmlVersion::Explicit1_0).ok().map(Cow::into_owned)
}

/// Adds the text of an event, if it is text.
pub(super) fn push_text(event: &Event<'_>, text: &mut String) {
    match event {
        Event::Text(part) => text.push_str(part),
        Event::CData(part) => text.push_str(part),
        Event::GeneralRef(reference) => match reference.resolve_char_ref() {
            Ok(Some(letter)) => text.push(letter),
            Ok(None) | Err(_) => {
                text.push_str(quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default());
            }
        },
        _ => {}
    }
}

/// Returns the texts of the first elements with these names in a part, as far as it can be read.
pub(super) fn texts<const COUNT: usize>(
    package: &mut Package<'_>,
    path: &str,
    names: [&str; COUNT],
) -> [Option<String>; COUNT] {
    let mut texts = [const { None }; COUNT];
    let mut open: Option<(usize, String)> = None;
    // Without its properties, a document is what it is.
    let _read = package.read(path, |event| {
        match event {
            Event::Start(element) => {
                open = names
                    .iter()
                    .position(|name| element.local_name().as_ref() == *name)
                    .map(|place| (place, String::new()));
            }
            Event::End(_) => {
                if let Some((place, text)) = open.take() {
                    texts[place].get_or_insert(text);
                }
            }
            other => {
                if let Some((_, text)) = &mut open
                    && text.len() < MAX_FACT
                {
                    push_text(other, text);
                }
            }
        }
        GO_ON
    });
    texts
}
