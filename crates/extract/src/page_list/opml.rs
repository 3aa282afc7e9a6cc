//! OPML: the lists of feeds that feed readers keep.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::Gathered;

/// Which attribute names the page of an outline, best first: people watch a page, and a feed where there is no other.
const ATTRIBUTES: [&str; 3] = ["htmlurl", "url", "xmlurl"];

/// Tells whether a document is OPML by its root.
pub(super) fn is_opml(text: &str) -> bool {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                return start.local_name().as_ref().eq_ignore_ascii_case("opml");
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Reads the pages of all outlines; of a broken file those before the break.
pub(super) fn read(text: &str, gathered: &mut Gathered<'_>) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    reader.config_mut().allow_dangling_amp = true;
    let mut number = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                if let Some(address) = address_of(&start) {
                    number += 1;
                    gathered.add(number, &address);
                }
            }
            Ok(Event::Eof) => return,
            Ok(_) => {}
            Err(error) => {
                gathered.list.warnings.push(format!("is broken: {error}"));
                return;
            }
        }
    }
}

fn address_of(start: &BytesStart<'_>) -> Option<String> {
    if !start.local_name().as_ref().eq_ignore_ascii_case("outline") {
        return None;
    }
    let value = |wanted: &str| {
        let mut attributes = start.attributes();
        attributes.with_checks(false);
        let found = attributes.flatten().find(|it| it.key.as_ref().eq_ignore_ascii_case(wanted))?;
        let value = quick_xml::escape::unescape(&found.value)
            .map_or_else(|_| found.value.to_string(), std::borrow::Cow::into_owned);
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    ATTRIBUTES.into_iter().find_map(value)
}
