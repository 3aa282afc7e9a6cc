//! What nobody asks the database for of a page, in one field: every field of its own would be indexed.

mod facts;

use recrawl_core::model::aspect::Signature;
use recrawl_core::model::edit::Edits;
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::page_memory::PageMemory;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

pub(crate) use self::facts::{ContentFacts, Facts};
use super::{Binary, unreadable};
use crate::compression::{self, Dictionary};

/// What pages have in common, so that it is not written with each of them. Never changed: what was written with it is read
/// with it.
static COMMON: Dictionary = Dictionary::new(include_bytes!("details/dictionary.json"));

/// What a frame begins with that was compressed by [`COMMON`]. Earlier ones begin with the first byte of any frame, 0x28.
const BY_DICTIONARY: u8 = 1;

/// How long the field is at most: more edits than anybody reads.
const LIMIT: usize = 40_000;

/// How many edits stay where not all of them fit.
const EDITS: usize = 16;

/// What a page says of a difference, of a visit and of itself.
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
    /// Not in pages of the third version, where they are fields of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) facts: Option<Box<Facts>>,
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
            facts: Some(Box::new(Facts::of(record))),
        }
    }

    /// Makes them fit: first the texts of edits go, then most of the edits, then all that may. The facts always stay.
    pub(super) fn pack(mut self) -> Result<Binary, StoreError> {
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
        Ok(Binary(frame))
    }

    /// Reads what [`Details::pack`] wrote.
    pub(super) fn unpack(frame: Option<&Binary>) -> Result<Self, StoreError> {
        let Some(frame) = frame else { return Ok(Self::default()) };
        let json = match frame.0.split_first() {
            Some((&BY_DICTIONARY, frame)) => COMMON.decompress(frame),
            _ => compression::decompress(&frame.0),
        };
        serde_json::from_slice(&json.map_err(unreadable)?).map_err(unreadable)
    }

    fn compress(&self) -> Result<Vec<u8>, StoreError> {
        let frame = COMMON.compress(&serde_json::to_vec(self).map_err(unreadable)?);
        Ok([&[BY_DICTIONARY], frame.as_slice()].concat())
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
            assert_eq!(Details::unpack(Some(&frame)).unwrap(), whole);
        }
        assert_eq!(Details::unpack(None).unwrap(), Details::default());
    }

    #[test]
    fn the_dictionary_is_what_frames_were_written_with() {
        let digest = ContentHash::of(include_bytes!("details/dictionary.json")).to_string();
        assert_eq!(digest, "9f619c68095166ccef759ce18b7e78f867bdaa709f774a0ffa825c8d1de6c0dc");
    }

    #[test]
    fn a_frame_that_was_written_without_a_dictionary_is_read() {
        let mut former = details(3, 200, 3);
        former.facts = None;
        let frame = compression::compress(&serde_json::to_vec(&former).unwrap());
        assert_eq!(Details::unpack(Some(&Binary(frame))).unwrap(), former);
    }

    #[test]
    fn a_page_that_did_not_change_takes_few_bytes() {
        let mut record = samples::record_of("a", samples::FIRST, "/a", &samples::content("text"));
        (record.visit.edits, record.known.memory) = (None, None);
        let frame = Details::of(&record).pack().unwrap();
        assert!(frame.0.len() < 300, "{} bytes", frame.0.len());
    }

    #[test]
    fn what_is_too_long_loses_texts_then_edits_and_is_always_written() {
        for (name, written, edits, has_texts, has_memory) in [
            ("texts", details(60, 3_000, 9), 60, false, true),
            ("edits", details(4_000, 200, 9), 16, false, true),
            ("memory", details(3, 200, 30_000), 0, false, false),
        ] {
            let frame = written.clone().pack().unwrap();
            assert!(frame.0.len() <= LIMIT, "{name}: {}", frame.0.len());
            let read = Details::unpack(Some(&frame)).unwrap();
            let list = &read.edits.as_ref().unwrap().list;
            assert_eq!((list.len(), read.memory.is_some()), (edits, has_memory), "{name}");
            assert_eq!(list.iter().any(|edit| edit.texts.is_some()), has_texts, "{name}");
            assert_eq!((read.words, read.kinds, read.facts), (written.words, written.kinds, written.facts));
        }
    }
}
