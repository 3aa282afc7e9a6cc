//! End tags [in the body](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody).

use super::{Construction, DONE, Mode, Step};
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::{FORMATTING, HEADINGS, IMPLIED_END, Name};
use crate::fast::treeless::tokens::{EndTag, StartTag};

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    pub(super) fn end_in_body(&mut self, tag: EndTag<'page>) -> Step {
        let name = tag.name;
        match name {
            Name::Address
            | Name::Article
            | Name::Aside
            | Name::Blockquote
            | Name::Button
            | Name::Center
            | Name::Details
            | Name::Dialog
            | Name::Dir
            | Name::Div
            | Name::Dl
            | Name::Fieldset
            | Name::Figcaption
            | Name::Figure
            | Name::Footer
            | Name::Header
            | Name::Hgroup
            | Name::Listing
            | Name::Main
            | Name::Menu
            | Name::Nav
            | Name::Ol
            | Name::Pre
            | Name::Search
            | Name::Section
            | Name::Select
            | Name::Summary
            | Name::Ul => {
                if self.open.has_in_scope(name) {
                    self.close(name)?;
                }
            }
            Name::P => {
                if !self.open.has_in_button_scope(Name::P) {
                    self.insert_implied(Name::P)?;
                }
                self.close_innermost(Name::P)?;
            }
            Name::Li => {
                if self.open.has_in_list_item_scope(Name::Li) {
                    self.close_innermost(Name::Li)?;
                }
            }
            Name::Dd | Name::Dt => {
                if self.open.has_in_scope(name) {
                    self.close_innermost(name)?;
                }
            }
            Name::H1 | Name::H2 | Name::H3 | Name::H4 | Name::H5 | Name::H6 => {
                if self.open.has_heading_in_scope() {
                    self.end_implied(IMPLIED_END, Name::Other)?;
                    self.pop_until_in(HEADINGS)?;
                }
            }
            Name::Form => return self.end_form(),
            Name::Applet | Name::Marquee | Name::Object => {
                if self.open.has_in_scope(name) {
                    self.close(name)?;
                    self.formatting.clear_to_marker();
                }
            }
            Name::Br => {
                self.reconstruct()?;
                return self.insert_void_html(&StartTag::implied(Name::Br));
            }
            Name::Body | Name::Html => {
                if self.open.has_in_scope(Name::Body) {
                    self.mode = if name == Name::Body { Mode::AfterBody } else { Mode::AfterAfterBody };
                }
            }
            Name::Template => return self.end_template(),
            _ if FORMATTING.contains(name) => self.adopt(name)?,
            _ => self.end_any(name, tag.spelled)?,
        }
        DONE
    }

    fn end_form(&mut self) -> Step {
        if self.open.has(Name::Template) {
            if self.open.has_in_scope(Name::Form) {
                self.close(Name::Form)?;
            }
            return DONE;
        }
        let Some(id) = self.form.take().filter(|id| self.open.has_id_in_scope(*id)) else { return DONE };
        self.end_implied(IMPLIED_END, Name::Other)?;
        if let Some(place) = self.open.place_of(id) {
            self.take_out(place)?;
        }
        DONE
    }
}
