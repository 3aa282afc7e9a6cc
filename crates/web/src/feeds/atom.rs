//! Writes Atom.

use std::io;

use jiff::Timestamp;
use maud::html;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use recrawl_core::model::crawl::Site;
use recrawl_reports::CrawlView;
use sha2::{Digest, Sha256};

use super::entries::{FeedEntry, Scope};
use crate::address;

/// A feed, and where it is found.
pub(super) struct Feed<'a> {
    /// The site.
    pub(super) site: &'a Site,
    /// What it is about.
    pub(super) scope: &'a Scope,
    /// Where our pages are found, without a slash at the end.
    pub(super) base: &'a str,
    /// Its own address, below `base`.
    pub(super) own: &'a str,
    /// What it tells, the newest first.
    pub(super) entries: &'a [FeedEntry],
    /// Crawls that could not read the site, where the one before could or met something else, the newest first.
    pub(super) states: &'a [CrawlView],
}

impl Feed<'_> {
    /// Returns the feed as XML.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        self.write(&mut writer).expect("writing into memory cannot fail");
        writer.into_inner()
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let updated = self.entries.iter().map(|entry| entry.change.fetched_at);
        let updated = updated.chain(self.states.iter().filter_map(|crawl| crawl.closed_at)).max();
        let (title, page) = match self.scope {
            Scope::Site => (format!("Changes of {}", self.site.id), address::site(&self.site.id)),
            Scope::Section(section) => {
                (format!("Changes of {} in {section}", self.site.id), address::site(&self.site.id))
            }
            Scope::Page(url) => (format!("Changes of {url}"), address::page(&self.site.id, url)),
        };
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
        let feed = writer.create_element("feed").with_attribute(("xmlns", "http://www.w3.org/2005/Atom"));
        feed.write_inner_content(|writer| {
            text(writer, "id", &urn(&["feed", self.site.id.as_str(), self.own]))?;
            text(writer, "title", &title)?;
            text(writer, "updated", &date(updated.unwrap_or(self.site.created_at)))?;
            link(writer, "self", "application/atom+xml", &format!("{}{}", self.base, self.own))?;
            link(writer, "alternate", "text/html", &format!("{}{page}", self.base))?;
            writer.create_element("author").write_inner_content(|writer| text(writer, "name", "Recrawl"))?;
            writer
                .create_element("generator")
                .with_attribute(("version", env!("CARGO_PKG_VERSION")))
                .write_text_content(BytesText::new("Recrawl"))?;
            self.states.iter().try_for_each(|crawl| self.state(writer, crawl))?;
            self.entries.iter().try_for_each(|entry| self.entry(writer, entry))
        })?;
        Ok(())
    }

    fn state(&self, writer: &mut Writer<Vec<u8>>, crawl: &CrawlView) -> io::Result<()> {
        let Some(state) = &crawl.site_state else { return Ok(()) };
        let (site, page) = (&self.site.id, address::crawl(&crawl.site, crawl.id));
        writer.create_element("entry").write_inner_content(|writer| {
            text(writer, "id", &urn(&["state", site.as_str(), &crawl.id.to_string(), state.word]))?;
            text(writer, "title", &format!("{site}: {}", state.line))?;
            text(writer, "updated", &date(crawl.closed_at.unwrap_or(crawl.opened_at)))?;
            link(writer, "alternate", "text/html", &format!("{}{page}", self.base))?;
            writer.create_element("category").with_attribute(("term", state.word)).write_empty()?;
            let content = html! { p { (state.sentence) "." } p { (state.advice) } };
            let element = writer.create_element("content").with_attribute(("type", "html"));
            element.write_text_content(BytesText::new(&harmless(&content.0)))?;
            Ok(())
        })?;
        Ok(())
    }

    fn entry(&self, writer: &mut Writer<Vec<u8>>, entry: &FeedEntry) -> io::Result<()> {
        let change = &entry.change;
        let site = &self.site.id;
        let name = change.title.as_deref().unwrap_or(change.url.path_and_query());
        let page = address::change(site, change);
        writer.create_element("entry").write_inner_content(|writer| {
            // The id of a change says nothing of the site, and two sites may hold the same page.
            text(writer, "id", &urn(&["change", site.as_str(), &change.id.to_string()]))?;
            text(writer, "title", &format!("{}: {name}", change.kind))?;
            text(writer, "updated", &date(change.fetched_at))?;
            link(writer, "alternate", "text/html", &format!("{}{page}", self.base))?;
            link(writer, "related", "text/html", change.url.as_str())?;
            writer.create_element("category").with_attribute(("term", change.kind.word())).write_empty()?;
            let content = harmless(&entry.content.0);
            let element = writer.create_element("content").with_attribute(("type", "html"));
            element.write_text_content(BytesText::new(&content))?;
            Ok(())
        })?;
        Ok(())
    }
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
