//! A page's element tree, as the HTML Standard builds it with scripting off.
//!
//! html5gum cuts the text into tokens, html5ever's tree builder decides where they belong, and an
//! arena keeps the result: nodes in one vector, linked by index, so that neither reading nor
//! dropping a tree recurses however deep it is.

use html5ever::LocalName;
use html5ever::interface::Attribute;
use html5ever::tendril::StrTendril;
use recrawl_core::model::content::Unreadable;

use self::element::ElementNamespace;
use self::hints::HintIndex;
use crate::budget::WorkBudget;

pub(crate) use attribute_table::AttributeTable;
pub(crate) use attributes::{Admission, AttributeFilter, Names};
pub(crate) use element::{Flow, Meaning, Part, Role};
pub(crate) use hints::Hints;
pub(crate) use limits::{Budget as TreeBudget, size_of_name};

mod attribute_table;
mod attributes;
mod bridge;
mod edit;
mod element;
mod hints;
mod limits;
mod navigation;
mod sink;
mod source_text;

/// The index of a node in its tree.
pub(crate) type NodeIndex = u32;

/// No node.
const NONE: NodeIndex = NodeIndex::MAX;

/// The document node of every tree.
pub(crate) const DOCUMENT: NodeIndex = 0;

/// No selector leaves the element out.
const NOT_IGNORED: u16 = u16::MAX;

/// A parsed page.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    attributes: AttributeTable,
    /// Why a part of the page is missing, in words.
    cut: Option<String>,
}

/// Small, because a page may have a million of them.
struct Node {
    parent: NodeIndex,
    previous: NodeIndex,
    next: NodeIndex,
    first_child: NodeIndex,
    last_child: NodeIndex,
    depth: u32,
    content: Content,
}

enum Content {
    /// A document, or the inert contents of a template.
    Container,
    Text(StrTendril),
    Element(Element),
}

/// What is kept of an element.
pub(crate) struct Element {
    name: LocalName,
    namespace: ElementNamespace,
    attributes_start: u32,
    attributes_count: u16,
    /// How the element divides the text around it.
    pub(crate) flow: Flow,
    /// What the element can say about the page.
    pub(crate) role: Role,
    /// What part of the page the element is, by its name.
    pub(crate) part: Part,
    /// The number of the user's selector that leaves the element out, or [`NOT_IGNORED`].
    ignored_by: u16,
    /// What the attributes say about where its text stands.
    hints: HintIndex,
    /// Whether the user limits the page to this element and others.
    chosen: bool,
}

/// A step of a walk through a tree in document order.
pub(crate) enum Step<'dom> {
    /// An element begins.
    Enter(NodeIndex, &'dom Element),
    /// The element ends.
    Leave(&'dom Element),
    /// A piece of text.
    Text(&'dom StrTendril),
}

impl Tree {
    /// Parses a page, keeping the attributes that `filter` admits.
    ///
    /// A tree that is out of proportion to its page is [cut](Self::take_cut).
    pub(crate) fn parse(
        html: &str,
        filter: &AttributeFilter,
        budget: &WorkBudget,
    ) -> Result<Self, Unreadable> {
        bridge::parse(html, filter, budget)
    }

    /// Takes out why a part of the page is missing, in words.
    pub(crate) fn take_cut(&mut self) -> Option<String> {
        self.cut.take()
    }

    /// Walks the tree in document order. The contents of templates are not part of it.
    pub(crate) fn walk(&self) -> Walk<'_> {
        Walk { dom: self, next: self.nodes[DOCUMENT as usize].first_child, leaving: false }
    }

    /// Takes the attributes out, which can be kept when the nodes are gone.
    pub(crate) fn take_attributes(&mut self) -> AttributeTable {
        std::mem::take(&mut self.attributes)
    }

    /// Returns the value of an attribute without a namespace.
    pub(crate) fn attribute(&self, element: &Element, name: &str) -> Option<&str> {
        self.attributes.value(element, name)
    }

    /// Returns the kept attributes of an element, in source order.
    pub(crate) fn attributes(&self, element: &Element) -> &[Attribute] {
        self.attributes.of(element)
    }

    /// Leaves an element and what it contains out, by the selector of this number.
    pub(crate) fn ignore(&mut self, index: NodeIndex, selector: u16) {
        if let Content::Element(element) = &mut self.nodes[index as usize].content {
            element.ignored_by = element.ignored_by().unwrap_or(selector);
        }
    }

    /// Limits the page to this element, what it contains, and others that are chosen.
    pub(crate) fn choose(&mut self, index: NodeIndex) {
        if let Content::Element(element) = &mut self.nodes[index as usize].content {
            element.chosen = true;
        }
    }

    /// Returns the pieces of text directly inside an element.
    pub(crate) fn child_texts(&self, index: NodeIndex) -> impl Iterator<Item = &str> {
        let child = |index: NodeIndex| self.nodes.get(index as usize);
        let first = child(self.nodes[index as usize].first_child);
        std::iter::successors(first, move |node| child(node.next)).filter_map(|node| match &node.content {
            Content::Text(text) => Some(&**text),
            Content::Container | Content::Element(_) => None,
        })
    }
}

impl Element {
    /// Returns the element's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of the user's selector that leaves the element out.
    pub(crate) fn ignored_by(&self) -> Option<u16> {
        (self.ignored_by != NOT_IGNORED).then_some(self.ignored_by)
    }

    /// Tells whether the user limits the page to this element and others.
    pub(crate) fn is_chosen(&self) -> bool {
        self.chosen
    }
}

/// An iterator over the steps of a walk.
pub(crate) struct Walk<'dom> {
    dom: &'dom Tree,
    next: NodeIndex,
    leaving: bool,
}

impl<'dom> Iterator for Walk<'dom> {
    type Item = Step<'dom>;

    fn next(&mut self) -> Option<Step<'dom>> {
        loop {
            let index = self.next;
            let node = self.dom.nodes.get(index as usize)?;
            let leaving = self.leaving;
            if !leaving && node.first_child != NONE {
                self.next = node.first_child;
            } else if !leaving && matches!(node.content, Content::Element(_)) {
                self.leaving = true;
            } else if node.next != NONE {
                self.next = node.next;
                self.leaving = false;
            } else {
                // The document is the only parent without a parent; leaving it ends the walk.
                self.next = if node.parent == DOCUMENT { NONE } else { node.parent };
                self.leaving = true;
            }
            match &node.content {
                Content::Element(element) if leaving => return Some(Step::Leave(element)),
                Content::Element(element) => return Some(Step::Enter(index, element)),
                Content::Text(text) => return Some(Step::Text(text)),
                Content::Container => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_nodes_take_48_mb() {
        assert_eq!(size_of::<Node>(), 48);
    }
}
