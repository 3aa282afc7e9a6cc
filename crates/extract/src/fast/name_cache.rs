//! Interned names of elements and attributes, without hashing the common ones again and again.
//!
//! Why: a page has thousands of tags and a few dozen names. The plain twin interns each name.

use html5ever::LocalName;

const SLOTS: usize = 256;

/// A small cache from the bytes of a name to its interned form.
pub(crate) struct NameCache {
    slots: Vec<Option<(u64, LocalName)>>,
}

impl NameCache {
    /// Makes an empty cache.
    pub(crate) fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// Returns the interned form of a name.
    pub(crate) fn intern(&mut self, name: &[u8]) -> LocalName {
        let Some(key) = pack(name).filter(|_| super::ON) else {
            return to_local_name(name);
        };
        // Fibonacci hashing: the top bits of the product depend on every byte of the key.
        let slot = usize::from((key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8);
        match &self.slots[slot] {
            Some((cached, interned)) if *cached == key => interned.clone(),
            _ => {
                let interned = to_local_name(name);
                self.slots[slot] = Some((key, interned.clone()));
                interned
            }
        }
    }
}

/// Packs a name of up to eight bytes into a number that no other such name has.
fn pack(name: &[u8]) -> Option<u64> {
    // Names hold no zero bytes (the tokenizer replaces them), so padding with zeros is unambiguous.
    (name.len() <= 8).then(|| name.iter().fold(0, |key, byte| (key << 8) | u64::from(*byte)))
}

fn to_local_name(name: &[u8]) -> LocalName {
    LocalName::from(&*String::from_utf8_lossy(name))
}

#[cfg(test)]
mod tests {
    use super::NameCache;

    #[test]
    fn names_are_the_same_from_the_cache() {
        let mut cache = NameCache::new();
        for name in ["a", "div", "template", "custom-element", "h1", "\u{fffd}x", ""] {
            let first = cache.intern(name.as_bytes());
            let second = cache.intern(name.as_bytes());
            assert_eq!(&*first, name);
            assert_eq!(first, second);
        }
    }

    #[test]
    fn names_that_share_a_slot_stay_apart() {
        let mut cache = NameCache::new();
        let names: Vec<String> = (0..2000).map(|number| format!("x{number}")).collect();
        for name in names.iter().chain(&names) {
            assert_eq!(&*cache.intern(name.as_bytes()), name.as_str());
        }
    }
}
