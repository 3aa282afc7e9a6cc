//! Characters, in every insertion mode.

use std::borrow::Cow;

use super::{Construction, Mode, Next};
use crate::fast::treeless::GaveUp;
use crate::fast::treeless::elements::Namespace;
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::TABLE_PARTS;

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    /// Adds text.
    pub(super) fn text(&mut self, text: Cow<'page, str>, skips_line_feed: bool) -> Result<(), GaveUp> {
        self.budget.work_on(&text)?;
        let start = usize::from(skips_line_feed && text.starts_with('\n'));
        let mut rest = Rest { text, start };
        while !rest.as_str().is_empty() && self.characters(&mut rest)? == Next::Again {}
        Ok(())
    }

    /// Adds as much of a text as the mode takes.
    fn characters(&mut self, rest: &mut Rest<'page>) -> Result<Next, GaveUp> {
        if self.is_foreign_text() {
            self.append(rest);
            return Ok(Next::Done);
        }
        match self.mode {
            Mode::InBody | Mode::InCaption | Mode::InCell | Mode::InTemplate => {
                self.reconstruct()?;
                self.append(rest);
                return Ok(Next::Done);
            }
            Mode::InTable | Mode::InTableBody | Mode::InRow => {
                return self.characters_in_table(rest);
            }
            Mode::InColumnGroup => {
                self.append_space(rest);
                if !rest.as_str().is_empty() {
                    return self.leave_column_group();
                }
            }
            Mode::AfterBody | Mode::AfterAfterBody => {
                if rest.begins_with_space() {
                    self.reconstruct()?;
                    self.append_space(rest);
                }
                if !rest.as_str().is_empty() {
                    self.mode = Mode::InBody;
                }
            }
            Mode::Initial
            | Mode::BeforeHtml
            | Mode::BeforeHead
            | Mode::InHead
            | Mode::InHeadNoscript
            | Mode::AfterHead => {
                // White space before the body is dropped, or stands where nobody reads it.
                rest.take_space();
                if !rest.as_str().is_empty() {
                    return self.leave_for_body();
                }
            }
        }
        Ok(Next::Again)
    }

    fn characters_in_table(&mut self, rest: &mut Rest<'page>) -> Result<Next, GaveUp> {
        let is_space = rest.as_str().bytes().all(|byte| byte.is_ascii_whitespace());
        let is_between_parts = self.open.current().is_some_and(|element| element.is_in(TABLE_PARTS));
        if is_space && is_between_parts {
            self.append(rest);
            return Ok(Next::Done);
        }
        if !self.teller.is_silent() {
            return Err(GaveUp("text straight inside a table"));
        }
        self.reconstruct()?;
        self.append(rest);
        Ok(Next::Done)
    }

    /// Tells whether text here belongs to SVG or MathML.
    fn is_foreign_text(&self) -> bool {
        self.open.current().is_some_and(|element| {
            element.namespace != Namespace::Html && !element.is_html_point() && !element.is_text_point()
        })
    }

    fn append(&mut self, rest: &mut Rest<'page>) {
        match &rest.text {
            Cow::Borrowed(text) => self.teller.text(&text[rest.start..]),
            Cow::Owned(text) => self.teller.join(&text[rest.start..]),
        }
        rest.start = rest.text.len();
    }

    fn append_space(&mut self, rest: &mut Rest<'page>) {
        let space = rest.take_space();
        let text = &rest.text[space.0..space.1];
        if !text.is_empty() {
            self.teller.join(text);
        }
    }

    /// The text ends with which the page goes on.
    pub(super) fn end_text(&mut self) -> Result<(), GaveUp> {
        if self.teller.end_text()? {
            self.limits.count_node();
        }
        Ok(())
    }
}

/// What is left of a text.
struct Rest<'page> {
    text: Cow<'page, str>,
    start: usize,
}

impl Rest<'_> {
    fn as_str(&self) -> &str {
        &self.text[self.start..]
    }

    fn begins_with_space(&self) -> bool {
        self.as_str().starts_with(|character: char| character.is_ascii_whitespace())
    }

    /// Takes the white space at the beginning; returns where it begins and ends.
    fn take_space(&mut self) -> (usize, usize) {
        let start = self.start;
        let length = self.as_str().bytes().position(|byte| !byte.is_ascii_whitespace());
        self.start = length.map_or(self.text.len(), |length| start + length);
        (start, self.start)
    }
}
