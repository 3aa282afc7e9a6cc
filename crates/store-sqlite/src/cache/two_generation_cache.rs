//! A bounded map that keeps what is used (a cache like LRU).
//!
//! Why: addresses are read by number again and again. `quick_cache` with the same hasher took a quarter longer for an access,
//! with the same share of hits.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

/// A map in two generations: what is asked for moves to the young one, and when that is full the
/// old one is dropped. Holds at most twice its limit.
#[derive(Debug)]
pub(crate) struct TwoGenerationCache<K, V, S = BuildHasherDefault<Mixer>> {
    limit: usize,
    young: HashMap<K, V, S>,
    old: HashMap<K, V, S>,
}

/// Hashes keys that nobody outside chooses: numbers of ours, and fingerprints, which are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, value: u64) {
        let product = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.mix(u64::from(*byte));
        }
    }

    fn write_i64(&mut self, number: i64) {
        self.mix(number.cast_unsigned());
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half of a hash is one")]
    fn write_u128(&mut self, fingerprint: u128) {
        self.mix(fingerprint as u64);
    }
}

impl<K: Eq + Hash, V: Clone, S: BuildHasher + Default> TwoGenerationCache<K, V, S> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, young: HashMap::default(), old: HashMap::default() }
    }

    pub(crate) fn get<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.limit {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(crate) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_what_is_not_goes() {
        let mut map: TwoGenerationCache<i64, i64> = TwoGenerationCache::new(10);
        map.insert(0, 0);
        for number in 1..100 {
            map.insert(number, number);
            assert_eq!(map.get(&0), Some(0), "after {number}");
            assert!(map.young.len() + map.old.len() <= 20);
        }
        assert_eq!(map.get(&1), None);
        map.clear();
        assert_eq!(map.get(&0), None);
    }
}
