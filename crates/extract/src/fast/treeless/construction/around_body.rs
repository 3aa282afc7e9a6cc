//! Before, in and after the head, and after the body.

use super::{Construction, DONE, Mode, Next, Step};
use crate::fast::treeless::GaveUp;
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::Name;
use crate::fast::treeless::tokens::{EndTag, StartTag};
use crate::html::tree::Flow;

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    /// A page without a doctype.
    pub(super) fn leave_initial(&mut self) -> Next {
        self.has_quirks = true;
        self.go_on_in(Mode::BeforeHtml)
    }

    pub(super) fn start_before_html(&mut self, tag: &StartTag<'page>) -> Step {
        if tag.name == Name::Html {
            self.mode = Mode::BeforeHead;
            return self.insert_html(tag);
        }
        self.leave_for_body()
    }

    pub(super) fn end_before_html(&mut self, tag: EndTag<'page>) -> Step {
        if ends_head(tag.name) { self.leave_for_body() } else { DONE }
    }

    pub(super) fn start_before_head(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Html => self.second_html(tag),
            Name::Head => {
                self.mode = Mode::InHead;
                self.insert_html(tag)
            }
            _ => self.leave_for_body(),
        }
    }

    pub(super) fn end_before_head(&mut self, tag: EndTag<'page>) -> Step {
        if ends_head(tag.name) { self.leave_for_body() } else { DONE }
    }

    /// Also handles what stands elsewhere, but belongs there.
    pub(super) fn start_in_head(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Html => self.second_html(tag),
            Name::Base | Name::Basefont | Name::Bgsound | Name::Link | Name::Meta => {
                self.insert_void_html(tag)
            }
            Name::Title | Name::Noframes | Name::Style | Name::Script => self.insert_raw(tag),
            Name::Noscript => {
                self.mode = Mode::InHeadNoscript;
                self.insert_html(tag)
            }
            Name::Template => self.start_template(tag),
            Name::Head => DONE,
            _ => self.leave_for_body(),
        }
    }

    pub(super) fn end_in_head(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Head => {
                self.mode = Mode::AfterHead;
                self.pop()?;
                DONE
            }
            Name::Body | Name::Html | Name::Br => self.leave_for_body(),
            Name::Template => self.end_template(),
            _ => DONE,
        }
    }

    pub(super) fn start_in_head_noscript(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Html => self.second_html(tag),
            Name::Basefont | Name::Bgsound | Name::Link | Name::Meta | Name::Noframes | Name::Style => {
                self.start_in_head(tag)
            }
            Name::Head | Name::Noscript => DONE,
            _ => self.leave_for_body(),
        }
    }

    pub(super) fn end_in_head_noscript(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Noscript => {
                self.mode = Mode::InHead;
                self.pop()?;
                DONE
            }
            Name::Br => self.leave_for_body(),
            _ => DONE,
        }
    }

    pub(super) fn start_after_head(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Html => self.second_html(tag),
            Name::Body => {
                self.mode = Mode::InBody;
                self.end_head()?;
                self.insert_html(tag)
            }
            Name::Frameset => Err(GaveUp("frames")),
            Name::Base
            | Name::Basefont
            | Name::Bgsound
            | Name::Link
            | Name::Meta
            | Name::Noframes
            | Name::Script
            | Name::Style
            | Name::Template
            | Name::Title => self.start_in_head(tag),
            Name::Head => DONE,
            _ => self.leave_for_body(),
        }
    }

    pub(super) fn end_after_head(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Template => self.end_template(),
            Name::Body | Name::Html | Name::Br => self.leave_for_body(),
            _ => DONE,
        }
    }

    pub(super) fn start_after_body(&mut self, tag: &StartTag<'page>) -> Step {
        if tag.name == Name::Html { self.second_html(tag) } else { Ok(self.go_back_to_body()) }
    }

    pub(super) fn end_after_body(&mut self, tag: EndTag<'page>) -> Step {
        if tag.name == Name::Html {
            self.mode = Mode::AfterAfterBody;
            return DONE;
        }
        Ok(self.go_back_to_body())
    }

    pub(super) fn go_back_to_body(&mut self) -> Next {
        self.go_on_in(Mode::InBody)
    }

    pub(super) fn go_on_in(&mut self, mode: Mode) -> Next {
        self.mode = mode;
        Next::Again
    }

    /// Something comes that belongs into the body. Goes one mode nearer to it, and is done there.
    pub(super) fn leave_for_body(&mut self) -> Step {
        match self.mode {
            Mode::Initial => Ok(self.leave_initial()),
            Mode::BeforeHtml => {
                self.insert_implied(Name::Html)?;
                Ok(self.go_on_in(Mode::BeforeHead))
            }
            Mode::BeforeHead => {
                self.insert_implied(Name::Head)?;
                Ok(self.go_on_in(Mode::InHead))
            }
            Mode::InHead => {
                self.pop()?;
                Ok(self.go_on_in(Mode::AfterHead))
            }
            Mode::InHeadNoscript => {
                self.pop()?;
                Ok(self.go_on_in(Mode::InHead))
            }
            Mode::AfterHead => {
                self.end_head()?;
                self.insert_implied(Name::Body)?;
                Ok(self.go_on_in(Mode::InBody))
            }
            _ => DONE,
        }
    }

    /// The head ends in the tree, too.
    fn end_head(&mut self) -> Result<(), GaveUp> {
        self.end_text()?;
        if std::mem::take(&mut self.head_waits) {
            self.teller.leave(Flow::Dropped);
        }
        Ok(())
    }

    /// The attributes of a second tag belong to the first one, which was told of.
    pub(super) fn second_html(&mut self, tag: &StartTag<'page>) -> Step {
        if tag.attribute_count > 0 && !self.open.has(Name::Template) {
            return Err(GaveUp("a second html or body with attributes"));
        }
        DONE
    }
}

/// Tells whether an end tag makes a head, in order to end it.
fn ends_head(name: Name) -> bool {
    matches!(name, Name::Head | Name::Body | Name::Html | Name::Br)
}
