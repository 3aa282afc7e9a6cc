//! Cuts plain markup into tags and texts.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::kind::Known;
use super::references;
use crate::dom::{Admission, AttributeFilter, Flow, Role};
use crate::page::reader::Tag;
use crate::text::may_be_noise;

/// More attributes are left to the tree builder, which bounds them.
const MAX_ATTRIBUTES: usize = 100;

/// What stands next in a page.
pub(super) enum Token<'text> {
    /// `<!doctype html>`.
    Doctype,
    /// A start tag.
    Start(StartTag<'text>),
    /// An end tag, by its name.
    End(&'text str),
    /// Text that is not empty, with its character references.
    Text(&'text str),
    /// The end of the page.
    Nothing,
}

/// A start tag with the attributes that are read.
pub(super) struct StartTag<'text> {
    pub(super) name: &'text str,
    pub(super) known: Known,
    attributes: Vec<(&'text str, Cow<'text, str>)>,
    /// Whether a class and an id, which are no noise, were passed over.
    passed: [bool; 2],
    /// Whether an attribute is kept by which the element may be noise.
    may_be_noise: bool,
    /// The text of an element that contains nothing else.
    pub(super) text: Cow<'text, str>,
}

/// A place in a page.
pub(super) struct Scanner<'text, 'rules> {
    rest: &'text str,
    filter: &'rules AttributeFilter,
}

impl<'text, 'rules> Scanner<'text, 'rules> {
    pub(super) fn new(html: &'text str, filter: &'rules AttributeFilter) -> Self {
        Self { rest: html, filter }
    }

    /// Returns what stands next, or `None` if that is not plain. Comments are passed over.
    pub(super) fn next(&mut self) -> Option<Token<'text>> {
        loop {
            let end = memchr(b'<', self.rest.as_bytes()).unwrap_or(self.rest.len());
            if end > 0 {
                return Some(Token::Text(self.take(end)));
            }
            return match self.rest.as_bytes() {
                [] => Some(Token::Nothing),
                [_, b'a'..=b'z', ..] => self.start_tag().map(Token::Start),
                [_, b'/', ..] => self.end_tag().map(Token::End),
                [_, b'!', b'-', b'-', ..] => {
                    self.pass_comment()?;
                    continue;
                }
                _ => self.doctype(),
            };
        }
    }

    /// Returns the text up to the end tag of a raw text element, and passes over that.
    pub(super) fn raw_text(&mut self, name: &str) -> Option<&'text str> {
        let html = self.rest;
        let mut end = 0;
        loop {
            end += memchr(b'<', &html.as_bytes()[end..])?;
            let after = &html.as_bytes()[end + 1..];
            // Comments in scripts can hide an end tag.
            if after.starts_with(b"!--") {
                return None;
            }
            let begins = after.get(1..=name.len())?.eq_ignore_ascii_case(name.as_bytes());
            if after[0] == b'/' && begins {
                break;
            }
            end += 1;
        }
        self.rest = &html[end..];
        (self.end_tag()? == name).then_some(&html[..end])
    }

    fn take(&mut self, length: usize) -> &'text str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Takes what stands before the first byte that ends it; there must be one.
    fn take_until(&mut self, ends: impl Fn(u8) -> bool) -> Option<&'text str> {
        let length = self.rest.bytes().position(ends)?;
        Some(self.take(length))
    }

    fn pass_space(&mut self) {
        let length = self.rest.bytes().position(|byte| !is_space(byte));
        self.take(length.unwrap_or(self.rest.len()));
    }

    fn pass(&mut self, expected: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    fn doctype(&mut self) -> Option<Token<'text>> {
        const DOCTYPE: &str = "<!doctype html>";
        let start = self.rest.get(..DOCTYPE.len())?;
        self.take(DOCTYPE.len());
        start.eq_ignore_ascii_case(DOCTYPE).then_some(Token::Doctype)
    }

    fn pass_comment(&mut self) -> Option<()> {
        let comment = &self.rest[4..];
        let end = memmem::find(comment.as_bytes(), b"-->")?;
        let inside = &comment[..end];
        // Comments that end in other ways.
        if comment.starts_with('>') || comment.starts_with("->") || inside.contains("--!>") {
            return None;
        }
        self.rest = &comment[end + 3..];
        Some(())
    }

    fn end_tag(&mut self) -> Option<&'text str> {
        self.pass("</")?;
        let name = self.name()?;
        self.pass_space();
        self.pass(">")?;
        Some(name)
    }

    /// Takes the name of a tag, which is in lower case.
    fn name(&mut self) -> Option<&'text str> {
        let name = self.take_until(|byte| is_space(byte) || matches!(byte, b'>' | b'/'))?;
        let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        (name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_plain))
            .then_some(name)
    }

    fn start_tag(&mut self) -> Option<StartTag<'text>> {
        self.pass("<")?;
        let name = self.name()?;
        let mut tag = StartTag {
            name,
            known: Known::by_name(name),
            attributes: Vec::new(),
            passed: [false; 2],
            may_be_noise: false,
            text: Cow::Borrowed(""),
        };
        loop {
            self.pass_space();
            match self.rest.as_bytes() {
                [b'>', ..] => {
                    self.take(1);
                    return Some(tag);
                }
                // Elements of HTML do not close themselves.
                [b'/', b'>', ..] => {
                    self.take(2);
                    return Some(tag);
                }
                _ => self.attribute(&mut tag)?,
            }
        }
    }

    fn attribute(&mut self, tag: &mut StartTag<'text>) -> Option<()> {
        let name = self.take_until(|byte| is_space(byte) || matches!(byte, b'=' | b'>' | b'/'))?;
        let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b':' | b'@' | b'.');
        if name.is_empty() || !name.bytes().all(is_plain) {
            return None;
        }
        let value = self.value()?;
        match self.filter.admits(tag.name.as_bytes(), name.as_bytes()) {
            Admission::Dropped => Some(()),
            Admission::KeptIfNoise => self.keep_if_noise(tag, name, value),
            Admission::Kept => keep(tag, name, value),
        }
    }

    fn keep_if_noise(&self, tag: &mut StartTag<'text>, name: &'text str, value: &'text str) -> Option<()> {
        let passed = &mut tag.passed[usize::from(name == "id")];
        if *passed {
            return Some(());
        }
        *passed = true;
        if !may_be_noise(value) {
            return Some(());
        }
        let is_kept = match references::decode_value(value)? {
            Cow::Borrowed(value) => self.filter.keeps_value(value),
            Cow::Owned(value) => self.filter.keeps_value(&value),
        };
        if is_kept { keep(tag, name, value) } else { Some(()) }
    }

    /// Takes the value of an attribute; it is empty where there is none.
    fn value(&mut self) -> Option<&'text str> {
        self.pass_space();
        if self.pass("=").is_none() {
            return Some("");
        }
        self.pass_space();
        match self.rest.bytes().next()? {
            quote @ (b'"' | b'\'') => {
                self.take(1);
                let length = memchr(quote, self.rest.as_bytes())?;
                let value = self.take(length);
                self.take(1);
                Some(value)
            }
            b'>' => None,
            _ => self.take_until(|byte| is_space(byte) || byte == b'>'),
        }
    }
}

