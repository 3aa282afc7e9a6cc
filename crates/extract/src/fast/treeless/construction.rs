//! [Tree construction](https://html.spec.whatwg.org/multipage/parsing.html#tree-construction): which elements begin and
//! end with each token. Each insertion mode is in the file that is named after it.
//!
//! Where the standard and the tree builder differ, the tree builder is followed.

use std::borrow::Cow;

use super::GaveUp;
use super::elements::{ElementId, Namespace, Open, OpenElements};
use super::formatting::{Entry, Formatting};
use super::limits::Limits;
use super::listener::{ElementView, Listener, Teller, meaning_of};
use super::names::{FORMATTING, IMPLIED_END, Name, NameSet};
use super::tokens::{EndTag, StartTag, Token, Tokens, decode};
use crate::budget::WorkBudget;
use crate::fast::TextKeeper;
use crate::html::tree::{AttributeFilter, Flow};

mod around_body;
mod foreign;
mod in_body;
mod in_body_ends;
mod in_table;
mod in_template;
mod rearranging;
mod text;

/// An [insertion mode](https://html.spec.whatwg.org/multipage/parsing.html#the-insertion-mode). Raw text is read at once,
/// and so is the text of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    AfterAfterBody,
}

/// What becomes of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Done,
    /// It is handled once more, in the mode that came of it.
    Again,
}

/// A step, unless the page is given up.
type Step = Result<Next, GaveUp>;

/// Done, and nothing else.
const DONE: Step = Ok(Next::Done);

/// The parser of one page.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(super) struct Construction<'page, 'rules, L> {
    tokens: Tokens<'page, 'rules>,
    budget: &'rules WorkBudget,
    limits: Limits,
    teller: Teller<'page, L>,
    open: OpenElements<'page>,
    formatting: Formatting<'page>,
    mode: Mode,
    template_modes: Vec<Mode>,
    next_id: ElementId,
    /// The form to which fields belong; it may have ended.
    form: Option<ElementId>,
    has_quirks: bool,
    /// The head has ended, but what comes before the body goes into it.
    head_waits: bool,
    /// A line feed that comes next does not count.
    skips_line_feed: bool,
    /// Since the last tag `noscript`.
    is_in_noscript: bool,
}

