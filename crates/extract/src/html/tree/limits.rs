//! Limits against denial of service that keep a hostile page from costing more than its size.
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

/// No tree is larger, however long its page is.
const MAX_SIZE: usize = 1_000_000;

/// Every tree may be this large, however short its page is.
const FREE_SIZE: usize = 10_000;

/// Names of up to so many bytes take no memory of their own.
const INLINE_NAME: usize = 7;

/// What the tree of one page may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    length: usize,
    size: usize,
    lookups: u64,
}

impl Budget {
    /// Returns the budget of a page of `length` bytes.
    pub(crate) fn for_length(length: usize) -> Self {
        // A byte of a page that people made costs less than a third of a node and a few lookups.
        let size = (length / 3).min(MAX_SIZE) + FREE_SIZE;
        Self { length, size, lookups: 50_000_000 + 40 * length as u64 }
    }

    /// Returns how many nodes and attributes there may be.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns why the rest of a page is not read, if its tree is out of proportion to it.
    pub(crate) fn excess(&self, size: usize, lookups: u64) -> Option<String> {
        let Self { length, .. } = self;
        if size > self.size {
            let limit = self.size;
            return Some(format!(
                "only a part was read: its {length} bytes make more than {limit} elements, attributes and texts"
            ));
        }
        (lookups > self.lookups)
            .then(|| format!("only a part was read: its {length} bytes are nested too intricately"))
    }
}

/// Returns what an element or attribute of this name counts for.
pub(crate) fn size_of_name(name: &str) -> usize {
    if name.len() <= INLINE_NAME { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_bounded_by_the_length_of_its_page_and_by_a_fixed_number() {
        for (length, size) in [(0, 10_000), (30_000, 20_000), (3_000_000, 1_010_000), (1 << 30, 1_010_000)] {
            let budget = Budget::for_length(length);
            assert_eq!(budget.size(), size, "{length}");
            assert_eq!(budget.excess(size, 0), None);
            assert!(budget.excess(size + 1, 0).is_some_and(|reason| reason.contains(&size.to_string())));
            assert!(budget.excess(0, u64::MAX).is_some());
        }
    }
}
