//! What a page says of a difference, in one field: nobody queries it, and every field of its own would be indexed.

use recrawl_core::model::aspect::Signature;
use recrawl_core::model::edit::Edits;
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::page_memory::PageMemory;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{Binary, unreadable};
use crate::compression;

/// How long the field is at most: more edits than anybody reads.
const LIMIT: usize = 40_000;

/// How many edits stay where not all of them fit.
const EDITS: usize = 16;

/// What a page says of a difference.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Details {
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) words: WordCount,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) kinds: Kinds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edits: Option<Box<Edits>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<Box<PageMemory>>,
    /// The signature of the head of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) meta: Option<Signature>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Details {
    /// Takes the details of a record.
    pub(super) fn of(record: &PageRecord) -> Self {
        let signatures = record.known.content.as_ref().and_then(|content| content.signatures);
        Self {
            words: record.visit.words,
            kinds: record.visit.kinds,
            edits: record.visit.edits.clone(),
            memory: record.known.memory.clone(),
            meta: signatures.and_then(|signatures| signatures.meta),
        }
    }

    /// Makes them fit: first the texts of edits go, then most of the edits, then whatever is too long.
    pub(super) fn pack(mut self) -> Result<Option<Binary>, StoreError> {
        if is_default(&self) {
            return Ok(None);
        }
        let cuts: [fn(&mut Self); 4] =
            [Self::drop_texts, Self::drop_light_edits, Self::drop_edits, Self::drop_memory];
        let mut frame = self.compress()?;
        for cut in cuts {
            if frame.len() <= LIMIT {
                break;
            }
            cut(&mut self);
            frame = self.compress()?;
        }
        Ok(Some(Binary(frame)))
    }

    /// Reads what [`Details::pack`] wrote.
    pub(super) fn unpack(frame: Option<&Binary>) -> Result<Self, StoreError> {
        let Some(frame) = frame else { return Ok(Self::default()) };
        let json = compression::decompress(&frame.0).map_err(unreadable)?;
        serde_json::from_slice(&json).map_err(unreadable)
    }

    fn compress(&self) -> Result<Vec<u8>, StoreError> {
        Ok(compression::compress(&serde_json::to_vec(self).map_err(unreadable)?))
    }

    fn drop_texts(&mut self) {
        for edit in self.edits.iter_mut().flat_map(|edits| &mut edits.list) {
            edit.texts = None;
        }
    }

    fn drop_light_edits(&mut self) {
        if let Some(edits) = &mut self.edits {
            edits.list.truncate(EDITS);
        }
    }

    fn drop_edits(&mut self) {
        if let Some(edits) = &mut self.edits {
            (edits.list, edits.noise) = (Vec::new(), Vec::new());
        }
    }

    fn drop_memory(&mut self) {
        self.memory = None;
    }
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::edit::{Edit, LineId};
    use recrawl_core::model::ids::ContentHash;
    use recrawl_testkit::contract::samples;

    use super::*;

    /// Returns text that cannot be compressed much.
    fn noise(number: usize, length: usize) -> String {
        let hash = |part: usize| ContentHash::of(&(number * 1_000_000 + part).to_le_bytes()).to_string();
        (0..=length / 64).map(hash).collect::<String>()[..length].to_owned()
    }

    fn details(edits: usize, text: usize, memory: u32) -> Details {
        let mut details = Details::of(&samples::record("a", samples::FIRST, "/"));
        let heaviest = samples::edits().list.remove(0);
        let edit = |number: usize| {
            let mut edit = Edit { texts: Some((noise(number, text), String::new())), ..heaviest.clone() };
            for side in [&mut edit.went, &mut edit.came].into_iter().flatten() {
                side.line = LineId(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1));
            }
            edit
        };
        details.edits.as_mut().unwrap().list = (0..edits).map(edit).collect();
        let numbers = (0..memory).map(|number| number.wrapping_mul(0x9e37_79b9)).collect();
        details.memory.as_mut().unwrap().shapes = vec![numbers];
        details
    }

    #[test]
    fn what_is_not_too_long_is_kept_whole() {
        for whole in [details(3, 200, 3), details(64, 200, 240), Details::default()] {
            let frame = whole.clone().pack().unwrap();
            assert_eq!(Details::unpack(frame.as_ref()).unwrap(), whole);
            assert_eq!(frame.is_none(), whole == Details::default(), "nothing is not written");
        }
    }

    #[test]
    fn what_is_too_long_loses_texts_then_edits_and_is_always_written() {
        for (name, written, edits, has_texts, has_memory) in [
            ("texts", details(60, 3_000, 9), 60, false, true),
            ("edits", details(4_000, 200, 9), 16, false, true),
            ("memory", details(3, 200, 30_000), 0, false, false),
        ] {
            let frame = written.clone().pack().unwrap().unwrap();
            assert!(frame.0.len() <= LIMIT, "{name}: {}", frame.0.len());
            let read = Details::unpack(Some(&frame)).unwrap();
            let list = &read.edits.as_ref().unwrap().list;
            assert_eq!((list.len(), read.memory.is_some()), (edits, has_memory), "{name}");
            assert_eq!(list.iter().any(|edit| edit.texts.is_some()), has_texts, "{name}");
            assert_eq!((read.words, read.kinds), (written.words, written.kinds));
        }
    }
}
