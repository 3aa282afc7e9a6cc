//! What is read from the elements and texts of a page, in document order.

use std::borrow::Cow;

use super::directives::RobotsDirectives;
use super::refresh::refresh_target;
use crate::dom::{Flow, Role};
use crate::links::{LinkKind, RawLink};
use crate::text::{NoiseRule, TextRules, TextWriter};

/// Names of inputs that carry a token drawn anew for every answer.
const TOKEN_INPUTS: [&str; 8] = [
    "__requestverificationtoken",
    "__viewstate",
    "_token",
    "authenticity_token",
    "csrf_token",
    "csrfmiddlewaretoken",
    "form_build_id",
    "form_token",
];

/// What a page says, before its addresses are resolved.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings<'text> {
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) robots: RobotsDirectives,
    pub(super) base: Option<Cow<'text, str>>,
    pub(super) links: Vec<RawLink<'text>>,
    pub(super) text: String,
}

/// An element as the reader sees it.
pub(super) trait Tag<'text> {
    fn flow(&self) -> Flow;
    fn role(&self) -> Role;
    fn is_silent(&self) -> bool;
    fn has_attributes(&self) -> bool;
    /// Returns the value of an attribute without a namespace.
    fn attribute(&self, name: &str) -> Option<Cow<'text, str>>;
    /// Returns the address of a link in SVG by its older attribute.
    fn xlink_address(&self) -> Option<Cow<'text, str>>;
    /// Calls `write` with the value of every attribute of this name, in any namespace.
    fn each_value(&self, name: &str, write: &mut dyn FnMut(&str));
    /// Returns the text directly inside the element.
    fn child_text(&self) -> Cow<'text, str>;
}

/// Gathers what a page says, element by element.
pub(super) struct Reader<'text, 'rules> {
    rules: &'rules TextRules,
    findings: Findings<'text>,
    writer: TextWriter,
    depth: u32,
    /// The depth of the outermost element around the current place whose text does not count.
    silenced_at: Option<u32>,
}

impl<'text, 'rules> Reader<'text, 'rules> {
    /// Begins a page of `length` bytes.
    pub(super) fn new(rules: &'rules TextRules, length: usize) -> Self {
        Self {
            rules,
            findings: Findings::default(),
            writer: TextWriter::with_capacity(length),
            depth: 0,
            silenced_at: None,
        }
    }

    /// An element begins.
    pub(super) fn enter(&mut self, element: &impl Tag<'text>) {
        self.depth += 1;
        if element.role() != Role::None {
            self.read_element(element);
        }
        if self.silenced_at.is_some() {
            return;
        }
        self.divide_text(element.flow());
        if element.is_silent() {
            self.silenced_at = Some(self.depth);
        } else {
            self.write_attributes(element);
        }
    }

    /// The element ends.
    pub(super) fn leave(&mut self, flow: Flow) {
        if self.silenced_at == Some(self.depth) {
            self.silenced_at = None;
        }
        if self.silenced_at.is_none() {
            self.divide_text(flow);
        }
        self.depth -= 1;
    }

    /// A piece of text.
    pub(super) fn text(&mut self, text: &str) {
        if self.silenced_at.is_none() {
            self.writer.push(text);
        }
    }

    /// Ends the page.
    pub(super) fn finish(self) -> Findings<'text> {
        let text = self.rules.clean(self.writer.finish());
        Findings { text, ..self.findings }
    }

    fn divide_text(&mut self, flow: Flow) {
        match flow {
            Flow::Inline | Flow::Dropped => {}
            Flow::Word => self.writer.break_word(),
            Flow::Block => self.writer.break_line(),
        }
    }

    fn write_attributes(&mut self, element: &impl Tag<'text>) {
        if !element.has_attributes() || self.carries_token(element) {
            return;
        }
        for name in self.rules.keep_attributes() {
            element.each_value(name, &mut |value| {
                self.writer.break_line();
                self.writer.push("[");
                self.writer.push(name);
                self.writer.push("=");
                self.writer.push(value.trim());
                self.writer.push("]");
                self.writer.break_line();
            });
        }
    }

    fn carries_token(&self, element: &impl Tag<'text>) -> bool {
        if element.role() != Role::Input || !self.rules.applies(NoiseRule::FormTokens) {
            return false;
        }
        let kind = element.attribute("type");
        let name = element.attribute("name");
        kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case("hidden"))
            || name.is_some_and(|name| TOKEN_INPUTS.contains(&name.to_ascii_lowercase().as_str()))
    }

    fn read_element(&mut self, element: &impl Tag<'text>) {
        match element.role() {
            Role::None | Role::Input | Role::HtmlAnnotation => {}
            Role::Root => {
                let language = element.attribute("lang");
                self.findings.language = language
                    .map(|language| language.trim().to_owned())
                    .filter(|language| !language.is_empty());
            }
            Role::Title => {
                if self.findings.title.is_none() {
                    self.findings.title = Some(collapse(&element.child_text()));
                }
            }
            Role::Base => {
                if self.findings.base.is_none() {
                    self.findings.base = element.attribute("href");
                }
            }
            Role::Anchor => self.add_link(element, element.attribute("href"), LinkKind::Anchor),
            Role::SvgAnchor => {
                let href = element.attribute("href").or_else(|| element.xlink_address());
                self.add_link(element, href, LinkKind::Anchor);
            }
            Role::Frame => self.add_link(element, element.attribute("src"), LinkKind::Frame),
            Role::Link => self.read_link(element),
            Role::Meta => self.read_meta(element),
        }
    }

    fn read_link(&mut self, element: &impl Tag<'text>) {
        let says = |word| relation_says(element, word);
        let kind = if says("canonical") {
            LinkKind::Canonical
        } else if says("next") {
            LinkKind::Next
        } else if says("alternate") && !says("stylesheet") {
            LinkKind::Alternate
        } else {
            return;
        };
        // An empty `link` address means nothing by the standard; an empty `a` means this page.
        self.add_link(element, element.attribute("href").filter(|href| !href.is_empty()), kind);
    }

    fn read_meta(&mut self, element: &impl Tag<'text>) {
        let Some(content) = element.attribute("content") else {
            return;
        };
        if let Some(name) = element.attribute("name") {
            self.findings.robots.read_meta(&name, &content);
        }
        let pragma = element.attribute("http-equiv");
        if pragma.is_some_and(|pragma| pragma.eq_ignore_ascii_case("refresh")) {
            let target = refresh_target(&content).map(|target| Cow::Owned(target.to_owned()));
            self.add_link(element, target, LinkKind::Refresh);
        }
    }

    fn add_link(&mut self, element: &impl Tag<'text>, target: Option<Cow<'text, str>>, kind: LinkKind) {
        if let Some(target) = target {
            let nofollow = relation_says(element, "nofollow");
            self.findings.links.push(RawLink { target, kind, nofollow });
        }
    }
}

fn relation_says<'text>(element: &impl Tag<'text>, word: &str) -> bool {
    element.attribute("rel").is_some_and(|relation| {
        relation.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word))
    })
}

/// Strips and collapses white space as the standard does for titles.
fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}
