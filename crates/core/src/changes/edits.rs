//! The edits between what a page said and what it says: its text, where it leads, what it shows, what its head says.

mod items;
mod page;

pub use self::page::OwnMarks;
pub(super) use self::page::spelled_out;

use xxhash_rust::xxh3::xxh3_64;

use super::figures::are_protected;
use super::lines::{differing_words, line_edits};
use super::shape::Shape;
use crate::model::aspect::{Aspect, Aspects};
use crate::model::content::Reading;
use crate::model::edit::{
    Edit, EditSide, EditState, EditTraits, Edits, LEFT_OUT, LineId, MAX_EDITS, MAX_TEXT, MAX_TEXTS,
};
use crate::model::kind::{Kind, Kinds, Tier};
use crate::model::outline::Outline;
use crate::model::region::{Mark, Region};

/// A line with this many letters and a blank can be a sentence.
const SENTENCE: usize = 40;

/// Compares what a page said with what it says.
///
/// `own` are the page's own address and title, which are the same edit on every page. Of `compare`, the aspects that are
/// not in it have no edits.
pub fn edits(before: &Reading, after: &Reading, own: &OwnMarks, compare: Aspects) -> Edits {
    let none = Outline::default();
    let outlines = (before.outline.as_ref().unwrap_or(&none), after.outline.as_ref().unwrap_or(&none));
    let mut list = Vec::new();
    let (old, new) = (Lines::of(&before.text, outlines.0), Lines::of(&after.text, outlines.1));
    if compare.contains(Aspect::Text) {
        text_edits(&old, &new, own, &mut list);
    }
    if before.outline.is_some() && after.outline.is_some() {
        items::edits(outlines, own, compare, &mut list);
    }
    let (lines_before, lines_left) = old.content_left(&new, &list);
    let ((_, words_before), (lines_now, words_now)) = (old.content_size(), new.content_size());
    Edits {
        list: bounded(list),
        noise: items::noise(outlines),
        lines_before,
        lines_left,
        lines_now,
        words_before,
        words_now,
        figures: None,
    }
}

/// Returns how many words the content of a page has.
pub fn content_words(reading: &Reading) -> u32 {
    let none = Outline::default();
    Lines::of(&reading.text, reading.outline.as_ref().unwrap_or(&none)).content_size().1
}

/// Returns the line as edits name it.
pub fn line_id(line: &str, own: &OwnMarks) -> LineId {
    LineId(xxh3_64(own.masked(line).as_bytes()))
}

struct Lines<'text> {
    lines: Vec<&'text str>,
    marks: Vec<Mark>,
}

impl<'text> Lines<'text> {
    fn of(text: &'text str, outline: &Outline) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let marks = outline.marks().take(lines.len()).collect();
        Self { lines, marks }
    }

    fn marked(&self) -> impl Iterator<Item = (&'text str, Mark)> {
        self.lines.iter().copied().zip(self.marks.iter().copied())
    }

    /// Returns how many lines of content there are, and how many words they have.
    fn content_size(&self) -> (u32, u32) {
        let content = self.marked().filter(|(_, mark)| mark.region == Region::Content);
        content.fold((0, 0), |(lines, words), (line, _)| {
            (lines.saturating_add(1), words.saturating_add(word_count(line)))
        })
    }

    /// Returns how many lines of content there are, and how many of them the other text still has anywhere, as they
    /// were or edited.
    fn content_left(&self, other: &Self, edits: &[Edit]) -> (u32, u32) {
        let present: std::collections::HashSet<&str> = other.lines.iter().copied().collect();
        let content = self.marked().filter(|(_, mark)| mark.region == Region::Content);
        let (mut all, mut left) = (0, 0);
        for (line, _) in content {
            all += 1;
            left += u32::from(present.contains(line));
        }
        let is_edited = |edit: &&Edit| {
            edit.place_tier() == Tier::Content
                && edit.aspect == Aspect::Text
                && edit.went.is_some()
                && edit.came.is_some()
        };
        let edited = u32::try_from(edits.iter().filter(is_edited).count()).unwrap_or(u32::MAX);
        (all, left.saturating_add(edited).min(all))
    }
}

fn text_edits(old: &Lines<'_>, new: &Lines<'_>, own: &OwnMarks, list: &mut Vec<Edit>) {
    let are_versions = |went: usize, came: usize| old.marks[went].region == new.marks[came].region;
    for edit in line_edits(&old.lines, &new.lines, &are_versions) {
        let went = edit.went.map(|line| (old.lines[line], old.marks[line]));
        let came = edit.came.map(|line| (new.lines[line], new.marks[line]));
        let Some((_, mark)) = came.or(went) else { continue };
        let (went, came) = (went.map(|(line, _)| line), came.map(|(line, _)| line));
        let mut made = edit_of(Aspect::Text, mark, went, came, own);
        made.traits.is_heading = mark.is_heading;
        made.traits.is_links = mark.is_links;
        if mark.is_heading {
            made.traits.kinds = made.traits.kinds.with(Kind::Headings);
        }
        list.push(made);
    }
}

