//! `memos/{sha256(key)}` and `crawls/{crawl id}/operations/{instance}`.

use firestore::FirestoreTimestamp;
use recrawl_core::model::crawl::Operations;
use recrawl_core::ports::{Memo, StoreError};
use serde::{Deserialize, Serialize};

use super::binary::Binary;
use super::{cut, time, unreadable};
use crate::compression;

/// The most bytes of a value that are written into a document.
const VALUE_LIMIT: usize = 900_000;

/// A small thing worth remembering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemoDocument {
    /// For people, and to list memos by: the name of the document is made from it.
    key: String,
    saved_at: FirestoreTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value_zstd: Option<Binary>,
}

impl MemoDocument {
    /// Writes a memo, unless it does not even fit when it is compressed.
    pub(crate) fn new(key: &str, memo: &Memo) -> Option<Self> {
        let document =
            Self { key: cut(key, 5_000), saved_at: time(memo.saved_at), value: None, value_zstd: None };
        if memo.value.len() <= VALUE_LIMIT {
            return Some(Self { value: Some(memo.value.clone()), ..document });
        }
        let frame = compression::compress(memo.value.as_bytes());
        (frame.len() <= VALUE_LIMIT).then_some(Self { value_zstd: Some(Binary(frame)), ..document })
    }

    /// Reads a memo and the key that it was saved under.
    pub(crate) fn into_named_memo(self) -> Result<(String, Memo), StoreError> {
        Ok((self.key.clone(), self.into_memo()?))
    }

    /// Reads a memo.
    pub(crate) fn into_memo(self) -> Result<Memo, StoreError> {
        let value = match (self.value, self.value_zstd) {
            (Some(value), _) => value,
            (None, Some(frame)) => compression::decompress_text(&frame.0).map_err(unreadable)?,
            (None, None) => return Err(unreadable("a memo without a value")),
        };
        Ok(Memo { saved_at: self.saved_at.0, value })
    }
}

/// The operations that one process made for a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OperationsDocument {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) deletes: u64,
    pub(crate) messages: u64,
}

impl From<OperationsDocument> for Operations {
    fn from(document: OperationsDocument) -> Self {
        Self {
            reads: document.reads,
            writes: document.writes,
            deletes: document.deletes,
            messages: document.messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_memo_is_compressed_and_one_that_never_fits_is_not_saved() {
        let memo = |value: String| Memo { saved_at: jiff::Timestamp::UNIX_EPOCH, value };
        for value in [String::new(), "x".repeat(5_000_000)] {
            let document = MemoDocument::new("key", &memo(value.clone())).unwrap();
            assert!(document.value.as_ref().is_none_or(|value| value.len() <= VALUE_LIMIT));
            assert_eq!(document.into_memo().unwrap(), memo(value));
        }
        let hash = |number: u32| recrawl_core::model::ids::ContentHash::of(&number.to_le_bytes()).to_string();
        let noise: String = (0..50_000).map(hash).collect();
        assert_eq!(MemoDocument::new("key", &memo(noise)), None);
    }
}
