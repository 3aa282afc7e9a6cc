//! What people did with changes: seen, starred, a note.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::edit::EditId;
use crate::model::ids::{CrawlId, EventId, IdError};

/// Names a change of a site. Written `crawl-2026-11-16/` and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangeId {
    /// The crawl that found it.
    pub crawl: CrawlId,
    /// Under which id it is told.
    pub event: EventId,
}

impl ChangeId {
    /// Reads the id of a change of `crawl`: that of a page or a folder, or the shorter one of a shared change.
    pub fn read(crawl: CrawlId, id: &str) -> Result<Self, IdError> {
        let shared = if id.len() == 16 && id.is_ascii() { u64::from_str_radix(id, 16).ok() } else { None };
        let event = match shared {
            Some(shared) => EventId::of_shared(crawl, EditId(shared)),
            None => id.parse()?,
        };
        Ok(Self { crawl, event })
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.crawl, self.event)
    }
}

impl FromStr for ChangeId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let (crawl, id) = text.split_once('/').ok_or_else(|| IdError::Crawl(text.to_owned()))?;
        Self::read(crawl.parse()?, id)
    }
}

/// What people did with one change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewMark {
    /// Somebody has seen it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
    /// Somebody marked it, to find it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// What somebody wrote about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
}

/// What somebody wrote about a change: some text without blanks around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Note(String);

/// The text is longer than a note may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a note has at most 1,000 characters, and this one has {0}")]
pub struct NoteTooLong(usize);

impl Note {
    /// The most characters of a note.
    pub const LONGEST: usize = 1_000;

    /// Makes a note of a text; none where it says nothing.
    pub fn of(text: &str) -> Result<Option<Self>, NoteTooLong> {
        let text = text.trim();
        match text.chars().count() {
            0 => Ok(None),
            length if length > Self::LONGEST => Err(NoteTooLong(length)),
            _ => Ok(Some(Self(text.to_owned()))),
        }
    }

    /// Returns its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for Note {
    type Error = NoteTooLong;

    fn try_from(text: String) -> Result<Self, NoteTooLong> {
        Ok(Self::of(&text)?.unwrap_or_else(|| Self(String::new())))
    }
}

impl From<Note> for String {
    fn from(note: Note) -> Self {
        note.0
    }
}

/// What somebody does with a change; what is not named stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewEdit {
    /// Makes it seen, or unseen again.
    pub seen: Option<bool>,
    /// Sets the star, or takes it away.
    pub starred: Option<bool>,
    /// Writes a note, or takes it away.
    pub note: Option<Option<Note>>,
}

impl ReviewEdit {
    /// Makes a change seen.
    pub const SEEN: Self = Self { seen: Some(true), starred: None, note: None };

    /// Tells whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What people did with the changes of one crawl, by the ids under which the changes are told.
///
/// A shared change goes by [`EventId::of_shared`], pages of a folder that came or went together by
/// [`EventId::of_folder`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewMarks {
    /// All changes are seen, but for those whose mark says otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    all_seen: bool,
    /// Where every change is seen, one that is unseen again has a mark, too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    marks: BTreeMap<EventId, ReviewMark>,
}

impl ReviewMarks {
    /// Returns the mark of a change.
    pub fn of(&self, change: &EventId) -> ReviewMark {
        let unmarked = || ReviewMark { seen: self.all_seen, ..ReviewMark::default() };
        self.marks.get(change).cloned().unwrap_or_else(unmarked)
    }

    /// Does something with a change.
    pub fn edit(&mut self, change: EventId, edit: &ReviewEdit) {
        let mut mark = self.of(&change);
        mark.seen = edit.seen.unwrap_or(mark.seen);
        mark.starred = edit.starred.unwrap_or(mark.starred);
        if let Some(note) = &edit.note {
            mark.note.clone_from(note);
        }
        if mark == (ReviewMark { seen: self.all_seen, ..ReviewMark::default() }) {
            self.marks.remove(&change);
        } else {
            self.marks.insert(change, mark);
        }
    }

    /// Makes every change of the crawl seen. Stars and notes stay.
    pub fn see_all(&mut self) {
        self.all_seen = true;
        for mark in self.marks.values_mut() {
            mark.seen = true;
        }
        self.marks.retain(|_, mark| mark.starred || mark.note.is_some());
    }

    /// Tells whether nobody did anything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(number: u8) -> EventId {
        EventId::of(&[number])
    }

    fn seen(seen: bool) -> ReviewEdit {
        ReviewEdit { seen: Some(seen), ..ReviewEdit::default() }
    }

    fn starred(starred: bool) -> ReviewEdit {
        ReviewEdit { starred: Some(starred), ..ReviewEdit::default() }
    }

    #[test]
    fn what_is_not_named_stays_as_it_is() {
        let mut marks = ReviewMarks::default();
        let note = Note::of(" Ask the clerk \n").unwrap();
        marks.edit(change(1), &ReviewEdit { note: Some(note.clone()), ..starred(true) });
        marks.edit(change(1), &ReviewEdit::SEEN);
        assert_eq!(marks.of(&change(1)), ReviewMark { seen: true, starred: true, note });
        marks.edit(change(1), &ReviewEdit { note: Some(None), ..ReviewEdit::default() });
        assert_eq!(marks.of(&change(1)), ReviewMark { seen: true, starred: true, note: None });
        assert_eq!(marks.of(&change(2)), ReviewMark::default(), "another change has no mark");
        marks.edit(change(1), &ReviewEdit { starred: Some(false), ..seen(false) });
        assert!(marks.is_empty(), "no mark is kept that says nothing: {marks:?}");
    }

    #[test]
    fn all_are_seen_but_for_those_that_are_unseen_again() {
        let mut marks = ReviewMarks::default();
        marks.edit(change(1), &starred(true));
        marks.edit(change(2), &ReviewEdit::SEEN);
        marks.see_all();
        assert!([1, 2, 3].iter().all(|number| marks.of(&change(*number)).seen));
        assert!(marks.of(&change(1)).starred, "stars stay");
        marks.edit(change(3), &seen(false));
        assert_eq!([1, 2, 3].map(|number| marks.of(&change(number)).seen), [true, true, false]);
        marks.see_all();
        assert!(marks.of(&change(3)).seen);
    }

    #[test]
    fn a_change_is_named_by_its_crawl_and_its_id() {
        let crawl: CrawlId = "crawl-2026-11-16-2".parse().unwrap();
        let page = ChangeId { crawl, event: change(1) };
        assert_eq!(page.to_string().parse::<ChangeId>().unwrap(), page);
        let shared = "crawl-2026-11-16-2/00000000000000ff".parse::<ChangeId>().unwrap();
        assert_eq!(shared.event, EventId::of_shared(crawl, EditId(255)));
        for text in ["", "crawl-2026-11-16", "crawl-2026-11-16/", "crawl-2026-11-16/00+0000000000fg", "x/00"]
        {
            assert!(text.parse::<ChangeId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_note_is_not_longer_than_it_may_be() {
        assert_eq!(Note::of(" \n").unwrap(), None);
        assert_eq!(Note::of(&"é".repeat(1_000)).unwrap().unwrap().as_str().chars().count(), 1_000);
        assert_eq!(
            Note::of(&"é".repeat(1_001)).unwrap_err().to_string(),
            "a note has at most 1,000 characters, and this one has 1001"
        );
    }
}