/// Keeps an attribute, unless the tag has one of its name: of these the first counts.
fn keep<'text>(tag: &mut StartTag<'text>, name: &'text str, value: &'text str) -> Option<()> {
    if tag.attributes.iter().any(|(earlier, _)| *earlier == name) {
        return Some(());
    }
    if tag.attributes.len() == MAX_ATTRIBUTES || memchr(b'\r', value.as_bytes()).is_some() {
        return None;
    }
    tag.may_be_noise |= matches!(name, "class" | "id" | "data-ad-slot");
    tag.attributes.push((name, references::decode_value(value)?));
    Some(())
}

/// Tells whether a byte is white space between the parts of a tag, or between elements.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

impl<'text> Tag<'text> for StartTag<'text> {
    fn name(&self) -> &str {
        self.name
    }

    fn flow(&self) -> Flow {
        self.known.flow
    }

    fn role(&self) -> Role {
        self.known.role
    }

    fn ignored_by(&self) -> Option<u32> {
        None
    }

    fn may_be_noise(&self) -> bool {
        self.may_be_noise
    }

    fn is_chosen(&self) -> bool {
        false
    }

    fn has_attributes(&self) -> bool {
        !self.attributes.is_empty()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'text, str>> {
        let found = self.attributes.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    }

    fn xlink_address(&self) -> Option<Cow<'text, str>> {
        None
    }

    fn each_value(&self, name: &str, write: &mut dyn FnMut(&str)) {
        for (_, value) in self.attributes.iter().filter(|(known, _)| *known == name) {
            write(value);
        }
    }

    fn child_text(&self) -> Cow<'text, str> {
        self.text.clone()
    }
}
