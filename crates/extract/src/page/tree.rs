//! Reading a page through its tree, whatever its markup is like.

use std::borrow::Cow;

use recrawl_core::content::Unreadable;

use super::reader::{Findings, Reader, Tag};
use crate::budget::WorkBudget;
use crate::dom::{Dom, Element, Flow, NodeIndex, Role, Step};

/// Reads a whole page.
pub(super) fn read<'dom>(
    dom: &'dom Dom,
    mut reader: Reader<'dom, '_>,
    budget: &WorkBudget,
) -> Result<Findings<'dom>, Unreadable> {
    for step in dom.walk() {
        budget.work(1)?;
        match step {
            Step::Enter(index, element) => reader.enter(&Place { dom, index, element }),
            Step::Leave(element) => reader.leave(element.flow),
            Step::Text(text) => {
                budget.work_on(text)?;
                reader.text(text);
            }
        }
    }
    Ok(reader.finish())
}

/// An element in its tree.
struct Place<'dom> {
    dom: &'dom Dom,
    index: NodeIndex,
    element: &'dom Element,
}

impl<'dom> Tag<'dom> for Place<'dom> {
    fn name(&self) -> &str {
        self.element.name()
    }

    fn flow(&self) -> Flow {
        self.element.flow
    }

    fn role(&self) -> Role {
        self.element.role
    }

    fn ignored_by(&self) -> Option<u32> {
        self.element.ignored_by()
    }

    fn may_be_noise(&self) -> bool {
        self.has_attributes()
    }

    fn is_chosen(&self) -> bool {
        self.element.is_chosen()
    }

    fn has_attributes(&self) -> bool {
        !self.dom.attributes(self.element).is_empty()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'dom, str>> {
        self.dom.attribute(self.element, name).map(Cow::Borrowed)
    }

    fn xlink_address(&self) -> Option<Cow<'dom, str>> {
        self.dom.xlink_address(self.element).map(Cow::Borrowed)
    }

    fn each_value(&self, name: &str, write: &mut dyn FnMut(&str)) {
        for attribute in self.dom.attributes(self.element) {
            if (*attribute.name.local).eq_ignore_ascii_case(name) {
                write(&attribute.value);
            }
        }
    }

    fn child_text(&self) -> Cow<'dom, str> {
        Cow::Owned(self.dom.child_text(self.index))
    }
}
