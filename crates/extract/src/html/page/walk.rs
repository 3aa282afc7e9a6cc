//! Walking through the tree of a page.

use recrawl_core::model::content::Unreadable;

use super::reader::{Findings, Reader, TreePosition};
use crate::html::tree::{Step, Tree};

/// Reads a whole page.
pub(super) fn read<'dom>(
    dom: &'dom Tree,
    mut reader: Reader<'dom, '_>,
) -> Result<Findings<'dom>, Unreadable> {
    for step in dom.walk() {
        match step {
            Step::Enter(index, element) => reader.enter(TreePosition { dom, index, element })?,
            Step::Leave(element) => reader.leave(element.flow),
            Step::Text(text) => reader.text(text)?,
        }
    }
    reader.finish()
}
