//! `memos/{sha256(key)}`: a cache or a decision.

use firestore::FirestoreTimestamp;
use recrawl_core::ports::{StateEntry, StateKey, StoreError};
use serde::{Deserialize, Serialize};

use super::binary::Binary;
use super::{cut, time, unreadable};
use crate::compression;

/// The most bytes of a value that are written into a document.
const VALUE_LIMIT: usize = 900_000;

/// A cache or a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StateDocument {
    /// For people, and to list entries by: the name of the document is made from it.
    key: String,
    saved_at: FirestoreTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value_zstd: Option<Binary>,
}

impl StateDocument {
    /// All of its fields.
    pub(crate) const FIELDS: [&str; 4] = ["key", "saved_at", "value", "value_zstd"];

    /// Writes an entry, unless it does not even fit when it is compressed.
    pub(crate) fn new(key: &StateKey, entry: &StateEntry) -> Option<Self> {
        let document = Self {
            key: cut(key.as_str(), 5_000),
            saved_at: time(entry.saved_at),
            value: None,
            value_zstd: None,
        };
        if entry.value.len() <= VALUE_LIMIT {
            return Some(Self { value: Some(entry.value.clone()), ..document });
        }
        let frame = compression::compress(entry.value.as_bytes());
        (frame.len() <= VALUE_LIMIT).then_some(Self { value_zstd: Some(Binary(frame)), ..document })
    }

    /// Reads an entry.
    pub(crate) fn into_entry(self) -> Result<StateEntry, StoreError> {
        let value = match (self.value, self.value_zstd) {
            (Some(value), _) => value,
            (None, Some(frame)) => compression::decompress_text(&frame.0).map_err(unreadable)?,
            (None, None) => return Err(unreadable("an entry without a value")),
        };
        Ok(StateEntry { saved_at: self.saved_at.0, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_entry_is_compressed_and_one_that_never_fits_is_not_saved() {
        let entry = |value: String| StateEntry { saved_at: jiff::Timestamp::UNIX_EPOCH, value };
        for value in [String::new(), "x".repeat(5_000_000)] {
            let document =
                StateDocument::new(&StateKey::job(&"a".parse().unwrap()), &entry(value.clone())).unwrap();
            assert!(document.value.as_ref().is_none_or(|value| value.len() <= VALUE_LIMIT));
            assert_eq!(document.into_entry().unwrap(), entry(value));
        }
        let hash = |number: u32| recrawl_core::model::ids::ContentHash::of(&number.to_le_bytes()).to_string();
        let noise: String = (0..50_000).map(hash).collect();
        assert_eq!(StateDocument::new(&StateKey::job(&"a".parse().unwrap()), &entry(noise)), None);
    }
}
