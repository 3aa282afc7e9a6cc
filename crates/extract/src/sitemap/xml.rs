//! XML sitemaps and feeds.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;
use quick_xml::reader::Reader;

use super::EntryKind;
use super::collector::{Collector, Fields};

/// What the root element says the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Sitemap,
    Rss,
    Atom,
}

/// Which value is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Loc,
    /// The identity of an RSS item, which is its address where it has no other.
    Identity,
    LastModified,
    ChangeFrequency,
    Priority,
}

/// An entry whose end has not been seen.
#[derive(Debug)]
struct Item {
    kind: EntryKind,
    prefix: Option<String>,
    depth: usize,
    fields: Fields,
    identity: Option<String>,
    open: Option<(Field, String)>,
}

/// Reads the entries of a document; entities that it defines itself are never expanded.
pub(super) fn read(text: &str, collector: &mut Collector) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    // Many sitemaps do not escape the `&` of query strings.
    config.allow_dangling_amp = true;
    config.expand_empty_elements = true;
    let mut format = None;
    let mut item: Option<Item> = None;
    let mut depth = 0_usize;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let position = reader.error_position();
                collector.warn(format!("is broken at byte {position}: {error}"));
                break;
            }
        };
        match event {
            Event::Start(start) => {
                depth += 1;
                let Some(format) = format else {
                    format = root_format(start.name(), collector);
                    if format.is_none() {
                        return;
                    }
                    continue;
                };
                if let Some(kind) = entry_kind(format, start.name()) {
                    // An entry that was not closed ends where the next one begins.
                    if !finish(item.take(), collector) {
                        return;
                    }
                    item = Some(Item::new(kind, start.name(), depth));
                } else if let Some(item) = item.as_mut().filter(|item| item.depth + 1 == depth) {
                    item.open_field(format, &start);
                }
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if item.as_ref().is_some_and(|item| depth < item.depth) {
                    if !finish(item.take(), collector) {
                        return;
                    }
                } else if let Some(item) = item.as_mut().filter(|item| item.depth == depth) {
                    item.close_field();
                }
            }
            Event::Text(text) => push(item.as_mut(), &text),
            Event::CData(text) => push(item.as_mut(), &text),
            Event::GeneralRef(reference) => push(item.as_mut(), &resolved(&reference)),
            Event::Eof if depth == 0 => break,
            Event::Eof => {
                collector.warn("ends in the middle");
                break;
            }
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    finish(item, collector);
}

fn root_format(root: QName<'_>, collector: &mut Collector) -> Option<Format> {
    match root.local_name().as_ref() {
        "urlset" | "sitemapindex" => Some(Format::Sitemap),
        "rss" | "RDF" => Some(Format::Rss),
        "feed" => Some(Format::Atom),
        other => {
            collector.warn(format!("starts with <{other}>, which is no sitemap or feed"));
            None
        }
    }
}

fn entry_kind(format: Format, name: QName<'_>) -> Option<EntryKind> {
    match (format, name.local_name().as_ref()) {
        (Format::Sitemap, "url") | (Format::Rss, "item") | (Format::Atom, "entry") => Some(EntryKind::Page),
        (Format::Sitemap, "sitemap") => Some(EntryKind::Sitemap),
        (Format::Sitemap | Format::Rss | Format::Atom, _) => None,
    }
}

/// Hands an entry over; returns whether there is room for more.
fn finish(item: Option<Item>, collector: &mut Collector) -> bool {
    item.is_none_or(|mut item| {
        let loc = item.fields.loc.take().or(item.identity);
        // A last entry cut off before its address is what "ends in the middle" says.
        if loc.is_none() && item.open.is_some() {
            return true;
        }
        collector.add(item.kind, &Fields { loc, ..item.fields })
    })
}

fn push(item: Option<&mut Item>, text: &str) {
    if let Some((_, value)) = item.and_then(|item| item.open.as_mut()) {
        value.push_str(text);
    }
}

/// Returns the character a reference stands for, or the reference itself.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    match quick_xml::escape::resolve_xml_entity(reference) {
        Some(text) => text.to_owned(),
        None => format!("&{};", &**reference),
    }
}

impl Item {
    fn new(kind: EntryKind, name: QName<'_>, depth: usize) -> Self {
        Self { kind, prefix: prefix(name), depth, fields: Fields::default(), identity: None, open: None }
    }

    /// Begins the value of a child element, if it is one that counts.
    fn open_field(&mut self, format: Format, start: &BytesStart<'_>) {
        let name = start.name();
        // Other vocabularies have elements of the same name: `image:loc`, `atom:link`.
        let is_own = prefix(name) == self.prefix;
        let field = match (format, name.local_name().as_ref()) {
            (Format::Rss, "date") => Field::LastModified,
            (Format::Sitemap | Format::Rss | Format::Atom, _) if !is_own => return,
            (Format::Sitemap, "loc") | (Format::Rss, "link") => Field::Loc,
            (Format::Sitemap, "lastmod")
            | (Format::Rss, "pubDate")
            | (Format::Atom, "updated" | "modified") => Field::LastModified,
            (Format::Sitemap, "changefreq") => Field::ChangeFrequency,
            (Format::Sitemap, "priority") => Field::Priority,
            (Format::Rss, "guid") if attribute(start, "isPermaLink").as_deref() != Some("false") => {
                Field::Identity
            }
            (Format::Atom, "link") => {
                self.read_link(start);
                return;
            }
            (Format::Sitemap | Format::Rss | Format::Atom, _) => return,
        };
        self.open = Some((field, String::new()));
    }

    fn read_link(&mut self, start: &BytesStart<'_>) {
        let is_page = attribute(start, "rel").is_none_or(|relation| relation == "alternate");
        if is_page && self.fields.loc.is_none() {
            self.fields.loc = attribute(start, "href");
        }
    }

    /// Ends the value that is being read; of several values the first counts.
    fn close_field(&mut self) {
        let Some((field, value)) = self.open.take() else {
            return;
        };
        let target = match field {
            Field::Loc => &mut self.fields.loc,
            Field::Identity => &mut self.identity,
            Field::LastModified => &mut self.fields.lastmod,
            Field::ChangeFrequency => &mut self.fields.changefreq,
            Field::Priority => &mut self.fields.priority,
        };
        if target.is_none() {
            *target = Some(value);
        }
    }
}

fn prefix(name: QName<'_>) -> Option<String> {
    name.prefix().map(|prefix| prefix.as_ref().to_owned())
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    Some(
        quick_xml::escape::unescape(&attribute.value)
            .map_or_else(|_| attribute.value.to_string(), std::borrow::Cow::into_owned),
    )
}
