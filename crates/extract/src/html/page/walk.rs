//! Walking through the tree of a page.

use recrawl_core::model::content::Unreadable;

use super::reader::{Findings, Reader, TreePosition};
use crate::html::tree::{AttributeTable, Step, Tree};

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
