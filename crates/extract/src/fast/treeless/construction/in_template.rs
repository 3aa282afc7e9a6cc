//! In templates: nothing of them is a part of the page, but they decide where they end.

use super::{Construction, DONE, Mode, Step};
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::{Name, THOROUGHLY_IMPLIED_END};
use crate::fast::treeless::tokens::{EndTag, StartTag};

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    pub(super) fn start_template(&mut self, tag: &StartTag<'page>) -> Step {
        self.formatting.push_marker();
        self.mode = Mode::InTemplate;
        self.template_modes.push(Mode::InTemplate);
        self.insert_html(tag)
    }

    pub(super) fn end_template(&mut self) -> Step {
        if self.open.has(Name::Template) {
            self.end_implied(THOROUGHLY_IMPLIED_END, Name::Other)?;
            self.pop_until(Name::Template)?;
            self.formatting.clear_to_marker();
            self.template_modes.pop();
            self.reset_mode();
        }
        DONE
    }

    pub(super) fn start_in_template(&mut self, tag: &StartTag<'page>) -> Step {
        let mode = match tag.name {
            Name::Base
            | Name::Basefont
            | Name::Bgsound
            | Name::Link
            | Name::Meta
            | Name::Noframes
            | Name::Script
            | Name::Style
            | Name::Template
            | Name::Title => return self.start_in_head(tag),
            Name::Caption | Name::Colgroup | Name::Tbody | Name::Tfoot | Name::Thead => Mode::InTable,
            Name::Col => Mode::InColumnGroup,
            Name::Tr => Mode::InTableBody,
            Name::Td | Name::Th => Mode::InRow,
            _ => Mode::InBody,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        Ok(self.go_on_in(mode))
    }

    pub(super) fn end_in_template(&mut self, tag: EndTag<'page>) -> Step {
        if tag.name == Name::Template { self.end_template() } else { DONE }
    }
}
