//! Bounds that keep a hostile page from costing more than its size.
//!
//! The tree builder walks its stack of open elements for most tags, and may repeat every unclosed
//! formatting element in every paragraph. Both are quadratic in the worst case.

/// Elements deeper than this are closed at once, so that what they would contain follows them.
///
/// Browsers do the same at the same depth; pages that people made stay far below.
pub(super) const MAX_DEPTH: u32 = 512;

/// Further attributes of an element are kept only if something reads them, because each is compared with those
/// before it.
pub(super) const MAX_ATTRIBUTES: usize = 256;

/// What the tree of one page may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    nodes: usize,
    lookups: u64,
}

impl Budget {
    /// Returns the budget of a page of `length` bytes.
    pub(super) fn for_length(length: usize) -> Self {
        // A byte of a page that people made costs less than half a node and a few lookups.
        Self { nodes: 100_000 + length, lookups: 50_000_000 + 40 * length as u64 }
    }

    /// Tells whether a tree is out of proportion to its page: the rest of the page is not read.
    pub(super) fn is_spent(&self, nodes: usize, lookups: u64) -> bool {
        nodes > self.nodes || lookups > self.lookups
    }
}
