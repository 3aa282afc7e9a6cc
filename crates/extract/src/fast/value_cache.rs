//! What classes and ids say, remembered by their hashes while a page is parsed.
//!
//! Why: a page has thousands of classes and a few dozen different ones. The plain twin reads each of them again. Two
//! values of one hash would be taken for each other, which nobody meets but who makes such a page.

use xxhash_rust::xxh3::xxh3_64;

const SLOTS: usize = 256;

/// A small cache from a value to what was found out about it.
pub(crate) struct ValueCache<T> {
    slots: Vec<Option<(u64, T)>>,
}

impl<T: Copy> ValueCache<T> {
    /// Makes an empty cache.
    pub(crate) fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// Returns what `find_out` says about a value.
    pub(crate) fn get(&mut self, value: &[u8], find_out: impl FnOnce() -> T) -> T {
        if !super::ON {
            return find_out();
        }
        let hash = xxh3_64(value);
        let slot = usize::from((hash >> 56) as u8);
        match self.slots[slot] {
            Some((cached, known)) if cached == hash => known,
            _ => {
                let known = find_out();
                self.slots[slot] = Some((hash, known));
                known
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_out_about_once_and_stay_apart() {
        let mut cache = ValueCache::new();
        let values: Vec<String> = (0..2_000).map(|number| format!("class-{number}")).collect();
        for value in values.iter().chain(&values) {
            assert_eq!(cache.get(value.as_bytes(), || value.len()), value.len());
        }
        if crate::fast::ON {
            assert_eq!(cache.get(b"twice", || 1), 1);
            assert_eq!(cache.get(b"twice", || 2), 1);
        }
    }
}
