//! What a page may cost here before the tree decides: it cuts pages that are out of proportion, and here nothing is cut.
//!
//! Everything is counted as the tree builder counts it, or as more.

use super::GaveUp;
use crate::html::tree::{TreeBudget, size_of_name};

/// The tree closes elements at 512.
const MAX_DEPTH: u32 = 500;

/// People leave a few formatting elements open at a time, which go on in some hundred paragraphs.
const MAX_RECONSTRUCTED: u32 = 10_000;

/// So many different hints have an index of their own in the tree.
const MAX_HINTS: u32 = 60_000;

/// How often the tree builder looks at each open element for one tag, and in any case.
const LOOKUPS: u64 = 16;

/// Counts what the tree of a page would be.
pub(super) struct Limits {
    budget: TreeBudget,
    size: usize,
    lookups: u64,
    reconstructed: u32,
    hints: u32,
}

impl Limits {
    pub(super) fn new(length: usize) -> Self {
        // The document and a token that exceeds the limit are nodes, too.
        Self { budget: TreeBudget::for_length(length), size: 64, lookups: 0, reconstructed: 0, hints: 0 }
    }

    /// Counts a tag that meets so many open and formatting elements.
    pub(super) fn count_tag(&mut self, open: usize, formatting: usize) -> Result<(), GaveUp> {
        self.lookups += LOOKUPS * (1 + open + formatting) as u64;
        match self.budget.excess(self.size, self.lookups) {
            None => Ok(()),
            Some(_) => Err(GaveUp("the tree is cut")),
        }
    }

    /// Counts the rearrangement of so many open elements.
    pub(super) fn count_rearrangement(&mut self, open: usize, formatting: usize) {
        self.lookups += LOOKUPS * ((1 + open) * (1 + formatting)) as u64;
    }

    /// Counts an element with its attributes.
    pub(super) fn count_element<'a>(
        &mut self,
        name: &str,
        attributes: impl Iterator<Item = &'a str>,
        has_hints: bool,
        depth: u32,
    ) -> Result<(), GaveUp> {
        self.size += size_of_name(name) + attributes.map(size_of_name).sum::<usize>();
        self.hints += u32::from(has_hints);
        if depth > MAX_DEPTH {
            return Err(GaveUp("nested too deeply"));
        }
        if self.hints > MAX_HINTS {
            return Err(GaveUp("too many hints"));
        }
        Ok(())
    }

    /// Counts a text, or the contents of a template.
    pub(super) fn count_node(&mut self) {
        self.size += 1;
    }

    /// Counts an element that goes on.
    pub(super) fn count_reconstructed(&mut self) -> Result<(), GaveUp> {
        self.reconstructed += 1;
        if self.reconstructed > MAX_RECONSTRUCTED {
            return Err(GaveUp("too many formatting elements go on"));
        }
        Ok(())
    }
}
