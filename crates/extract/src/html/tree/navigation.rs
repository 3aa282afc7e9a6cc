//! Going from node to node of a finished tree.

use html5ever::{LocalName, Namespace};

use super::{Content, DOCUMENT, Element, NONE, Node, NodeIndex, Tree};

impl Tree {
    /// Returns the element at a node, if it is one.
    pub(crate) fn element(&self, index: NodeIndex) -> Option<&Element> {
        match &self.nodes.get(index as usize)?.content {
            Content::Element(element) => Some(element),
            Content::Container | Content::Text(_) => None,
        }
    }

    /// Returns the node around a node.
    pub(crate) fn parent(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.beside(index, |node| node.parent)
    }

    /// Returns the node before a node, below the same one.
    pub(crate) fn previous(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.beside(index, |node| node.previous)
    }

    /// Returns the node after a node, below the same one.
    pub(crate) fn next(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.beside(index, |node| node.next)
    }

    /// Returns the first node inside a node.
    pub(crate) fn first_child(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.beside(index, |node| node.first_child)
    }

    /// Tells whether a node stands in the document itself.
    pub(crate) fn is_root(&self, index: NodeIndex) -> bool {
        self.parent(index) == Some(DOCUMENT)
    }

    fn beside(&self, index: NodeIndex, link: impl Fn(&Node) -> NodeIndex) -> Option<NodeIndex> {
        self.nodes.get(index as usize).map(link).filter(|beside| *beside != NONE)
    }
}

impl Element {
    /// Returns the element's name as it is compared.
    pub(crate) fn local_name(&self) -> &LocalName {
        &self.name
    }

    /// Returns the element's namespace.
    pub(crate) fn namespace(&self) -> Namespace {
        self.namespace.name()
    }
}
