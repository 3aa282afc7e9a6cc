//! Hands html5gum's tokens to html5ever's tree builder.

use html5ever::interface::{Attribute, QualName, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, local_name, ns};
use html5gum::{State, Tokenizer};
use recrawl_core::model::content::Unreadable;

use super::limits::{Budget, MAX_ATTRIBUTES, MAX_DEPTH};
use super::sink::{Handle, Sink};
use super::source_text::SourceText;
use super::{Admission, AttributeFilter, Hints, Names, Tree};
use crate::budget::WorkBudget;
use crate::fast::{NameCache, ValueCache};
use crate::html::newlines::with_line_feeds;

mod emitter;

/// The tree builder counts lines for scripts, which do not run here.
const LINE: u64 = 1;

/// So many looks of the tree builder at a node are a unit of work.
const LOOKUPS_A_UNIT: u64 = 8;

/// Longer pages than an index can address are cut.
const MAX_LENGTH: usize = 1 << 30;

/// Parses a page with scripting off.
pub(super) fn parse(html: &str, filter: &AttributeFilter, work: &WorkBudget) -> Result<Tree, Unreadable> {
    let html = &html[..html.floor_char_boundary(MAX_LENGTH)];
    let source = StrTendril::from_slice(&with_line_feeds(html));
    let budget = Budget::for_length(source.len());
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(Sink::with_capacity_for(source.len(), budget), options);
    let bridge = Bridge::new(&builder, &source, filter, budget, work);
    let Ok(()) = Tokenizer::new_with_emitter(&*source, bridge).finish();
    work.work(0)?;
    Ok(builder.sink.finish())
}

/// Where the tokenizer is, seen from a `noscript`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noscript {
    Outside,
    Inside,
    /// In the text of an `iframe` in it.
    FrameText,
}

struct Bridge<'a> {
    builder: &'a TreeBuilder<Handle, Sink>,
    source: &'a StrTendril,
    filter: &'a AttributeFilter,
    budget: Budget,
    work: &'a WorkBudget,
    /// The lookups of the tree builder that were counted as work.
    counted_lookups: u64,
    is_stopped: bool,
    names: NameCache,
    values: ValueCache<Names>,
    text: SourceText,
    tag_kind: TagKind,
    tag_name: Vec<u8>,
    self_closing: bool,
    attributes: Vec<Attribute>,
    /// What the attributes so far say about where the element stands.
    hints: Hints,
    attribute_name: Vec<u8>,
    attribute_value: SourceText,
    /// What happens to the current attribute, once its name is complete.
    admission: Option<Admission>,
    /// The names of attributes of which the first was looked at and is dropped.
    passed: Vec<LocalName>,
    last_start_tag: Vec<u8>,
    noscript: Noscript,
    doctype: Doctype,
    /// Elements that were closed because they are too deep, and whose end tags are still to come.
    closed_early: Vec<LocalName>,
}

impl<'a> Bridge<'a> {
    fn new(
        builder: &'a TreeBuilder<Handle, Sink>,
        source: &'a StrTendril,
        filter: &'a AttributeFilter,
        budget: Budget,
        work: &'a WorkBudget,
    ) -> Self {
        Self {
            builder,
            source,
            filter,
            budget,
            work,
            counted_lookups: 0,
            is_stopped: false,
            names: NameCache::new(),
            values: ValueCache::new(),
            text: SourceText::default(),
            tag_kind: TagKind::StartTag,
            tag_name: Vec::new(),
            self_closing: false,
            attributes: Vec::new(),
            hints: Hints::default(),
            attribute_name: Vec::new(),
            attribute_value: SourceText::default(),
            admission: None,
            passed: Vec::new(),
            last_start_tag: Vec::new(),
            noscript: Noscript::Outside,
            doctype: Doctype::default(),
            closed_early: Vec::new(),
        }
    }

    /// Gives a token to the tree builder; returns the state it asks the tokenizer to enter.
    fn send(&mut self, token: Token) -> Option<State> {
        if self.is_stopped {
            return None;
        }
        let result = self.builder.process_token(token, LINE);
        let sink = &self.builder.sink;
        let lookups = sink.lookups();
        let work = 1 + (lookups - self.counted_lookups) / LOOKUPS_A_UNIT;
        self.counted_lookups = lookups;
        if let Some(reason) = self.budget.excess(sink.size(), lookups) {
            sink.cut(reason);
            self.is_stopped = true;
        }
        self.is_stopped |= self.work.work(usize::try_from(work).unwrap_or(usize::MAX)).is_err();
        match result {
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => None,
            TokenSinkResult::Plaintext => Some(State::PlainText),
            TokenSinkResult::RawData(RawKind::Rcdata) => Some(State::RcData),
            TokenSinkResult::RawData(RawKind::Rawtext) => Some(State::RawText),
            TokenSinkResult::RawData(RawKind::ScriptData | RawKind::ScriptDataEscaped(_)) => {
                Some(State::ScriptData)
            }
        }
    }

