//! Who is told what stands on a page, and what there is to tell.

use std::sync::LazyLock;

use recrawl_core::model::content::Unreadable;

use super::GaveUp;
use super::elements::Namespace;
use super::names::{NAMES, Name};
use super::tokens::{Attribute, StartTag};
use crate::html::tree::{Flow, Hints, Meaning, Part, Role};

/// Is told what stands on a page, in the order in which a walk through its tree would tell it.
///
/// Elements that mean nothing are left out: those inside a line that are neither marked nor say anything.
pub(crate) trait Listener<'page> {
    /// An element begins.
    fn enter(&mut self, element: ElementView<'_, 'page>) -> Result<(), Unreadable>;
    /// The element that began last and has not ended ends.
    fn leave(&mut self, flow: Flow);
    /// A text, as whole as it is in the tree.
    fn text(&mut self, text: &str) -> Result<(), Unreadable>;
}

/// An element as a listener sees it.
#[derive(Clone, Copy)]
pub(crate) struct ElementView<'a, 'page> {
    pub(super) tag: &'a StartTag<'page>,
    pub(super) namespace: Namespace,
    pub(super) meaning: Meaning,
    pub(super) attributes: &'a [Attribute<'page>],
    /// What stands in a title.
    pub(super) text: &'a str,
}

impl<'a, 'page> ElementView<'a, 'page> {
    pub(crate) fn name(&self) -> &'a str {
        if self.tag.name == Name::Other { self.tag.spelled } else { self.tag.name.text() }
    }

    pub(crate) fn meaning(&self) -> Meaning {
        self.meaning
    }

    pub(crate) fn hints(&self) -> Option<&'a Hints> {
        (self.tag.hints != Hints::default()).then_some(&self.tag.hints)
    }

    /// Returns the names and values of the attributes that were kept, in source order. In foreign content, `xlink` is a
    /// namespace and no part of a name.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'page str, &'page str)> + use<'a, 'page> {
        let is_html = self.namespace == Namespace::Html;
        self.attributes.iter().map(move |attribute| match attribute.name {
            XLINK if !is_html => ("href", attribute.value),
            name => (name, attribute.value),
        })
    }

    /// Returns the value of an attribute without a namespace.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'page str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value)
    }

    /// Returns the address of a link or image in SVG by its older attribute.
    pub(crate) fn xlink_address(&self) -> Option<&'page str> {
        if self.namespace == Namespace::Html { None } else { self.attribute(XLINK) }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Tells whether a listener may make anything of the element.
    pub(super) fn says_something(&self) -> bool {
        let Meaning { flow, role, part } = self.meaning;
        // A link without an address is as good as none.
        let has_role = !matches!(role, Role::None | Role::Anchor | Role::SvgAnchor | Role::HtmlAnnotation);
        let is_read = |attribute: &Attribute<'_>| !FOR_THE_PARSER.contains(&attribute.name);
        flow != Flow::Inline
            || has_role
            || part != Part::None
            || self.hints().is_some()
            || self.attributes.iter().any(is_read)
    }
}

/// The attribute by which SVG links before it had `href`.
pub(super) const XLINK: &str = "xlink:href";

/// Attributes that are kept because tree construction depends on them; nobody else reads them.
pub(super) const FOR_THE_PARSER: [&str; 4] = ["color", "face", "size", "encoding"];

/// Returns what an element means.
pub(super) fn meaning_of(tag: &StartTag<'_>, namespace: Namespace) -> Meaning {
    static HTML: LazyLock<[Meaning; Name::Other as usize]> =
        LazyLock::new(|| NAMES.map(|(_, text)| Meaning::of_html(text)));
    static SVG: LazyLock<[Meaning; Name::Other as usize]> =
        LazyLock::new(|| NAMES.map(|(_, text)| Meaning::of_svg(text)));
    let known = match namespace {
        Namespace::Html if tag.name == Name::Other && !tag.spelled.contains('-') => {
            return Meaning::of_html(&tag.spelled.to_ascii_lowercase());
        }
        Namespace::Html => HTML.get(tag.name as usize),
        Namespace::Svg => SVG.get(tag.name as usize),
        Namespace::MathMl => None,
    };
    known.copied().unwrap_or(Meaning::NOTHING)
}

/// Tells a listener, and joins the texts that are one in the tree: those with nothing but comments and tags between them
/// that mean nothing.
pub(super) struct Teller<'page, L> {
    listener: L,
    /// How many templates are open: what stands in them is no part of the page.
    templates: u32,
    /// A text that may go on.
    text: &'page str,
    /// The same once it does not stand together in the page.
    joined: String,
}

impl<'page, L: Listener<'page>> Teller<'page, L> {
    pub(super) fn new(listener: L) -> Self {
        Self { listener, templates: 0, text: "", joined: String::new() }
    }

    pub(super) fn into_listener(self) -> L {
        self.listener
    }

    pub(super) fn begin_template(&mut self) {
        self.templates += 1;
    }

    pub(super) fn end_template(&mut self) {
        self.templates -= 1;
    }

    /// Tells whether nothing of what comes is a part of the page.
    pub(super) fn is_silent(&self) -> bool {
        self.templates > 0
    }

    /// Adds a part of a text that stands in the page as it is.
    pub(super) fn text(&mut self, text: &'page str) {
        if self.is_silent() {
        } else if self.text.is_empty() && self.joined.is_empty() {
            self.text = text;
        } else {
            self.join(text);
        }
    }

    /// Adds a part of a text.
    pub(super) fn join(&mut self, text: &str) {
        if !self.is_silent() {
            self.joined.push_str(std::mem::take(&mut self.text));
            self.joined.push_str(text);
        }
    }

    /// The text ends. Returns whether there was one.
    pub(super) fn end_text(&mut self) -> Result<bool, GaveUp> {
        let text = if self.joined.is_empty() { std::mem::take(&mut self.text) } else { &self.joined };
        if text.is_empty() {
            return Ok(false);
        }
        self.listener.text(text)?;
        self.joined.clear();
        Ok(true)
    }

    /// Tells a text that is one by itself, of which nothing may be told before.
    pub(super) fn whole_text(&mut self, text: &str) -> Result<(), GaveUp> {
        Ok(self.listener.text(text)?)
    }

    pub(super) fn enter(&mut self, element: ElementView<'_, 'page>) -> Result<(), GaveUp> {
        if !self.is_silent() {
            self.listener.enter(element)?;
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, flow: Flow) {
        if !self.is_silent() {
            self.listener.leave(flow);
        }
    }
}
