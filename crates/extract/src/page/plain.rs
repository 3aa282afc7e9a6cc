//! Reading a page without building its tree, where the tree is just what is written.
//!
//! Most of the standard's tree construction is about pages that are not well-formed: unclosed
//! paragraphs, misnested formatting, text between table rows. Where every element is closed in the
//! order in which it was opened, and none stands where it would close or move another, elements and
//! text are in the tree as they are in the source. Whatever is not surely so is left to the tree
//! builder, which is several times slower.

use self::kind::{Kind, Known};
use self::scanner::{Scanner, StartTag, Token};
use super::reader::{Findings, Reader};
use crate::dom::{AttributeFilter, Flow};
use crate::text::TextRules;

mod kind;
mod references;
mod scanner;

/// Deeper pages are left to the tree builder, which bounds them.
const MAX_DEPTH: usize = 200;

/// Reads a page, or returns `None` if it is not plain.
pub(super) fn read<'text>(
    html: &'text str,
    filter: &AttributeFilter,
    rules: &TextRules,
) -> Option<Findings<'text>> {
    // Zeros are read differently in different places.
    if memchr::memchr(0, html.as_bytes()).is_some() {
        return None;
    }
    let mut page = Page {
        scanner: Scanner::new(html, filter),
        reader: Reader::new(rules, html.len()),
        open: Vec::with_capacity(32),
    };
    page.read_head()?;
    page.read_body()?;
    page.read_end()?;
    Some(page.reader.finish())
}

struct Page<'text, 'rules> {
    scanner: Scanner<'text, 'rules>,
    reader: Reader<'text, 'rules>,
    /// The open elements of the body, innermost last.
    open: Vec<Open<'text>>,
}

struct Open<'text> {
    name: &'text str,
    kind: Kind,
    flow: Flow,
}

impl<'text> Page<'text, '_> {
    /// Reads everything up to the start of the body.
    fn read_head(&mut self) -> Option<()> {
        let Token::Doctype = self.next_but_space()? else {
            return None;
        };
        let root = self.expect_start("html")?;
        self.reader.enter(&root);
        let head = self.expect_start("head")?;
        self.reader.enter(&head);
        loop {
            match self.next_but_space()? {
                Token::Start(tag) if is_metadata(tag.name) => self.begin(tag)?,
                Token::End("head") => break,
                Token::Start(_) | Token::End(_) | Token::Text(_) | Token::Doctype | Token::Nothing => {
                    return None;
                }
            }
        }
        self.reader.leave(Flow::Dropped);
        let body = self.expect_start("body")?;
        self.reader.enter(&body);
        Some(())
    }

    fn expect_start(&mut self, name: &str) -> Option<StartTag<'text>> {
        match self.next_but_space()? {
            Token::Start(mut tag) if tag.name == name => {
                tag.known = Known::frame(name);
                Some(tag)
            }
            Token::Start(_) | Token::End(_) | Token::Text(_) | Token::Doctype | Token::Nothing => None,
        }
    }

    fn next_but_space(&mut self) -> Option<Token<'text>> {
        loop {
            match self.scanner.next()? {
                Token::Text(text) if text.bytes().all(scanner::is_space) => {}
                token => return Some(token),
            }
        }
    }

    fn read_body(&mut self) -> Option<()> {
        loop {
            match self.scanner.next()? {
                Token::Text(text) => self.reader.text(&references::decode(text)?),
                Token::Start(tag) => self.begin(tag)?,
                Token::End("body") if self.open.is_empty() => return Some(()),
                Token::End(name) => {
                    let open = self.open.pop().filter(|open| open.name == name)?;
                    self.reader.leave(open.flow);
                }
                Token::Doctype | Token::Nothing => return None,
            }
        }
    }

    fn read_end(&mut self) -> Option<()> {
        let (Token::End("html"), Token::Nothing) = (self.next_but_space()?, self.next_but_space()?) else {
            return None;
        };
        self.reader.leave(Flow::Block);
        self.reader.leave(Flow::Block);
        Some(())
    }

    /// Begins an element of the body or head, and ends it if it contains no elements.
    fn begin(&mut self, mut tag: StartTag<'text>) -> Option<()> {
        let Known { kind, flow, .. } = tag.known;
        if !self.stands_where_it_may(kind) {
            return None;
        }
        match kind {
            Kind::Void | Kind::Rule => {
                self.reader.enter(&tag);
                self.reader.leave(flow);
            }
            Kind::RawText | Kind::Reference => {
                let raw = self.scanner.raw_text(tag.name)?;
                let text = match kind {
                    Kind::Reference => references::decode(raw)?,
                    _ => raw.into(),
                };
                tag.text = text.clone();
                self.reader.enter(&tag);
                if flow != Flow::Dropped {
                    self.reader.text(&text);
                }
                self.reader.leave(flow);
            }
            _ if self.open.len() == MAX_DEPTH => return None,
            _ => {
                self.reader.enter(&tag);
                self.open.push(Open { name: tag.name, kind, flow });
            }
        }
        Some(())
    }

    /// Tells whether an element surely closes and moves no other by beginning here.
    fn stands_where_it_may(&self, kind: Kind) -> bool {
        let is_open = |kind| self.open.iter().any(|open| open.kind == kind);
        let parent = self.open.last().map(|open| (open.kind, open.name));
        match kind {
            Kind::Inline | Kind::Void | Kind::RawText | Kind::Reference => true,
            Kind::Anchor | Kind::Button => !is_open(kind),
            Kind::Form => !is_open(kind) && !is_open(Kind::Paragraph),
            Kind::Block | Kind::Paragraph | Kind::Rule => !is_open(Kind::Paragraph),
            Kind::Heading => {
                !is_open(Kind::Paragraph) && parent.is_none_or(|(kind, _)| kind != Kind::Heading)
            }
            Kind::Item => matches!(parent, Some((_, "ul" | "ol" | "menu"))) && !is_open(Kind::Paragraph),
            Kind::Term => matches!(parent, Some((_, "dl"))) && !is_open(Kind::Paragraph),
            Kind::Intricate => false,
        }
    }
}

/// Elements that stand in a head and leave it open.
fn is_metadata(name: &str) -> bool {
    matches!(name, "base" | "link" | "meta" | "script" | "style" | "title")
}

#[cfg(test)]
mod tests;
