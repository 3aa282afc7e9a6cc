//! The attributes of a page that were kept, apart from its nodes.

use html5ever::interface::Attribute;
use html5ever::{Namespace, ns};

use super::Element;
use super::hints::{HintTable, Hints};

/// The attributes that were kept of a page, and what they say about where its text stands.
///
/// Apart from the nodes: what a page says refers to these until its end, and the nodes take many times as much memory.
#[derive(Default)]
pub(crate) struct AttributeTable {
    all: Vec<Attribute>,
    pub(super) hints: HintTable,
}

impl AttributeTable {
    /// Makes a table with room for so many attributes.
    pub(super) fn with_capacity(attributes: usize) -> Self {
        Self { all: Vec::with_capacity(attributes), hints: HintTable::default() }
    }

    /// Returns how many attributes there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds the attributes of an element; returns where they begin, and how many there are.
    pub(super) fn keep(&mut self, attributes: Vec<Attribute>) -> (u32, u16) {
        let start = u32::try_from(self.all.len()).expect("a page has fewer attributes than bytes");
        // What nobody reads has no room in an element with many attributes, and there are few names that somebody reads.
        let count = u16::try_from(attributes.len()).unwrap_or(u16::MAX);
        self.all.extend(attributes.into_iter().take(count.into()));
        (start, count)
    }

    /// Returns the attributes of an element, in source order.
    pub(crate) fn of(&self, element: &Element) -> &[Attribute] {
        &self.all[element.attributes_start as usize..][..element.attributes_count.into()]
    }

    /// Returns the value of an attribute without a namespace.
    pub(crate) fn value(&self, element: &Element, name: &str) -> Option<&str> {
        self.value_in(element, &ns!(), name)
    }

    /// Returns the value of `xlink:href`.
    pub(crate) fn xlink_address(&self, element: &Element) -> Option<&str> {
        self.value_in(element, &ns!(xlink), "href")
    }

    /// Returns what the attributes of an element say about where its text stands.
    pub(crate) fn hints(&self, element: &Element) -> Option<&Hints> {
        (element.hints != 0).then(|| self.hints.get(element.hints))
    }

    fn value_in(&self, element: &Element, namespace: &Namespace, name: &str) -> Option<&str> {
        self.of(element)
            .iter()
            .find(|attribute| *attribute.name.local == *name && attribute.name.ns == *namespace)
            .map(|attribute| &*attribute.value)
    }
}
