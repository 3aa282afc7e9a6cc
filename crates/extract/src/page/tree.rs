//! Walking through the tree of a page.

use recrawl_core::content::Unreadable;

use super::reader::{Findings, Place, Reader};
use crate::budget::WorkBudget;
use crate::dom::{Dom, Step};

/// Reads a whole page.
pub(super) fn read<'dom>(
    dom: &'dom Dom,
    mut reader: Reader<'dom, '_>,
    budget: &WorkBudget,
) -> Result<Findings<'dom>, Unreadable> {
    for step in dom.walk() {
        budget.work(1)?;
        match step {
            Step::Enter(index, element) => reader.enter(Place { dom, index, element }),
            Step::Leave(element) => reader.leave(element.flow),
            Step::Text(text) => {
                budget.work_on(text)?;
                reader.text(text);
            }
        }
    }
    Ok(reader.finish())
}
