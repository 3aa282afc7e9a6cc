//! What the tokenizer calls while it reads.

use std::convert::Infallible;

use html5ever::local_name;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, TagKind, Token, TokenSink};
use html5gum::{Emitter, Error, State};

use super::{Bridge, LINE, Noscript};
use crate::html::tree::{Admission, Hints};

impl Emitter for Bridge<'_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start_tag.clear();
        self.last_start_tag.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.flush_text();
        // The end is told even to a tree that was stopped, so that it is a whole document.
        let _ = self.builder.process_token(Token::EOFToken, LINE);
        self.builder.end();
    }

    fn emit_error(&mut self, _error: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    #[inline]
    fn emit_string(&mut self, part: &[u8]) {
        if !self.is_stopped {
            self.text.push(self.source.as_bytes(), part);
        }
    }

    fn init_start_tag(&mut self) {
        self.tag_kind = TagKind::StartTag;
        self.tag_name.clear();
        self.self_closing = false;
        self.attributes.clear();
        self.hints = Hints::default();
        self.attribute_name.clear();
        self.attribute_value.clear();
        self.admission = None;
        self.passed.clear();
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.tag_kind = TagKind::EndTag;
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        if self.is_stopped {
            return None;
        }
        self.flush_text();
        self.finish_attribute();
        let name = self.names.intern(&self.tag_name);
        match self.tag_kind {
            TagKind::StartTag => {
                self.last_start_tag.clone_from(&self.tag_name);
                let is_frame = name == local_name!("iframe");
                if name == local_name!("noscript") {
                    self.noscript = Noscript::Inside;
                }
                let state = self.send_start_tag(name);
                if is_frame && state.is_some() && self.noscript == Noscript::Inside {
                    self.noscript = Noscript::FrameText;
                }
                state
            }
            TagKind::EndTag => {
                let ends_noscript = name == local_name!("noscript");
                if self.noscript == Noscript::FrameText {
                    self.noscript = Noscript::Inside;
                    if ends_noscript {
                        self.send_end_tag(local_name!("iframe"));
                    }
                }
                if ends_noscript {
                    self.noscript = Noscript::Outside;
                }
                if self.closed_early.last() == Some(&name) {
                    self.closed_early.pop();
                    return None;
                }
                self.send_end_tag(name)
            }
        }
    }

    fn init_comment(&mut self) {}

    fn push_comment(&mut self, _part: &[u8]) {}

    fn emit_current_comment(&mut self) {
        self.flush_text();
        // Comments are no part of the tree, but divide the text of tables.
        self.send(Token::CommentToken(StrTendril::new()));
    }

    fn init_doctype(&mut self) {
        self.doctype = Doctype::default();
    }

    fn push_doctype_name(&mut self, part: &[u8]) {
        append_lossy(self.doctype.name.get_or_insert_default(), part);
    }

    fn set_doctype_public_identifier(&mut self, value: &[u8]) {
        append_lossy(self.doctype.public_id.insert(StrTendril::new()), value);
    }

    fn set_doctype_system_identifier(&mut self, value: &[u8]) {
        append_lossy(self.doctype.system_id.insert(StrTendril::new()), value);
    }

    fn push_doctype_public_identifier(&mut self, part: &[u8]) {
        append_lossy(self.doctype.public_id.get_or_insert_default(), part);
    }

    fn push_doctype_system_identifier(&mut self, part: &[u8]) {
        append_lossy(self.doctype.system_id.get_or_insert_default(), part);
    }

    fn set_force_quirks(&mut self) {
        self.doctype.force_quirks = true;
    }

    fn emit_current_doctype(&mut self) {
        self.flush_text();
        let doctype = std::mem::take(&mut self.doctype);
        self.send(Token::DoctypeToken(doctype));
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    #[inline]
    fn push_tag_name(&mut self, part: &[u8]) {
        self.tag_name.extend_from_slice(part);
    }

    #[inline]
    fn init_attribute(&mut self) {
        self.finish_attribute();
    }

    #[inline]
    fn push_attribute_name(&mut self, part: &[u8]) {
        self.attribute_name.extend_from_slice(part);
    }

    #[inline]
    fn push_attribute_value(&mut self, part: &[u8]) {
        if self.admission() != Admission::Dropped {
            self.attribute_value.push(self.source.as_bytes(), part);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        // `<noscript><iframe /></noscript>` is common where no browser ever reads it: with scripts on, all that is
        // text up to `</noscript>`. Without, the frame would take the rest of the page for its own text.
        let ends_frame = self.noscript == Noscript::FrameText && self.tag_name == b"noscript";
        self.tag_kind == TagKind::EndTag
            && !self.last_start_tag.is_empty()
            && (self.tag_name == self.last_start_tag || ends_frame)
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.flush_text();
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn append_lossy(text: &mut StrTendril, part: &[u8]) {
    text.push_slice(&String::from_utf8_lossy(part));
}
