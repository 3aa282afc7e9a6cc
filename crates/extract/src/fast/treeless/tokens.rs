//! [Tokenization](https://html.spec.whatwg.org/multipage/parsing.html#tokenization): a page becomes tags and text.
//!
//! Tokens are slices of the page. Of a tag only those attributes are looked at that somebody asks for.

use memchr::memchr;

pub(super) use self::attributes::Attribute;
use self::attributes::Attributes;
use super::GaveUp;
use super::names::Name;
use crate::fast::TextKeeper;
use crate::html::tree::{AttributeFilter, Hints};

mod attributes;
mod declarations;
mod raw_text;
mod references;

pub(super) use references::decode;

/// A piece of a page.
pub(super) enum Token<'page> {
    Start(StartTag<'page>),
    End(EndTag<'page>),
    /// Text in which references to characters may stand.
    Text(&'page str),
    /// Text as it stands, of a CDATA section.
    Verbatim(&'page str),
    Comment,
    /// What it says about the mode of the page, if it is clear: whether it has quirks.
    Doctype {
        quirks: bool,
    },
    EndOfPage,
}

/// A start tag with the attributes that were kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartTag<'page> {
    pub(super) name: Name,
    /// The name as it is written.
    pub(super) spelled: &'page str,
    pub(super) self_closing: bool,
    /// Where its attributes are in those that were kept.
    pub(super) first_attribute: u32,
    pub(super) attribute_count: u32,
    /// What its attributes say about where its text stands.
    pub(super) hints: Hints,
}

/// An end tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndTag<'page> {
    pub(super) name: Name,
    /// The name as it is written.
    pub(super) spelled: &'page str,
}

impl StartTag<'_> {
    /// Returns the tag of an element that is there without one.
    pub(super) fn implied(name: Name) -> Self {
        Self {
            name,
            spelled: name.text(),
            self_closing: false,
            first_attribute: 0,
            attribute_count: 0,
            hints: Hints::default(),
        }
    }
}

/// Cuts a page into tokens.
pub(super) struct Tokens<'page, 'rules> {
    /// The page; its lines end in line feeds alone, and no byte is zero.
    page: &'page str,
    at: usize,
    attributes: Attributes<'page, 'rules>,
}

impl<'page, 'rules> Tokens<'page, 'rules> {
    pub(super) fn new(page: &'page str, filter: &'rules AttributeFilter, kept: TextKeeper<'page>) -> Self {
        Self { page, at: 0, attributes: Attributes::new(filter, kept) }
    }

    /// Returns the attributes of a tag that were kept.
    pub(super) fn attributes(&self, tag: &StartTag<'page>) -> &[Attribute<'page>] {
        self.attributes.of(tag)
    }

    /// Forgets the attributes of a tag, which is the last one.
    pub(super) fn forget(&mut self, tag: &StartTag<'page>) {
        self.attributes.forget(tag);
    }

    /// Returns the next token. CDATA sections are text in foreign content, and comments elsewhere.
    pub(super) fn next(&mut self, is_foreign: bool) -> Result<Token<'page>, GaveUp> {
        let bytes = self.page.as_bytes();
        loop {
            let start = self.at;
            let (end, markup) = self.next_markup();
            if end > start {
                self.at = end;
                return Ok(Token::Text(&self.page[start..end]));
            }
            match markup {
                Markup::None => return Ok(Token::EndOfPage),
                Markup::Start => return Ok(self.start_tag()),
                Markup::End => return Ok(self.end_tag()),
                Markup::Nothing => self.at = start + "</>".len(),
                Markup::Bogus => {
                    self.pass_bogus_comment();
                    return Ok(Token::Comment);
                }
                Markup::Declaration => {
                    let rest = &bytes[start + "<!".len()..];
                    if rest.starts_with(b"--") {
                        self.pass_comment();
                        return Ok(Token::Comment);
                    }
                    if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
                        return self.doctype();
                    }
                    if is_foreign && rest.starts_with(b"[CDATA[") {
                        return Ok(Token::Verbatim(self.cdata_section()));
                    }
                    self.pass_bogus_comment();
                    return Ok(Token::Comment);
                }
            }
        }
    }

    /// Returns where the text ends that begins here, and what comes then.
    fn next_markup(&self) -> (usize, Markup) {
        let bytes = self.page.as_bytes();
        let mut at = self.at;
        while let Some(distance) = memchr(b'<', &bytes[at..]) {
            at += distance;
            let markup = match bytes.get(at + 1) {
                Some(b'/') => match bytes.get(at + 2) {
                    Some(b'>') => Some(Markup::Nothing),
                    Some(letter) if letter.is_ascii_alphabetic() => Some(Markup::End),
                    Some(_) => Some(Markup::Bogus),
                    None => None,
                },
                Some(letter) if letter.is_ascii_alphabetic() => Some(Markup::Start),
                Some(b'!') => Some(Markup::Declaration),
                Some(b'?') => Some(Markup::Bogus),
                Some(_) | None => None,
            };
            if let Some(markup) = markup {
                return (at, markup);
            }
            at += 1;
        }
        (bytes.len(), Markup::None)
    }

    fn start_tag(&mut self) -> Token<'page> {
        let spelled = self.tag_name(self.at + "<".len());
        let name = Name::of(spelled.as_bytes());
        match self.attributes.read(name, spelled, self.page, self.at) {
            Some((tag, end)) => {
                self.at = end;
                Token::Start(tag)
            }
            None => self.end_inside_tag(),
        }
    }

    fn end_tag(&mut self) -> Token<'page> {
        let spelled = self.tag_name(self.at + "</".len());
        match attributes::pass(self.page.as_bytes(), self.at) {
            Some(end) => {
                self.at = end;
                Token::End(EndTag { name: Name::of(spelled.as_bytes()), spelled })
            }
            None => self.end_inside_tag(),
        }
    }

    /// A tag that the page breaks off is no tag, and no text.
    fn end_inside_tag(&mut self) -> Token<'page> {
        self.at = self.page.len();
        Token::EndOfPage
    }

    /// Passes the name of a tag.
    fn tag_name(&mut self, start: usize) -> &'page str {
        let rest = &self.page.as_bytes()[start..];
        let length = rest.iter().position(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'));
        self.at = start + length.unwrap_or(rest.len());
        &self.page[start..self.at]
    }
}

/// What begins with `<`.
enum Markup {
    /// There is none.
    None,
    Start,
    End,
    /// `</>`, which is nothing.
    Nothing,
    /// `<!`.
    Declaration,
    /// What is passed over like a comment.
    Bogus,
}

/// Tells whether a byte is white space by the standard; carriage returns became line feeds before.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | 0x0C)
}