    fn flush_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        if memchr::memchr(0, self.text.bytes(self.source.as_bytes())).is_none() {
            let text = self.text.take(self.source);
            self.send(Token::CharacterTokens(text));
            return;
        }
        let text = self.text.take(self.source);
        let mut parts = text.split('\0');
        self.send_characters(parts.next().unwrap_or_default());
        self.send(Token::NullCharacterToken);
        if self.builder.adjusted_current_node_present_but_not_in_html_namespace() {
            // Here a zero may become a character, so the tree builder wants them one by one.
            for (number, part) in parts.enumerate() {
                if number > 0 {
                    self.send(Token::NullCharacterToken);
                }
                self.send_characters(part);
            }
        } else {
            // The first zero may have opened the body, the others vanish.
            self.send_characters(&parts.collect::<String>());
        }
    }

    fn send_characters(&mut self, text: &str) {
        if !text.is_empty() {
            self.send(Token::CharacterTokens(StrTendril::from_slice(text)));
        }
    }

    /// Decides once per attribute, when its name is complete, whether its value is worth keeping.
    fn admission(&mut self) -> Admission {
        if let Some(admission) = self.admission {
            return admission;
        }
        let is_attribute =
            self.tag_kind == TagKind::StartTag && !self.attribute_name.is_empty() && !self.is_stopped;
        let admission = if is_attribute {
            let has_room = self.attributes.len() < MAX_ATTRIBUTES;
            self.filter.admits(&self.tag_name, &self.attribute_name, has_room)
        } else {
            Admission::Dropped
        };
        self.admission = Some(admission);
        admission
    }

    fn finish_attribute(&mut self) {
        if !self.attribute_name.is_empty() {
            let admission = self.admission();
            if admission != Admission::Dropped {
                self.keep_attribute(admission);
            }
        }
        self.attribute_name.clear();
        self.attribute_value.clear();
        self.admission = None;
    }

    fn keep_attribute(&mut self, admission: Admission) {
        let local = self.names.intern(&self.attribute_name);
        // Of attributes with one name the first counts.
        let is_later = self.attributes.iter().any(|attribute| attribute.name.local == local)
            || self.passed.contains(&local);
        if is_later {
            return;
        }
        let names = self.ask();
        let is_kept = match admission {
            Admission::Kept => true,
            Admission::KeptIfNoise => names.is_noise,
            Admission::Asked | Admission::Dropped => false,
        };
        if !is_kept {
            self.passed.push(local);
            return;
        }
        let value = self.attribute_value.take(self.source);
        self.attributes.push(Attribute { name: QualName::new(None, ns!(), local), value });
    }

    /// Finds out what the attribute says about where the element stands, and whether it is noise.
    fn ask(&mut self) -> Names {
        let value = self.attribute_value.bytes(self.source.as_bytes());
        let names = match &*self.attribute_name {
            b"class" | b"id" => self.values.get(value, || self.filter.examine(value)),
            _ => Names::default(),
        };
        if Hints::are_in(&self.tag_name, &self.attribute_name) {
            self.hints.add(&self.attribute_name, value, names.words);
        }
        names
    }

    fn send_start_tag(&mut self, name: LocalName) -> Option<State> {
        self.builder.sink.take_last_depth();
        let hints = std::mem::take(&mut self.hints);
        if hints != Hints::default() {
            self.attributes.push(self.builder.sink.hints_attribute(hints));
        }
        let tag = Tag {
            kind: TagKind::StartTag,
            name: name.clone(),
            self_closing: self.self_closing,
            attrs: std::mem::take(&mut self.attributes),
            had_duplicate_attributes: false,
        };
        let state = self.send(Token::TagToken(tag));
        let is_too_deep = self.builder.sink.take_last_depth() > MAX_DEPTH;
        if is_too_deep && state.is_none() && !self.self_closing && !is_void(&name) {
            self.closed_early.push(name.clone());
            self.send_end_tag(name);
        }
        state
    }

    fn send_end_tag(&mut self, name: LocalName) -> Option<State> {
        self.send(Token::TagToken(Tag {
            kind: TagKind::EndTag,
            name,
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        }))
    }
}

/// Elements without an end tag; an end tag for `br` would make another one.
fn is_void(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("frame")
            | local_name!("hr")
            | local_name!("image")
            | local_name!("img")
            | local_name!("input")
            | local_name!("keygen")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
    )
}
