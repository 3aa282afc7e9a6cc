//! Walking through the tree of a page.

use recrawl_core::model::content::Unreadable;

use super::reader::{Findings, PageElement, Reader};
use crate::html::tree::{AttributeTable, Element, Hints, Meaning, NodeIndex, Step, Tree};

/// Reads a whole page, whose attributes were taken out of its tree. The tree is gone before its text is looked at: of a
/// long page, nothing takes more memory.
pub(super) fn read<'text>(
    dom: Tree,
    attributes: &'text AttributeTable,
    mut reader: Reader<'text, '_>,
) -> Result<Findings<'text>, Unreadable> {
    for step in dom.walk() {
        match step {
            Step::Enter(index, element) => {
                reader.enter(TreePosition { dom: &dom, attributes, index, element })?;
            }
            Step::Leave(element) => reader.leave(element.flow),
            Step::Text(text) => reader.text(text)?,
        }
    }
    drop(dom);
    reader.finish()
}

/// An element in its tree.
#[derive(Clone, Copy)]
struct TreePosition<'dom, 'text> {
    dom: &'dom Tree,
    /// Those of all elements, which are kept when the tree is gone.
    attributes: &'text AttributeTable,
    index: NodeIndex,
    element: &'dom Element,
}

impl<'text> PageElement<'text> for TreePosition<'_, 'text> {
    fn name(&self) -> &str {
        self.element.name()
    }

    fn meaning(&self) -> Meaning {
        let Element { flow, role, part, .. } = *self.element;
        Meaning { flow, role, part }
    }

    fn hints(&self) -> Option<&Hints> {
        self.attributes.hints(self.element)
    }

    fn ignored_by(&self) -> Option<u16> {
        self.element.ignored_by()
    }

    fn is_chosen(&self) -> bool {
        self.element.is_chosen()
    }

    fn attribute(&self, name: &str) -> Option<&'text str> {
        self.attributes.value(self.element, name)
    }

    fn attributes(&self) -> impl Iterator<Item = (&'text str, &'text str)> {
        let attributes = self.attributes.of(self.element).iter();
        attributes.map(|attribute| (&*attribute.name.local, &*attribute.value))
    }

    fn xlink_address(&self) -> Option<&'text str> {
        self.attributes.xlink_address(self.element)
    }

    fn child_texts(&self) -> impl Iterator<Item = &str> {
        self.dom.child_texts(self.index)
    }
}