impl<'page, 'rules, L: Listener<'page>> Construction<'page, 'rules, L> {
    pub(super) fn new(
        page: &'page str,
        filter: &'rules AttributeFilter,
        kept: TextKeeper<'page>,
        budget: &'rules WorkBudget,
        listener: L,
    ) -> Self {
        Self {
            tokens: Tokens::new(page, filter, kept),
            budget,
            limits: Limits::new(page.len()),
            teller: Teller::new(listener),
            open: OpenElements::new(),
            formatting: Formatting::default(),
            mode: Mode::Initial,
            template_modes: Vec::new(),
            next_id: 0,
            form: None,
            has_quirks: false,
            head_waits: false,
            skips_line_feed: false,
            is_in_noscript: false,
        }
    }

    /// Reads the page to its end.
    pub(super) fn run(mut self) -> Result<L, GaveUp> {
        loop {
            let is_foreign = self.open.current().is_some_and(|element| element.namespace != Namespace::Html);
            let token = self.tokens.next(is_foreign)?;
            let skips_line_feed = std::mem::take(&mut self.skips_line_feed);
            match token {
                Token::Start(tag) => self.start_tag(&tag)?,
                Token::End(tag) => self.end_tag(tag)?,
                Token::Text(text) => self.text(decode(text, false), skips_line_feed)?,
                Token::Verbatim(text) => self.text(Cow::Borrowed(text), skips_line_feed)?,
                Token::Comment => {}
                Token::Doctype { quirks } => {
                    if self.mode == Mode::Initial {
                        self.has_quirks = quirks;
                        self.mode = Mode::BeforeHtml;
                    }
                }
                Token::EndOfPage => {
                    self.end_of_page()?;
                    return Ok(self.teller.into_listener());
                }
            }
        }
    }

    fn start_tag(&mut self, tag: &StartTag<'page>) -> Result<(), GaveUp> {
        self.budget.work(1)?;
        self.limits.count_tag(self.open.len(), self.formatting.len())?;
        if tag.name == Name::Noscript {
            self.is_in_noscript = true;
        }
        while self.start(tag)? == Next::Again {}
        if !FORMATTING.contains(tag.name) {
            self.tokens.forget(tag);
        }
        Ok(())
    }

    fn start(&mut self, tag: &StartTag<'page>) -> Step {
        if self.is_foreign_start(tag) { self.start_in_foreign(tag) } else { self.start_in_mode(tag) }
    }

    fn start_in_mode(&mut self, tag: &StartTag<'page>) -> Step {
        match self.mode {
            Mode::Initial => Ok(self.leave_initial()),
            Mode::BeforeHtml => self.start_before_html(tag),
            Mode::BeforeHead => self.start_before_head(tag),
            Mode::InHead => self.start_in_head(tag),
            Mode::InHeadNoscript => self.start_in_head_noscript(tag),
            Mode::AfterHead => self.start_after_head(tag),
            Mode::InBody => self.start_in_body(tag),
            Mode::InTable => self.start_in_table(tag),
            Mode::InCaption => self.start_in_caption(tag),
            Mode::InColumnGroup => self.start_in_column_group(tag),
            Mode::InTableBody => self.start_in_table_body(tag),
            Mode::InRow => self.start_in_row(tag),
            Mode::InCell => self.start_in_cell(tag),
            Mode::InTemplate => self.start_in_template(tag),
            Mode::AfterBody | Mode::AfterAfterBody => self.start_after_body(tag),
        }
    }

    fn end_tag(&mut self, tag: EndTag<'page>) -> Result<(), GaveUp> {
        self.budget.work(1)?;
        self.limits.count_tag(self.open.len(), self.formatting.len())?;
        if tag.name == Name::Noscript {
            self.is_in_noscript = false;
        }
        while self.end(tag)? == Next::Again {}
        Ok(())
    }

    fn end(&mut self, tag: EndTag<'page>) -> Step {
        let is_foreign = self.open.current().is_some_and(|element| element.namespace != Namespace::Html);
        if is_foreign { self.end_in_foreign(tag) } else { self.end_in_mode(tag) }
    }

    fn end_in_mode(&mut self, tag: EndTag<'page>) -> Step {
        match self.mode {
            Mode::Initial => Ok(self.leave_initial()),
            Mode::BeforeHtml => self.end_before_html(tag),
            Mode::BeforeHead => self.end_before_head(tag),
            Mode::InHead => self.end_in_head(tag),
            Mode::InHeadNoscript => self.end_in_head_noscript(tag),
            Mode::AfterHead => self.end_after_head(tag),
            Mode::InBody => self.end_in_body(tag),
            Mode::InTable => self.end_in_table(tag),
            Mode::InCaption => self.end_in_caption(tag),
            Mode::InColumnGroup => self.end_in_column_group(tag),
            Mode::InTableBody => self.end_in_table_body(tag),
            Mode::InRow => self.end_in_row(tag),
            Mode::InCell => self.end_in_cell(tag),
            Mode::InTemplate => self.end_in_template(tag),
            Mode::AfterBody => self.end_after_body(tag),
            Mode::AfterAfterBody => Ok(self.go_back_to_body()),
        }
    }

    /// An element begins and stays open.
    fn insert(&mut self, tag: &StartTag<'page>, namespace: Namespace) -> Result<ElementId, GaveUp> {
        self.end_text()?;
        let depth = self.open.current().map_or(0, |parent| parent.depth) + 1;
        self.count(tag, depth)?;
        let view = ElementView {
            tag,
            namespace,
            meaning: meaning_of(tag, namespace),
            attributes: self.tokens.attributes(tag),
            text: "",
        };
        let flow = view.meaning().flow;
        let is_template = tag.name == Name::Template && namespace == Namespace::Html;
        let mut is_told = !self.teller.is_silent() && view.says_something();
        if is_told {
            self.teller.enter(view)?;
        }
        if is_template {
            // Its contents hang nowhere in the tree.
            self.teller.leave(flow);
            self.teller.begin_template();
            self.limits.count_node();
            is_told = false;
        }
        let id = self.new_id();
        self.open.push(Open {
            id,
            name: tag.name,
            namespace,
            spelled: tag.spelled,
            flow,
            is_told,
            holds_html: namespace == Namespace::MathMl && self.holds_html(tag),
            forms_ending: 0,
            depth,
        });
        Ok(id)
    }

    fn insert_html(&mut self, tag: &StartTag<'page>) -> Step {
        self.insert(tag, Namespace::Html)?;
        DONE
    }

    /// An element begins that has no start tag.
    fn insert_implied(&mut self, name: Name) -> Result<(), GaveUp> {
        self.insert(&StartTag::implied(name), Namespace::Html).map(|_| ())
    }

    /// An element begins and ends.
    fn insert_void(&mut self, tag: &StartTag<'page>, namespace: Namespace, text: &str) -> Step {
        self.end_text()?;
        self.count(tag, 0)?;
        if self.teller.is_silent() {
            return DONE;
        }
        let meaning = meaning_of(tag, namespace);
        let view = ElementView { tag, namespace, meaning, attributes: self.tokens.attributes(tag), text };
        let is_told = view.says_something();
        if is_told {
            self.teller.enter(view)?;
        }
        if !text.is_empty() {
            self.teller.whole_text(text)?;
            self.limits.count_node();
        }
        if is_told {
            self.teller.leave(meaning.flow);
        }
        DONE
    }

    fn insert_void_html(&mut self, tag: &StartTag<'page>) -> Step {
        self.insert_void(tag, Namespace::Html, "")
    }

    /// An element begins whose text ends at its end tag, whatever stands in it.
    fn insert_raw(&mut self, tag: &StartTag<'page>) -> Step {
        let raw = self.tokens.raw_text(tag.name, self.is_in_noscript);
        let has_references = matches!(tag.name, Name::Title | Name::Textarea);
        let text = if has_references { decode(raw.text, false) } else { Cow::Borrowed(raw.text) };
        let text = match tag.name {
            Name::Textarea => text.strip_prefix('\n').unwrap_or(&text),
            _ => &text,
        };
        self.insert_void(tag, Namespace::Html, text)?;
        if raw.ends_noscript {
            self.end_tag(EndTag { name: Name::Noscript, spelled: Name::Noscript.text() })?;
        }
        DONE
    }

    fn count(&mut self, tag: &StartTag<'page>, depth: u32) -> Result<(), GaveUp> {
        let attributes = self.tokens.attributes(tag).iter().map(|attribute| attribute.name);
        let has_hints = tag.hints != crate::html::tree::Hints::default();
        self.limits.count_element(tag.spelled, attributes, has_hints, depth)
    }

    fn new_id(&mut self) -> ElementId {
        self.next_id += 1;
        self.next_id
    }

    /// The innermost element ends.
    fn pop(&mut self) -> Result<(), GaveUp> {
        self.end_text()?;
        let Some(element) = self.open.pop() else { return Ok(()) };
        if element.is(Name::Template) {
            self.teller.end_template();
        } else if element.is(Name::Head) && !self.teller.is_silent() {
            self.head_waits = true;
        } else if element.is_told {
            self.teller.leave(element.flow);
        }
        for _ in 0..element.forms_ending {
            self.teller.leave(Flow::Block);
        }
        Ok(())
    }

    /// Elements end until there are so many.
    fn truncate(&mut self, length: usize) -> Result<(), GaveUp> {
        while self.open.len() > length {
            self.pop()?;
        }
        Ok(())
    }

    /// Elements end up to the innermost one of this name.
    fn pop_until(&mut self, name: Name) -> Result<(), GaveUp> {
        loop {
            let is_last = self.open.current().is_none_or(|element| element.is(name));
            self.pop()?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Elements end up to the innermost one of these names.
    fn pop_until_in(&mut self, names: NameSet) -> Result<(), GaveUp> {
        loop {
            let is_last = self.open.current().is_none_or(|element| element.is_in(names));
            self.pop()?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Elements end until the innermost one has one of these names.
    fn pop_down_to(&mut self, names: NameSet) -> Result<(), GaveUp> {
        while self.open.current().is_some_and(|element| !element.is_in(names)) {
            self.pop()?;
        }
        Ok(())
    }

    /// Elements end whose end tags may be left out.
    fn end_implied(&mut self, names: NameSet, except: Name) -> Result<(), GaveUp> {
        while self.open.current().is_some_and(|element| element.is_in(names) && element.name != except) {
            self.pop()?;
        }
        Ok(())
    }

    /// An element ends that is in scope, and what stands in it.
    fn close(&mut self, name: Name) -> Result<(), GaveUp> {
        self.end_implied(IMPLIED_END, Name::Other)?;
        self.pop_until(name)
    }

    /// The same, where elements of its own name do not end before it.
    fn close_innermost(&mut self, name: Name) -> Result<(), GaveUp> {
        self.end_implied(IMPLIED_END, name)?;
        self.pop_until(name)
    }

    fn close_paragraph(&mut self) -> Result<(), GaveUp> {
        if self.open.has_in_button_scope(Name::P) { self.close_innermost(Name::P) } else { Ok(()) }
    }

    /// The page ends, and so does everything on it.
    fn end_of_page(&mut self) -> Result<(), GaveUp> {
        while self.open.has(Name::Template) {
            self.pop_until(Name::Template)?;
            self.template_modes.pop();
            self.formatting.clear_to_marker();
            self.reset_mode();
        }
        while self.leave_for_body()? == Next::Again {}
        self.truncate(0)
    }

    /// Chooses the mode [by the open
    /// elements](https://html.spec.whatwg.org/multipage/parsing.html#reset-the-insertion-mode-appropriately).
    fn reset_mode(&mut self) {
        let of_element = |element: &Open<'page>| match element.name {
            _ if element.namespace != Namespace::Html => None,
            Name::Td | Name::Th => Some(Mode::InCell),
            Name::Tr => Some(Mode::InRow),
            Name::Tbody | Name::Thead | Name::Tfoot => Some(Mode::InTableBody),
            Name::Caption => Some(Mode::InCaption),
            Name::Colgroup => Some(Mode::InColumnGroup),
            Name::Table => Some(Mode::InTable),
            Name::Template => self.template_modes.last().copied(),
            Name::Head => Some(Mode::InHead),
            Name::Body => Some(Mode::InBody),
            Name::Html => Some(Mode::AfterHead),
            _ => None,
        };
        self.mode = self.open.all().iter().rev().find_map(of_element).unwrap_or(Mode::InBody);
    }

    /// The tag of an element that is in the list of active formatting elements.
    fn formatting_tag(&self, place: usize) -> Option<StartTag<'page>> {
        match self.formatting.entry(place)? {
            Entry::Marker => None,
            Entry::Element(_, tag) => Some(tag),
        }
    }
}
