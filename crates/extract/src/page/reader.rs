//! One walk through a page's tree, gathering all that is read from it.

use html5ever::{local_name, ns};

use super::directives::RobotsDirectives;
use super::refresh::refresh_target;
use crate::dom::{Dom, Element, Flow, NodeIndex, Role, Step};
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
#[derive(Default)]
pub(super) struct Findings<'dom> {
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) robots: RobotsDirectives,
    pub(super) base: Option<&'dom str>,
    pub(super) links: Vec<RawLink<'dom>>,
    pub(super) text: String,
}

/// Reads a whole page.
pub(super) fn read<'dom>(dom: &'dom Dom, rules: &TextRules, length: usize) -> Findings<'dom> {
    let mut reader = Reader {
        dom,
        rules,
        findings: Findings::default(),
        writer: TextWriter::with_capacity(length / 2),
        silenced_by: None,
    };
    for step in dom.walk() {
        match step {
            Step::Enter(index, element) => reader.enter(index, element),
            Step::Leave(index, element) => reader.leave(index, element),
            Step::Text(text) => {
                if reader.silenced_by.is_none() {
                    reader.writer.push(text);
                }
            }
        }
    }
    let text = rules.clean(reader.writer.finish());
    Findings { text, ..reader.findings }
}

struct Reader<'dom, 'rules> {
    dom: &'dom Dom,
    rules: &'rules TextRules,
    findings: Findings<'dom>,
    writer: TextWriter,
    /// The outermost element around the current place whose text does not count.
    silenced_by: Option<NodeIndex>,
}

impl<'dom> Reader<'dom, '_> {
    fn enter(&mut self, index: NodeIndex, element: &'dom Element) {
        if element.role != Role::None {
            self.read_element(index, element);
        }
        if self.silenced_by.is_some() {
            return;
        }
        self.divide_text(element);
        if element.is_silent() {
            self.silenced_by = Some(index);
        } else {
            self.write_attributes(element);
        }
    }

    fn leave(&mut self, index: NodeIndex, element: &'dom Element) {
        if self.silenced_by == Some(index) {
            self.silenced_by = None;
        }
        if self.silenced_by.is_none() {
            self.divide_text(element);
        }
    }

    fn divide_text(&mut self, element: &Element) {
        match element.flow {
            Flow::Inline | Flow::Dropped => {}
            Flow::Word => self.writer.break_word(),
            Flow::Block => self.writer.break_line(),
        }
    }

    fn write_attributes(&mut self, element: &Element) {
        let attributes = self.dom.attributes(element);
        if attributes.is_empty() || self.carries_token(element) {
            return;
        }
        for name in self.rules.keep_attributes() {
            let is_wanted = |local: &str| local.eq_ignore_ascii_case(name);
            for attribute in attributes.iter().filter(|attribute| is_wanted(&attribute.name.local)) {
                self.writer.break_line();
                self.writer.push("[");
                self.writer.push(name);
                self.writer.push("=");
                self.writer.push(attribute.value.trim());
                self.writer.push("]");
                self.writer.break_line();
            }
        }
    }

    fn carries_token(&self, element: &Element) -> bool {
        if element.role != Role::Input || !self.rules.applies(NoiseRule::FormTokens) {
            return false;
        }
        let kind = self.dom.attribute(element, &local_name!("type"));
        let name = self.dom.attribute(element, &local_name!("name"));
        kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case("hidden"))
            || name.is_some_and(|name| TOKEN_INPUTS.contains(&name.to_ascii_lowercase().as_str()))
    }

    fn read_element(&mut self, index: NodeIndex, element: &'dom Element) {
        match element.role {
            Role::None | Role::Input | Role::HtmlAnnotation => {}
            Role::Root => {
                self.findings.language = self
                    .dom
                    .attribute(element, &local_name!("lang"))
                    .map(str::trim)
                    .filter(|language| !language.is_empty())
                    .map(str::to_owned);
            }
            Role::Title => {
                if self.findings.title.is_none() {
                    self.findings.title = Some(collapse(&self.dom.child_text(index)));
                }
            }
            Role::Base => {
                let href = self.dom.attribute(element, &local_name!("href"));
                self.findings.base = self.findings.base.or(href);
            }
            Role::Anchor => {
                let href = self.dom.attribute(element, &local_name!("href"));
                self.add_link(element, href, LinkKind::Anchor);
            }
            Role::SvgAnchor => {
                let href = self
                    .dom
                    .attribute(element, &local_name!("href"))
                    .or_else(|| self.dom.attribute_in(element, &ns!(xlink), &local_name!("href")));
                self.add_link(element, href, LinkKind::Anchor);
            }
            Role::Frame => {
                let source = self.dom.attribute(element, &local_name!("src"));
                self.add_link(element, source, LinkKind::Frame);
            }
            Role::Link => self.read_link(element),
            Role::Meta => self.read_meta(element),
        }
    }

    fn read_link(&mut self, element: &'dom Element) {
        let says = |word| self.relation_says(element, word);
        let kind = if says("canonical") {
            LinkKind::Canonical
        } else if says("next") {
            LinkKind::Next
        } else if says("alternate") && !says("stylesheet") {
            LinkKind::Alternate
        } else {
            return;
        };
        let href = self.dom.attribute(element, &local_name!("href"));
        // An empty `link` address means nothing by the standard; an empty `a` means this page.
        self.add_link(element, href.filter(|href| !href.is_empty()), kind);
    }

    fn read_meta(&mut self, element: &'dom Element) {
        let Some(content) = self.dom.attribute(element, &local_name!("content")) else {
            return;
        };
        if let Some(name) = self.dom.attribute(element, &local_name!("name")) {
            self.findings.robots.read_meta(name, content);
        }
        let pragma = self.dom.attribute(element, &local_name!("http-equiv"));
        if pragma.is_some_and(|pragma| pragma.eq_ignore_ascii_case("refresh")) {
            self.add_link(element, refresh_target(content), LinkKind::Refresh);
        }
    }

    fn add_link(&mut self, element: &Element, target: Option<&'dom str>, kind: LinkKind) {
        if let Some(target) = target {
            let nofollow = self.relation_says(element, "nofollow");
            self.findings.links.push(RawLink { target, kind, nofollow });
        }
    }

    fn relation_says(&self, element: &Element, word: &str) -> bool {
        self.dom.attribute(element, &local_name!("rel")).is_some_and(|relation| {
            relation.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word))
        })
    }
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
