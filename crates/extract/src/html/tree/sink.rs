//! The arena that html5ever's tree builder builds into.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{Attribute, ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName};

use super::element::{ElementNamespace, classify};
use super::limits::{Budget, MAX_ATTRIBUTES, size_of_name};
use super::{
    AttributeTable, Content, DOCUMENT, Element, Hints, NONE, NOT_IGNORED, Node, NodeIndex, Part, Role, Tree,
};

/// A longer page gets room for the largest tree that it may have.
const LONG_PAGE: usize = 1 << 20;

/// How many nodes the token may make with which a tree exceeds its budget.
const LAST_TOKEN: usize = 4_096;

/// A tree under construction.
pub(super) struct Sink {
    dom: RefCell<Tree>,
    lookups: Cell<u64>,
    /// What long names count for beside the nodes and attributes that have them.
    names_size: Cell<usize>,
    last_depth: Cell<u32>,
}

/// A node with its name, so that the tree builder's stack can be searched without the arena.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    index: NodeIndex,
    name: Name,
}

/// The name of an element.
#[derive(Debug, Clone)]
pub(super) struct Name {
    namespace: Namespace,
    local: LocalName,
}

impl ElemName for &Name {
    #[inline]
    fn ns(&self) -> &Namespace {
        &self.namespace
    }

    #[inline]
    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

impl Sink {
    /// Makes an empty document with room for a page of `length` bytes.
    pub(super) fn with_capacity_for(length: usize, budget: Budget) -> Self {
        // Growing takes twice the memory for a moment; room that stays empty takes none.
        let (capacity, attributes) = if length > LONG_PAGE {
            (budget.size() + LAST_TOKEN, budget.size())
        } else {
            (length / 24 + 16, length / 256)
        };
        let mut nodes = Vec::with_capacity(capacity);
        nodes.push(Node::new(Content::Container));
        let dom = Tree { nodes, attributes: AttributeTable::with_capacity(attributes), cut: None };
        Self {
            dom: RefCell::new(dom),
            lookups: Cell::new(0),
            names_size: Cell::new(0),
            last_depth: Cell::new(0),
        }
    }

    /// Returns how many nodes and attributes were made.
    pub(super) fn size(&self) -> usize {
        let dom = self.dom.borrow();
        dom.nodes.len() + dom.attributes.len() + self.names_size.get()
    }

    /// Writes hints as an attribute of the next tag.
    pub(super) fn hints_attribute(&self, hints: Hints) -> Attribute {
        self.dom.borrow_mut().attributes.hints.attribute_of(hints)
    }

    /// Says why a part of the page is missing.
    pub(super) fn cut(&self, reason: String) {
        self.dom.borrow_mut().cut = Some(reason);
    }

    /// Returns how often the tree builder looked at a node.
    pub(super) fn lookups(&self) -> u64 {
        self.lookups.get()
    }

    /// Returns the depth of the last inserted element since the last call, or 0.
    pub(super) fn take_last_depth(&self) -> u32 {
        self.last_depth.take()
    }

    fn count_lookup(&self) {
        self.lookups.set(self.lookups.get() + 1);
    }

    fn count_names(&self, name: &LocalName, attributes: &[Attribute]) {
        let names = attributes.iter().map(|attribute| &attribute.name.local);
        let extra: usize = names.chain([name]).map(|name| size_of_name(name) - 1).sum();
        self.names_size.set(self.names_size.get() + extra);
    }

    fn note_depth(&self, depth: Option<u32>) {
        if let Some(depth) = depth {
            self.last_depth.set(depth);
        }
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = &'a Name;

    fn finish(self) -> Tree {
        self.dom.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle::anonymous(DOCUMENT)
    }

    #[inline]
    fn elem_name<'a>(&'a self, target: &'a Handle) -> &'a Name {
        self.count_lookup();
        &target.name
    }

    fn create_element(&self, name: QualName, mut attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let QualName { ns: namespace, local, .. } = name;
        let mut dom = self.dom.borrow_mut();
        let hints = dom.attributes.hints.take_from(&mut attributes);
        self.count_names(&local, &attributes);
        let (flow, mut role) = classify(&namespace, &local);
        if flags.mathml_annotation_xml_integration_point {
            role = Role::HtmlAnnotation;
        }
        let (attributes_start, attributes_count) = dom.attributes.keep(attributes);
        let index = dom.make(Content::Element(Element {
            name: local.clone(),
            namespace: ElementNamespace::of(&namespace),
            attributes_start,
            attributes_count,
            flow,
            role,
            part: Part::of_element(&namespace, &local),
            ignored_by: NOT_IGNORED,
            hints,
            chosen: false,
        }));
        if flags.template {
            // The contents follow their template in the arena and hang nowhere in the tree.
            dom.make(Content::Container);
        }
        Handle { index, name: Name { namespace, local } }
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        Handle::anonymous(NONE)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        Handle::anonymous(NONE)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut dom = self.dom.borrow_mut();
        let child = match child {
            NodeOrText::AppendNode(handle) => handle.index,
            NodeOrText::AppendText(text) => {
                let last = dom.node(parent.index).last_child;
                if dom.join_text(last, &text) {
                    return;
                }
                dom.make(Content::Text(text))
            }
        };
        let depth = dom.append(parent.index, child);
        self.note_depth(depth);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = self.dom.borrow_mut().node(element.index).parent != NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous_element, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        Handle::anonymous(target.index + 1)
    }

    #[inline]
    fn same_node(&self, left: &Handle, right: &Handle) -> bool {
        self.count_lookup();
        left.index == right.index
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let mut dom = self.dom.borrow_mut();
        let child = match new_node {
            NodeOrText::AppendNode(handle) => handle.index,
            NodeOrText::AppendText(text) => {
                let previous = dom.node(sibling.index).previous;
                if dom.join_text(previous, &text) {
                    return;
                }
                dom.make(Content::Text(text))
            }
        };
        dom.detach(child);
        let depth = dom.insert_before(sibling.index, child);
        drop(dom);
        self.note_depth(depth);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        let mut dom = self.dom.borrow_mut();
        let Content::Element(element) = &dom.nodes[target.index as usize].content else {
            return;
        };
        let present = dom.attributes(element);
        let mut missing = attributes;
        dom.attributes.hints.take_from(&mut missing);
        missing.retain(|new| present.iter().all(|attribute| attribute.name != new.name));
        missing.truncate(MAX_ATTRIBUTES.saturating_sub(present.len()));
        if missing.is_empty() {
            return;
        }
        let merged = present.iter().cloned().chain(missing).collect();
        let (start, count) = dom.attributes.keep(merged);
        if let Content::Element(element) = &mut dom.node(target.index).content {
            (element.attributes_start, element.attributes_count) = (start, count);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.dom.borrow_mut().detach(target.index);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut dom = self.dom.borrow_mut();
        loop {
            let child = dom.node(node.index).first_child;
            if child == NONE {
                break;
            }
            self.count_lookup();
            dom.detach(child);
            dom.append(new_parent.index, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        let dom = self.dom.borrow();
        matches!(&dom.nodes[handle.index as usize].content,
            Content::Element(element) if element.role == Role::HtmlAnnotation)
    }
}

impl Handle {
    /// A node that is no element: its name is never asked for.
    fn anonymous(index: NodeIndex) -> Self {
        let name = Name { namespace: Namespace::default(), local: LocalName::default() };
        Self { index, name }
    }
}
