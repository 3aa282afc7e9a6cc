//! Start tags [in the body](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody).

use super::{Construction, DONE, Mode, Step};
use crate::fast::treeless::GaveUp;
use crate::fast::treeless::elements::Namespace;
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::{HEADINGS, IMPLIED_END, Name};
use crate::fast::treeless::tokens::StartTag;

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    pub(super) fn start_in_body(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Address
            | Name::Article
            | Name::Aside
            | Name::Blockquote
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
            | Name::Main
            | Name::Menu
            | Name::Nav
            | Name::Ol
            | Name::P
            | Name::Search
            | Name::Section
            | Name::Summary
            | Name::Ul => {
                self.close_paragraph()?;
                self.insert_html(tag)
            }
            Name::H1 | Name::H2 | Name::H3 | Name::H4 | Name::H5 | Name::H6 => {
                self.close_paragraph()?;
                if self.open.current().is_some_and(|element| element.is_in(HEADINGS)) {
                    self.pop()?;
                }
                self.insert_html(tag)
            }
            Name::Pre | Name::Listing => {
                self.close_paragraph()?;
                self.skips_line_feed = true;
                self.insert_html(tag)
            }
            Name::Li | Name::Dd | Name::Dt => self.start_item(tag),
            Name::A => self.start_link(tag),
            Name::B
            | Name::Big
            | Name::Code
            | Name::Em
            | Name::Font
            | Name::I
            | Name::S
            | Name::Small
            | Name::Strike
            | Name::Strong
            | Name::Tt
            | Name::U => {
                self.reconstruct()?;
                self.insert_formatting(tag)
            }
            Name::Nobr => {
                self.reconstruct()?;
                if self.open.has_in_scope(Name::Nobr) {
                    self.adopt(Name::Nobr)?;
                    self.reconstruct()?;
                }
                self.insert_formatting(tag)
            }
            Name::Area
            | Name::Br
            | Name::Embed
            | Name::Hr
            | Name::Image
            | Name::Img
            | Name::Keygen
            | Name::Param
            | Name::Source
            | Name::Track
            | Name::Wbr => self.start_void(tag),
            Name::Table => {
                if !self.has_quirks {
                    self.close_paragraph()?;
                }
                self.mode = Mode::InTable;
                self.insert_html(tag)
            }
            Name::Form
            | Name::Button
            | Name::Input
            | Name::Select
            | Name::Option
            | Name::Optgroup
            | Name::Textarea => self.start_field(tag),
            _ => self.start_rare(tag),
        }
    }

    fn start_void(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Image => {
                self.reconstruct()?;
                self.insert_void_html(&StartTag { name: Name::Img, spelled: Name::Img.text(), ..*tag })
            }
            Name::Param | Name::Source | Name::Track => self.insert_void_html(tag),
            Name::Hr => {
                self.close_paragraph()?;
                if self.open.has_in_scope(Name::Select) {
                    self.end_implied(IMPLIED_END, Name::Other)?;
                }
                self.insert_void_html(tag)
            }
            _ => {
                self.reconstruct()?;
                self.insert_void_html(tag)
            }
        }
    }

    fn start_rare(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
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
            Name::Iframe | Name::Noembed => self.insert_raw(tag),
            Name::Xmp => {
                self.close_paragraph()?;
                self.reconstruct()?;
                self.insert_raw(tag)
            }
            Name::Applet | Name::Marquee | Name::Object => {
                self.reconstruct()?;
                self.insert_html(tag)?;
                self.formatting.push_marker();
                DONE
            }
            Name::Svg => {
                self.reconstruct()?;
                self.insert_foreign(tag, Namespace::Svg)
            }
            Name::Math => {
                self.reconstruct()?;
                self.insert_foreign(tag, Namespace::MathMl)
            }
            Name::Rb | Name::Rtc => {
                if self.open.has_in_scope(Name::Ruby) {
                    self.end_implied(IMPLIED_END, Name::Other)?;
                }
                self.insert_html(tag)
            }
            Name::Rp | Name::Rt => {
                if self.open.has_in_scope(Name::Ruby) {
                    self.end_implied(IMPLIED_END, Name::Rtc)?;
                }
                self.insert_html(tag)
            }
            Name::Html | Name::Body => self.second_html(tag),
            Name::Frameset => Err(GaveUp("frames")),
            Name::Plaintext => Err(GaveUp("plain text up to the end")),
            Name::Caption
            | Name::Col
            | Name::Colgroup
            | Name::Frame
            | Name::Head
            | Name::Tbody
            | Name::Td
            | Name::Tfoot
            | Name::Th
            | Name::Thead
            | Name::Tr => DONE,
            _ => {
                self.reconstruct()?;
                self.insert_html(tag)
            }
        }
    }

    fn start_item(&mut self, tag: &StartTag<'page>) -> Step {
        let item = match tag.name {
            Name::Li => self.open.item_to_close(|element| element.is(Name::Li)),
            _ => self.open.item_to_close(|element| element.is(Name::Dd) || element.is(Name::Dt)),
        };
        if let Some(name) = item {
            self.close_innermost(name)?;
        }
        self.close_paragraph()?;
        self.insert_html(tag)
    }

    fn start_link(&mut self, tag: &StartTag<'page>) -> Step {
        if let Some((_, id)) = self.formatting.find(Name::A) {
            self.adopt(Name::A)?;
            if let Some(place) = self.formatting.place_of(id) {
                self.formatting.remove(place);
            }
            if let Some(place) = self.open.place_of(id) {
                self.take_out(place)?;
            }
        }
        self.reconstruct()?;
        self.insert_formatting(tag)
    }

    fn start_field(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Form => {
                let is_in_template = self.open.has(Name::Template);
                if self.form.is_some() && !is_in_template {
                    return DONE;
                }
                self.close_paragraph()?;
                let id = self.insert(tag, Namespace::Html)?;
                if !is_in_template {
                    self.form = Some(id);
                }
                return DONE;
            }
            Name::Button => {
                if self.open.has_in_scope(Name::Button) {
                    self.close(Name::Button)?;
                }
            }
            Name::Textarea => return self.insert_raw(tag),
            Name::Input => {
                if self.open.has_in_scope(Name::Select) {
                    self.pop_until(Name::Select)?;
                }
                self.reconstruct()?;
                return self.insert_void_html(tag);
            }
            Name::Select => {
                if self.open.has_in_scope(Name::Select) {
                    self.pop_until(Name::Select)?;
                    return DONE;
                }
            }
            _ => {
                if self.open.has_in_scope(Name::Select) {
                    let except = if tag.name == Name::Option { Name::Optgroup } else { Name::Other };
                    self.end_implied(IMPLIED_END, except)?;
                } else if self.open.current_is(Name::Option) {
                    self.pop()?;
                }
            }
        }
        self.reconstruct()?;
        self.insert_html(tag)
    }
}
