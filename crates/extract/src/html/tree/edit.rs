//! Changes to a tree under construction.
//!
//! The index [`NONE`] stands for comments, which no tree keeps: inserting or removing one does
//! nothing.

use html5ever::tendril::StrTendril;

use super::{Content, NONE, Node, NodeIndex, Tree};

impl Node {
    pub(super) fn new(content: Content) -> Self {
        Self {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first_child: NONE,
            last_child: NONE,
            depth: 0,
            content,
        }
    }
}

impl Tree {
    /// Adds a node that hangs nowhere yet.
    pub(super) fn make(&mut self, content: Content) -> NodeIndex {
        let index = NodeIndex::try_from(self.nodes.len()).expect("the budget bounds the nodes");
        self.nodes.push(Node::new(content));
        index
    }

    pub(super) fn node(&mut self, index: NodeIndex) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// Appends a node that has no parent; returns its depth if it is an element.
    pub(super) fn append(&mut self, parent: NodeIndex, child: NodeIndex) -> Option<u32> {
        if child == NONE {
            return None;
        }
        let parent_node = self.node(parent);
        let depth = parent_node.depth + 1;
        let previous = std::mem::replace(&mut parent_node.last_child, child);
        if previous == NONE {
            parent_node.first_child = child;
        } else {
            self.node(previous).next = child;
        }
        let node = self.node(child);
        node.parent = parent;
        node.previous = previous;
        node.depth = depth;
        matches!(node.content, Content::Element(_)).then_some(depth)
    }

    /// Inserts a node that has no parent before its new sibling.
    pub(super) fn insert_before(&mut self, sibling: NodeIndex, child: NodeIndex) -> Option<u32> {
        if child == NONE {
            return None;
        }
        let sibling_node = self.node(sibling);
        let (parent, depth) = (sibling_node.parent, sibling_node.depth);
        let previous = std::mem::replace(&mut sibling_node.previous, child);
        if previous == NONE {
            self.node(parent).first_child = child;
        } else {
            self.node(previous).next = child;
        }
        let node = self.node(child);
        node.parent = parent;
        node.previous = previous;
        node.next = sibling;
        node.depth = depth;
        matches!(node.content, Content::Element(_)).then_some(depth)
    }

    /// Takes a node out of its parent, if it has one.
    pub(super) fn detach(&mut self, index: NodeIndex) {
        if index == NONE {
            return;
        }
        let node = self.node(index);
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        if parent == NONE {
            return;
        }
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
        match previous {
            NONE => self.node(parent).first_child = next,
            previous => self.node(previous).next = next,
        }
        match next {
            NONE => self.node(parent).last_child = previous,
            next => self.node(next).previous = previous,
        }
    }

    /// Appends `text` to a node; tells whether that is a text, and took it.
    pub(super) fn join_text(&mut self, index: NodeIndex, text: &StrTendril) -> bool {
        match self.nodes.get_mut(index as usize) {
            Some(Node { content: Content::Text(earlier), .. }) => {
                // What stands together in the source stays a part of it.
                earlier.push_tendril(text);
                true
            }
            Some(_) | None => false,
        }
    }
}