/// Makes the edit of one line into another, or of a lone line.
fn edit_of(aspect: Aspect, mark: Mark, went: Option<&str>, came: Option<&str>, own: &OwnMarks) -> Edit {
    let shapes =
        (went.map(|line| Shape::of(&own.masked(line))), came.map(|line| Shape::of(&own.masked(line))));
    let (old_words, new_words) = match (went, came) {
        (Some(went), Some(came)) => differing_words(went, came),
        _ => (went.map_or(0, word_count), came.map_or(0, word_count)),
    };
    let side =
        |line: &str, shape: &Shape, words| EditSide { line: line_id(line, own), shape: shape.id(), words };
    let mut traits = EditTraits::default();
    let values = match &shapes {
        (Some(old), Some(new)) if old.id() == new.id() => {
            let differing = old.differing(new);
            traits.is_drawn = differing.are_drawn();
            Some(differing)
        }
        _ => None,
    };
    traits.kinds = match (aspect, values) {
        (Aspect::Text, Some(values)) if values.are_numbers() => Kinds::default().with(Kind::Numbers),
        (Aspect::Text, Some(values)) if values.are_dates() => Kinds::default().with(Kind::Dates),
        (Aspect::Text, _) => Kinds::default().with(Kind::Text),
        (Aspect::Links, _) => Kinds::default().with(Kind::Links),
        (Aspect::Media, _) => Kinds::default().with(Kind::Media),
        (Aspect::Meta, _) => Kinds::default(),
    };
    let both = [&shapes.0, &shapes.1].into_iter().flatten();
    traits.has_figures = match values {
        Some(values) => values.have_figures(),
        None => both.clone().any(|shape| shape.values().have_figures()),
    };
    let lines = [went, came].into_iter().flatten();
    traits.is_protected = lines.clone().any(are_protected);
    traits.is_sentence = lines.clone().any(is_sentence);
    Edit {
        aspect,
        region: mark.region,
        went: went.zip(shapes.0.as_ref()).map(|(line, shape)| side(line, shape, old_words)),
        came: came.zip(shapes.1.as_ref()).map(|(line, shape)| side(line, shape, new_words)),
        traits,
        texts: Some(in_short(went.unwrap_or_default(), came.unwrap_or_default())),
        count: 1,
        state: EditState::Own,
    }
}

/// Returns two lines as they are kept. Of long ones that begin alike, what is kept begins a little before they differ.
fn in_short(went: &str, came: &str) -> (String, String) {
    const BEFORE: usize = 60;
    let alike = went.chars().zip(came.chars()).take_while(|(old, new)| old == new).count();
    let start = if alike < MAX_TEXT - BEFORE { 0 } else { alike - BEFORE };
    let part = |line: &str| {
        let before = if start == 0 { "" } else { LEFT_OUT };
        before.chars().chain(line.chars().skip(start)).take(MAX_TEXT).collect()
    };
    (part(went), part(came))
}

fn word_count(line: &str) -> u32 {
    u32::try_from(line.split_whitespace().count()).unwrap_or(u32::MAX)
}

fn is_sentence(line: &str) -> bool {
    line.contains(' ')
        && line.chars().filter(|character| character.is_alphabetic()).take(SENTENCE).count() == SENTENCE
}

/// Puts the content first and the heaviest first, keeps the texts of the heaviest, and makes one edit a region of what
/// exceeds the limit, so that equal rests are still shared.
fn bounded(mut list: Vec<Edit>) -> Vec<Edit> {
    list.sort_by_key(|edit| (edit.place_tier(), std::cmp::Reverse(edit.words()), edit.came.is_none()));
    let rest = list.split_off(list.len().min(MAX_EDITS));
    for tier in [Tier::Content, Tier::Around] {
        for has_come in [true, false] {
            let is_such = |edit: &&mut Edit| edit.place_tier() == tier && edit.came.is_some() == has_come;
            for edit in list.iter_mut().filter(is_such).skip(MAX_TEXTS) {
                edit.texts = None;
            }
        }
    }
    for region in Region::ALL {
        let of_region: Vec<&Edit> = rest.iter().filter(|edit| edit.region == region).collect();
        let Some(first) = of_region.first() else { continue };
        let ids: Vec<u8> = of_region.iter().flat_map(|edit| edit.id().0.to_le_bytes()).collect();
        let words = of_region.iter().map(|edit| edit.words()).fold(0, u32::saturating_add);
        let id = LineId(xxh3_64(&ids));
        list.push(Edit {
            came: Some(EditSide { line: id, shape: id, words }),
            went: None,
            texts: None,
            count: u32::try_from(of_region.len()).unwrap_or(u32::MAX),
            ..(*first).clone()
        });
    }
    list
}

#[cfg(test)]
mod tests;
