//! How a body differs from the one before it: edits, and what the page's memory and learnt noise say of them.

use super::{Asked, Fact, Facts};
use crate::changes::edits::{OwnMarks, content_words, edits};
use crate::changes::memory::recognise;
use crate::model::aspect::{Aspect, Aspects};
use crate::model::content::{Content, Reading};
use crate::model::edit::Edits;
use crate::model::outline::MetaKind;
use crate::model::page_memory::PageMemory;
use crate::model::record::ContentRef;

/// How a body differs from the one before it.
#[derive(Debug)]
pub struct Compared {
    /// The edits, and which of them are noise.
    pub edits: Edits,
    /// How many words the content has, or had if it had more.
    pub words: u32,
    /// What the page remembers after this visit.
    pub memory: PageMemory,
    /// The sides from which nothing but fingerprints can be compared: of an outline that is missing or cut.
    pub unseen: Aspects,
}

impl Compared {
    /// Returns from which sides the page can be news: where it has edits that are no noise, and where nobody can tell.
    pub(super) fn news(&self) -> Aspects {
        let own = self.edits.list.iter().filter(|edit| !edit.state.is_noise()).map(|edit| edit.aspect);
        own.chain(self.unseen.iter()).collect()
    }
}

/// Compares a body with the content before it, whose reading is at hand if it was read again. `None` where nothing is
/// stored of what that said, or it is no text.
pub(super) fn compare(
    asked: &Asked<'_>,
    before: &ContentRef,
    read_again: Option<&Reading>,
    content: &Content,
    facts: &Facts,
) -> Result<Option<Compared>, Fact> {
    let extracted = &content.extracted;
    // Of what could not be read, nobody can say that its lines came or went.
    if extracted.rules.is_bytes() || before.rules.is_bytes() {
        return Ok(None);
    }
    let old = match read_again {
        Some(reading) => Some(reading),
        None => facts.reading.as_ref().ok_or(Fact::PreviousReading)?.as_ref(),
    };
    let Some(old) = old else { return Ok(None) };
    let new = Reading { text: extracted.text.clone(), outline: extracted.outline.clone() };
    // Which links and images came before a limit says nothing of the page.
    let is_part = before.rules.is_of_beginning() || extracted.rules.is_of_beginning();
    let aspects = if is_part { Aspects::TEXT } else { Aspects::ALL }.among(asked.policy.compare);
    let own = OwnMarks::new(asked.url, &[title(old), title(&new)]);
    let mut edits = edits(old, &new, &own, aspects);
    let known = asked.known.and_then(|known| known.memory.as_deref());
    let memory = recognise(known, asked.noise, &mut edits);
    let is_whole = |reading: &Reading| reading.outline.as_ref().is_some_and(|outline| !outline.is_cut);
    let unseen = if is_whole(old) && is_whole(&new) {
        Aspects::NONE
    } else {
        [Aspect::Links, Aspect::Media].into_iter().collect()
    };
    let words = content_words(old).max(content_words(&new));
    Ok(Some(Compared { edits, words, memory, unseen }))
}

fn title(reading: &Reading) -> Option<&str> {
    let facts = &reading.outline.as_ref()?.meta;
    facts.iter().find(|(kind, _)| *kind == MetaKind::Title).map(|(_, title)| title.as_str())
}
