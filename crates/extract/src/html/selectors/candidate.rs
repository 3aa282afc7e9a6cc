//! An element as selectors see it.

use html5ever::{Namespace, local_name, ns};
use scraper::selector::{CssLocalName, CssString, NonTSPseudoClass, PseudoElement, Simple};
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::matching::{ElementSelectorFlags, MatchingContext};
use selectors::{Element as Selectable, OpaqueElement};

use super::Steps;
use crate::html::tree::{Element, NodeIndex, Tree};

/// So many bytes of an attribute are read in a step.
const BYTES_A_STEP: usize = 32;

/// An element that may match. Once no steps are left, it stands alone and has no attributes, so that whatever
/// walks comes to its end.
#[derive(Clone)]
pub(super) struct Candidate<'a> {
    dom: &'a Tree,
    index: NodeIndex,
    element: &'a Element,
    steps: &'a Steps<'a>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(dom: &'a Tree, index: NodeIndex, element: &'a Element, steps: &'a Steps<'a>) -> Self {
        Self { dom, index, element, steps }
    }

    /// Goes from node to node until there is an element.
    fn walk(
        &self,
        first: Option<NodeIndex>,
        next: impl Fn(&Tree, NodeIndex) -> Option<NodeIndex>,
    ) -> Option<Self> {
        let mut node = first;
        while let Some(index) = node {
            if !self.steps.take(1) {
                return None;
            }
            if let Some(element) = self.dom.element(index) {
                return Some(Self { index, element, ..self.clone() });
            }
            node = next(self.dom, index);
        }
        None
    }

    /// Returns the value of an attribute without a namespace, which is about to be read.
    fn value(&self, name: &str) -> Option<&'a str> {
        let value = self.dom.attribute(self.element, name)?;
        self.steps.take(1 + value.len() / BYTES_A_STEP).then_some(value)
    }
}

impl std::fmt::Debug for Candidate<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "<{}>", self.element.name())
    }
}

impl Selectable for Candidate<'_> {
    type Impl = Simple;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.element)
    }

    fn parent_element(&self) -> Option<Self> {
        self.walk(self.dom.parent(self.index), |_, _| None)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.walk(self.dom.previous(self.index), Tree::previous)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.walk(self.dom.next(self.index), Tree::next)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.walk(self.dom.first_child(self.index), Tree::next)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.element.namespace() == ns!(html)
    }

    fn has_local_name(&self, name: &CssLocalName) -> bool {
        *self.element.local_name() == name.0
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.element.namespace() == *namespace
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.element.local_name() == other.element.local_name()
            && self.element.namespace() == other.element.namespace()
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Namespace>,
        name: &CssLocalName,
        operation: &AttrSelectorOperation<&CssString>,
    ) -> bool {
        let attributes = self.dom.attributes(self.element);
        self.steps.take(1 + attributes.len() / BYTES_A_STEP)
            && attributes.iter().any(|attribute| {
                !matches!(namespace, NamespaceConstraint::Specific(wanted) if **wanted != attribute.name.ns)
                    && attribute.name.local == name.0
                    && self.steps.take(attribute.value.len() / BYTES_A_STEP)
                    && operation.eval_str(&attribute.value)
            })
    }

    fn match_non_ts_pseudo_class(
        &self,
        class: &NonTSPseudoClass,
        _context: &mut MatchingContext<'_, Simple>,
    ) -> bool {
        match *class {}
    }

    fn match_pseudo_element(
        &self,
        element: &PseudoElement,
        _context: &mut MatchingContext<'_, Simple>,
    ) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        *self.element.local_name() == local_name!("link")
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &CssLocalName, case: CaseSensitivity) -> bool {
        self.value("id").is_some_and(|value| case.eq(id.0.as_bytes(), value.as_bytes()))
    }

    fn has_class(&self, name: &CssLocalName, case: CaseSensitivity) -> bool {
        self.value("class").is_some_and(|value| {
            value.split_ascii_whitespace().any(|class| case.eq(name.0.as_bytes(), class.as_bytes()))
        })
    }

    fn has_custom_state(&self, _name: &CssLocalName) -> bool {
        false
    }

    fn imported_part(&self, _name: &CssLocalName) -> Option<CssLocalName> {
        None
    }

    fn is_part(&self, _name: &CssLocalName) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.dom.first_child(self.index).is_none()
    }

    fn is_root(&self) -> bool {
        self.dom.is_root(self.index)
    }

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}
