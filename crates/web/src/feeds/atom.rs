//! Writes Atom (RFC 4287), a page of a feed at a time (RFC 5005).

use std::io;

use jiff::Timestamp;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use recrawl_reports::{News, NewsItem, Story};
use sha2::{Digest, Sha256};

use super::content;
use super::scope::Scope;
use crate::address;

/// A page of a feed, and where it is found.
pub(super) struct Feed<'a> {
    /// What the feed is about.
    pub(super) scope: &'a Scope,
    /// Where our pages are found, without a slash at the end.
    pub(super) base: &'a str,
    /// The address of the whole feed, below `base`: it names the feed.
    pub(super) whole: &'a str,
    /// The address of this page of it.
    pub(super) own: &'a str,
    /// Those of the pages beside it.
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    /// What it tells.
    pub(super) news: &'a News,
}

impl Feed<'_> {
    /// Returns the page as XML.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        self.write(&mut writer).expect("writing into memory cannot fail");
        writer.into_inner()
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let (title, page) = match self.scope {
            Scope::Everything => ("Changes of all sites".to_owned(), "/".to_owned()),
            Scope::Site(site) => (format!("Changes of {}", site.id), address::site(&site.id)),
            Scope::Section(site, section) => {
                (format!("Changes of {} in {section}", site.id), address::site(&site.id))
            }
            Scope::Page(site, url) => (format!("Changes of {url}"), address::page(&site.id, url)),
        };
        let begun = self.scope.site().map_or(Timestamp::UNIX_EPOCH, |site| site.created_at);
        let updated = self.news.items.iter().map(|item| item.told_at).max().unwrap_or(begun);
        let name = self.scope.site().map_or("", |site| site.id.as_str());
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
        let feed = writer.create_element("feed").with_attribute(("xmlns", "http://www.w3.org/2005/Atom"));
        feed.write_inner_content(|writer| {
            text(writer, "id", &urn(&["feed", name, self.whole]))?;
            text(writer, "title", &title)?;
            text(writer, "updated", &date(updated))?;
            let atom = "application/atom+xml";
            link(writer, "self", atom, &format!("{}{}", self.base, self.own))?;
            link(writer, "alternate", "text/html", &format!("{}{page}", self.base))?;
            link(writer, "first", atom, &format!("{}{}", self.base, self.whole))?;
            let beside = [("previous", &self.previous), ("next", &self.next)];
            for (relation, address) in beside {
                if let Some(address) = address {
                    link(writer, relation, atom, &format!("{}{address}", self.base))?;
                }
            }
            writer.create_element("author").write_inner_content(|writer| text(writer, "name", "Recrawl"))?;
            writer
                .create_element("generator")
                .with_attribute(("version", env!("CARGO_PKG_VERSION")))
                .write_text_content(BytesText::new("Recrawl"))?;
            self.news.items.iter().try_for_each(|item| self.entry(writer, item))
        })?;
        Ok(())
    }

    fn entry(&self, writer: &mut Writer<Vec<u8>>, item: &NewsItem) -> io::Result<()> {
        let site = item.site.as_str();
        writer.create_element("entry").write_inner_content(|writer| {
            // The id of a change says nothing of the site, and two sites may hold the same page.
            let id = match &item.story {
                Story::Change(change, _) => urn(&["change", site, &change.id.to_string()]),
                Story::State(crawl) => {
                    let word = crawl.site_state.as_ref().map_or("", |state| state.word);
                    urn(&["state", site, &crawl.id.to_string(), word])
                }
            };
            text(writer, "id", &id)?;
            text(writer, "title", &content::title(item))?;
            text(writer, "updated", &date(item.told_at))?;
            if let Story::Change(change, _) = &item.story {
                text(writer, "published", &date(change.fetched_at.min(item.told_at)))?;
            }
            link(writer, "alternate", "text/html", &format!("{}{}", self.base, content::page(item)))?;
            match &item.story {
                Story::Change(change, _) => {
                    link(writer, "related", "text/html", change.url.as_str())?;
                    category(writer, change.kind.word())?;
                    change.kinds.iter().try_for_each(|kind| category(writer, kind.word()))?;
                }
                Story::State(crawl) => {
                    crawl.site_state.iter().try_for_each(|state| category(writer, state.word))?;
                }
            }
            writer.create_element("author").write_inner_content(|writer| text(writer, "name", site))?;
            let content = harmless(&content::content(item, self.base).0);
            let element = writer.create_element("content").with_attribute(("type", "html"));
            element.write_text_content(BytesText::new(&content))?;
            Ok(())
        })?;
        Ok(())
    }
}

fn category(writer: &mut Writer<Vec<u8>>, term: &str) -> io::Result<()> {
    writer.create_element("category").with_attribute(("term", term)).write_empty()?;
    Ok(())
}

fn text(writer: &mut Writer<Vec<u8>>, name: &str, value: &str) -> io::Result<()> {
    writer.create_element(name).write_text_content(BytesText::new(&harmless(value)))?;
    Ok(())
}

fn link(writer: &mut Writer<Vec<u8>>, relation: &str, media_type: &str, address: &str) -> io::Result<()> {
    let element = writer.create_element("link").with_attribute(("rel", relation));
    element.with_attribute(("type", media_type)).with_attribute(("href", address)).write_empty()?;
    Ok(())
}

/// Returns a time to the second: RFC 3339, as Atom wants it.
fn date(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns `text` without the characters that XML 1.0 does not have, not even escaped.
fn harmless(text: &str) -> String {
    let is_space = |character: char| matches!(character, '\t' | '\n' | '\r');
    let is_high = |character: char| matches!(character, '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    let is_low = |character: char| matches!(character, '\u{20}'..='\u{D7FF}');
    let has = |character: char| is_space(character) || is_low(character) || is_high(character);
    text.chars().filter(|character| has(*character)).collect()
}

/// Returns a lasting name that is made of `parts`: a UUID of version 8 (RFC 9562), from their SHA-256.
fn urn(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\n"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    let number = u128::from_be_bytes(bytes);
    let number = number & !(0xf << 76) & !(0b11 << 62) | (8 << 76) | (0b10 << 62);
    let digits = format!("{number:032x}");
    let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("urn:uuid:{}", groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_last_and_differ() {
        let name = urn(&["change", "a", "b"]);
        assert_eq!(name, urn(&["change", "a", "b"]));
        assert_ne!(name, urn(&["change", "a", "c"]));
        assert_eq!(name.len(), "urn:uuid:".len() + 36);
        assert_eq!(&name[23..24], "8");
        assert!(matches!(&name[28..29], "8" | "9" | "a" | "b"), "{name}");
    }

    #[test]
    fn characters_that_xml_does_not_have_are_left_out() {
        assert_eq!(harmless("a\u{1b}\0\u{8}b\n\tc\u{ffff}é\u{1f600}"), "ab\n\tcé\u{1f600}");
    }
}
