//! A bounded map that keeps what is used.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map in two generations: what is asked for moves to the young one, and when that is full the
/// old one is dropped. Holds at most twice its limit.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    limit: usize,
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone> Generations<K, V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, young: HashMap::new(), old: HashMap::new() }
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
        let mut map = Generations::new(10);
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
