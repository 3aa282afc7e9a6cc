//! In tables and their parts. What stands straight inside a table, but does not belong there, would go before it.

use super::{Construction, DONE, Mode, Next, Step};
use crate::fast::treeless::GaveUp;
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::{
    CELLS, IMPLIED_END, Name, TABLE_BODY_CONTEXT, TABLE_ROW_CONTEXT, TABLE_SCOPE,
};
use crate::fast::treeless::tokens::{EndTag, StartTag};

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    pub(super) fn start_in_table(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Caption => {
                self.pop_down_to(TABLE_SCOPE)?;
                self.formatting.push_marker();
                self.mode = Mode::InCaption;
                self.insert_html(tag)
            }
            Name::Colgroup => {
                self.pop_down_to(TABLE_SCOPE)?;
                self.mode = Mode::InColumnGroup;
                self.insert_html(tag)
            }
            Name::Col => {
                self.pop_down_to(TABLE_SCOPE)?;
                self.insert_implied(Name::Colgroup)?;
                Ok(self.go_on_in(Mode::InColumnGroup))
            }
            Name::Tbody | Name::Tfoot | Name::Thead => {
                self.pop_down_to(TABLE_SCOPE)?;
                self.mode = Mode::InTableBody;
                self.insert_html(tag)
            }
            Name::Td | Name::Th | Name::Tr => {
                self.pop_down_to(TABLE_SCOPE)?;
                self.insert_implied(Name::Tbody)?;
                Ok(self.go_on_in(Mode::InTableBody))
            }
            Name::Table => {
                if !self.open.has_in_table_scope(Name::Table) {
                    return DONE;
                }
                self.pop_until(Name::Table)?;
                self.reset_mode();
                Ok(Next::Again)
            }
            Name::Style | Name::Script | Name::Template => self.start_in_head(tag),
            Name::Input if self.is_hidden(tag) => self.insert_void_html(tag),
            Name::Form => {
                if self.form.is_some() || self.open.has(Name::Template) {
                    return DONE;
                }
                self.form = Some(self.new_id());
                self.insert_void_html(tag)
            }
            _ if self.teller.is_silent() => self.start_in_body(tag),
            _ => Err(GaveUp("an element straight inside a table")),
        }
    }

    pub(super) fn end_in_table(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Table => {
                if self.open.has_in_table_scope(Name::Table) {
                    self.pop_until(Name::Table)?;
                    self.reset_mode();
                }
                DONE
            }
            Name::Body
            | Name::Caption
            | Name::Col
            | Name::Colgroup
            | Name::Html
            | Name::Tbody
            | Name::Td
            | Name::Tfoot
            | Name::Th
            | Name::Thead
            | Name::Tr => DONE,
            Name::Template => self.end_template(),
            Name::P | Name::Br if !self.teller.is_silent() => {
                Err(GaveUp("an end tag straight inside a table"))
            }
            _ => self.end_in_body(tag),
        }
    }

    pub(super) fn start_in_caption(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Caption
            | Name::Col
            | Name::Colgroup
            | Name::Tbody
            | Name::Td
            | Name::Tfoot
            | Name::Th
            | Name::Thead
            | Name::Tr => self.leave_caption(),
            _ => self.start_in_body(tag),
        }
    }

    pub(super) fn end_in_caption(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Caption => self.leave_caption().map(|_| Next::Done),
            Name::Table => self.leave_caption(),
            Name::Body
            | Name::Col
            | Name::Colgroup
            | Name::Html
            | Name::Tbody
            | Name::Td
            | Name::Tfoot
            | Name::Th
            | Name::Thead
            | Name::Tr => DONE,
            _ => self.end_in_body(tag),
        }
    }

    fn leave_caption(&mut self) -> Step {
        if !self.open.has_in_table_scope(Name::Caption) {
            return DONE;
        }
        self.close(Name::Caption)?;
        self.formatting.clear_to_marker();
        Ok(self.go_on_in(Mode::InTable))
    }

    pub(super) fn start_in_column_group(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Html => self.second_html(tag),
            Name::Col => self.insert_void_html(tag),
            Name::Template => self.start_in_head(tag),
            _ => self.leave_column_group(),
        }
    }

    pub(super) fn end_in_column_group(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Colgroup => self.leave_column_group().map(|_| Next::Done),
            Name::Col => DONE,
            Name::Template => self.end_template(),
            _ => self.leave_column_group(),
        }
    }

    pub(super) fn leave_column_group(&mut self) -> Step {
        if !self.open.current_is(Name::Colgroup) {
            return DONE;
        }
        self.pop()?;
        Ok(self.go_on_in(Mode::InTable))
    }

    pub(super) fn start_in_table_body(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Tr => {
                self.pop_down_to(TABLE_BODY_CONTEXT)?;
                self.mode = Mode::InRow;
                self.insert_html(tag)
            }
            Name::Th | Name::Td => {
                self.pop_down_to(TABLE_BODY_CONTEXT)?;
                self.insert_implied(Name::Tr)?;
                Ok(self.go_on_in(Mode::InRow))
            }
            Name::Caption | Name::Col | Name::Colgroup | Name::Tbody | Name::Tfoot | Name::Thead => {
                self.leave_table_body()
            }
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_table_body(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Tbody | Name::Tfoot | Name::Thead => {
                if self.open.has_in_table_scope(tag.name) {
                    self.pop_down_to(TABLE_BODY_CONTEXT)?;
                    self.pop()?;
                    self.mode = Mode::InTable;
                }
                DONE
            }
            Name::Table => self.leave_table_body(),
            Name::Body
            | Name::Caption
            | Name::Col
            | Name::Colgroup
            | Name::Html
            | Name::Td
            | Name::Th
            | Name::Tr => DONE,
            _ => self.end_in_table(tag),
        }
    }

    fn leave_table_body(&mut self) -> Step {
        let is_in_table = [Name::Table, Name::Tbody, Name::Tfoot];
        if !is_in_table.iter().any(|name| self.open.has_in_table_scope(*name)) {
            return DONE;
        }
        self.pop_down_to(TABLE_BODY_CONTEXT)?;
        self.pop()?;
        Ok(self.go_on_in(Mode::InTable))
    }

    pub(super) fn start_in_row(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Th | Name::Td => {
                self.pop_down_to(TABLE_ROW_CONTEXT)?;
                self.mode = Mode::InCell;
                self.insert_html(tag)?;
                self.formatting.push_marker();
                DONE
            }
            Name::Caption
            | Name::Col
            | Name::Colgroup
            | Name::Tbody
            | Name::Tfoot
            | Name::Thead
            | Name::Tr => self.leave_row(),
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_row(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Tr => self.leave_row().map(|_| Next::Done),
            Name::Table => self.leave_row(),
            Name::Tbody | Name::Tfoot | Name::Thead => {
                if self.open.has_in_table_scope(tag.name) {
                    self.leave_row()
                } else {
                    DONE
                }
            }
            Name::Body | Name::Caption | Name::Col | Name::Colgroup | Name::Html | Name::Td | Name::Th => {
                DONE
            }
            _ => self.end_in_table(tag),
        }
    }

    fn leave_row(&mut self) -> Step {
        if !self.open.has_in_table_scope(Name::Tr) {
            return DONE;
        }
        self.pop_down_to(TABLE_ROW_CONTEXT)?;
        self.pop()?;
        Ok(self.go_on_in(Mode::InTableBody))
    }

    pub(super) fn start_in_cell(&mut self, tag: &StartTag<'page>) -> Step {
        match tag.name {
            Name::Caption
            | Name::Col
            | Name::Colgroup
            | Name::Tbody
            | Name::Td
            | Name::Tfoot
            | Name::Th
            | Name::Thead
            | Name::Tr => {
                if self.open.has_any_in_table_scope(CELLS) {
                    self.leave_cell()
                } else {
                    DONE
                }
            }
            _ => self.start_in_body(tag),
        }
    }

    pub(super) fn end_in_cell(&mut self, tag: EndTag<'page>) -> Step {
        match tag.name {
            Name::Td | Name::Th => {
                if self.open.has_in_table_scope(tag.name) {
                    self.close(tag.name)?;
                    self.formatting.clear_to_marker();
                    self.mode = Mode::InRow;
                }
                DONE
            }
            Name::Body | Name::Caption | Name::Col | Name::Colgroup | Name::Html => DONE,
            Name::Table | Name::Tbody | Name::Tfoot | Name::Thead | Name::Tr => {
                if self.open.has_in_table_scope(tag.name) { self.leave_cell() } else { DONE }
            }
            _ => self.end_in_body(tag),
        }
    }

    fn leave_cell(&mut self) -> Step {
        self.end_implied(IMPLIED_END, Name::Other)?;
        self.pop_until_in(CELLS)?;
        self.formatting.clear_to_marker();
        Ok(self.go_on_in(Mode::InRow))
    }

    fn is_hidden(&self, tag: &StartTag<'page>) -> bool {
        let attributes = self.tokens.attributes(tag).iter();
        attributes
            .filter(|attribute| attribute.name == "type")
            .any(|attribute| attribute.value.eq_ignore_ascii_case("hidden"))
    }
}
