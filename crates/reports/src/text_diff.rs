//! What differs between two texts: lines first, then words within lines that were replaced.
//!
//! Pure, but for the clock that a deadline is held against. Meant for everything that shows differences.

mod coarse;
mod excerpt;
mod limit;
mod sides;

use std::time::Instant;

use serde::Serialize;
use similar::{Algorithm, ChangeTag, DiffOp, DiffTag, InlineChangeOptions, TextDiff};
use utoipa::ToSchema;

pub use self::excerpt::{beginning, excerpt};
pub use self::limit::Limit;
use self::limit::Room;
pub use self::sides::{Pair, side_by_side};

/// Blocks with more bytes than this are shown line by line: nobody reads words in them, and looking for words
/// takes long.
const LONGEST_REFINED: usize = 16 * 1024;

/// Texts with more lines than this, both together, are not compared line by line: that takes memory for each of them.
const MOST_LINES: usize = 200_000;

/// A block of so many lines that were replaced may be there only because there was no time to look closer.
const LARGE: usize = 500;

/// What differs between two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Difference {
    /// Stretches of lines around changes, in order.
    pub hunks: Vec<Hunk>,
    /// How many unchanged lines follow the last hunk and are left out.
    pub skipped_after: usize,
    /// How many lines went.
    pub removed: usize,
    /// How many lines came.
    pub added: usize,
    /// How many of the lines that went or came are in no hunk, because there are too many; 0 where it is absent.
    #[serde(skip_serializing_if = "is_none")]
    pub omitted_lines: usize,
    /// How many lines are too long and shown in part; 0 where it is absent.
    #[serde(skip_serializing_if = "is_none")]
    pub cut_lines: usize,
    /// The texts are too large to be compared line by line, so whole blocks count as replaced that may have lines in
    /// common; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coarse: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_none(number: &usize) -> bool {
    *number == 0
}

/// A stretch of lines around changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Hunk {
    /// How many unchanged lines before it are left out.
    pub skipped_before: usize,
    /// Its lines; those that went stand before those that came in their place.
    pub lines: Vec<Line>,
}

/// One line of a [`Hunk`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Line {
    /// In which of the texts it is.
    pub tag: Tag,
    /// Its number in the older text, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older: Option<usize>,
    /// Its number in the newer text, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newer: Option<usize>,
    /// Its text, in pieces; all of them together are the line.
    pub pieces: Vec<LinePiece>,
}

/// In which of two texts a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// In both.
    Same,
    /// In the older one.
    Removed,
    /// In the newer one.
    Added,
}

impl Tag {
    /// Returns the mark of unified diffs.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Removed => "-",
            Self::Added => "+",
        }
    }
}

/// Part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LinePiece {
    /// The text.
    pub text: String,
    /// It is what differs within its line.
    pub emphasised: bool,
}

/// How much is shown around a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// So many unchanged lines before and after it.
    Lines(usize),
    /// Everything.
    All,
}

/// Compares two texts, and shows everything that differs.
///
/// After `deadline` the result gets coarser, never wrong: whole blocks are shown as replaced, without words.
pub fn compare(older: &str, newer: &str, context: Context, deadline: Instant) -> Difference {
    compare_within(older, newer, context, deadline, Limit::NONE)
}

/// Compares two texts as [`compare`] does, and shows no more of it than `limit`: from the beginning, and counts the rest.
pub fn compare_within(
    older: &str,
    newer: &str,
    context: Context,
    deadline: Instant,
    limit: Limit,
) -> Difference {
    let (older, newer) = (ended(older), ended(newer));
    if coarse::lines_in(&older) + coarse::lines_in(&newer) > MOST_LINES {
        return coarse::compare(&older, &newer, context, limit);
    }
    let diff = by_lines(&older, &newer, deadline);
    let is_late = Instant::now() > deadline;
    let mut difference = Difference::default();
    for operation in diff.ops().iter().filter(|operation| operation.tag() != DiffTag::Equal) {
        difference.removed += operation.old_range().len();
        difference.added += operation.new_range().len();
        // What is small was compared whole, however late it is.
        let is_large = operation.old_range().len().min(operation.new_range().len()) >= LARGE;
        difference.coarse |= is_late && is_large;
    }
    let groups = match context {
        _ if difference.removed + difference.added == 0 => return Difference::default(),
        Context::Lines(lines) => diff.grouped_ops(lines),
        Context::All => vec![diff.ops().to_vec()],
    };
    let (mut seen, mut room) = (0, Room::new(limit));
    for group in groups {
        let starts = group.first().map_or(seen, |operation| operation.old_range().start);
        let (lines, is_whole) = shown_lines(&diff, &group, deadline, &mut room);
        let last = lines.iter().rev().find_map(|line| line.older).unwrap_or(starts);
        if !lines.is_empty() {
            difference.hunks.push(Hunk { skipped_before: starts - seen, lines });
        }
        seen = if is_whole { group.last().map_or(seen, |operation| operation.old_range().end) } else { last };
        if !is_whole {
            break;
        }
    }
    difference.omitted_lines = difference.removed + difference.added - room.changed;
    difference.cut_lines = room.cut;
    if difference.omitted_lines == 0 {
        difference.skipped_after = diff.old_len() - seen;
    }
    difference
}

/// Returns as many lines of a group of changes as there is room for, and whether these are all.
fn shown_lines(
    diff: &TextDiff<'_, '_, str>,
    group: &[DiffOp],
    deadline: Instant,
    room: &mut Room,
) -> (Vec<Line>, bool) {
    let mut shown = Vec::new();
    for operation in group {
        let all = match operation.tag() {
            DiffTag::Equal => operation.old_range().len(),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                operation.old_range().len() + operation.new_range().len()
            }
        };
        let before = shown.len();
        for line in lines_of(diff, operation, deadline, room) {
            let Some(line) = room.admit(line) else { return (shown, false) };
            shown.push(line);
        }
        if shown.len() - before < all {
            return (shown, false);
        }
    }
    (shown, true)
}

/// Returns the first change of two texts that says something, each of its sides cut to what differs.
///
/// As [`excerpt`] of [`compare`], without looking for words in what is not shown.
pub fn first_change(older: &str, newer: &str, deadline: Instant) -> Vec<Line> {
    // Far more than an excerpt shows, and little enough to be copied for a hundred of them.
    let limit = Limit { changed: 1_000, lines: 1_000, bytes: 100_000, line: 20_000 };
    let (older, newer) = (ended(older), ended(newer));
    if coarse::lines_in(&older) + coarse::lines_in(&newer) > MOST_LINES {
        return excerpt(&coarse::compare(&older, &newer, Context::Lines(0), limit));
    }
    let diff = by_lines(&older, &newer, deadline);
    let mut excerpts = diff.grouped_ops(0).into_iter().map(|group| {
        let (lines, _) = shown_lines(&diff, &group, deadline, &mut Room::new(limit));
        excerpt(&Difference { hunks: vec![Hunk { skipped_before: 0, lines }], ..Difference::default() })
    });
    excerpts.find(|lines| !lines.is_empty()).unwrap_or_default()
}

fn by_lines<'a>(older: &'a str, newer: &'a str, deadline: Instant) -> TextDiff<'a, 'a, str> {
    TextDiff::configure().algorithm(Algorithm::Myers).deadline(deadline).diff_lines(older, newer)
}

fn lines_of(diff: &TextDiff<'_, '_, str>, operation: &DiffOp, deadline: Instant, room: &Room) -> Vec<Line> {
    let bytes = |range: std::ops::Range<usize>, line: &dyn Fn(usize) -> Option<usize>| -> usize {
        range.filter_map(line).sum()
    };
    let length = bytes(operation.old_range(), &|index| diff.old_slice(index).map(str::len))
        + bytes(operation.new_range(), &|index| diff.new_slice(index).map(str::len));
    if operation.tag() != DiffTag::Replace || length > LONGEST_REFINED {
        let (mut went, mut came) = room.share(operation.old_range().len(), operation.new_range().len());
        let mut has_room = |tag: ChangeTag| match tag {
            ChangeTag::Equal => true,
            ChangeTag::Delete => take_one(&mut went),
            ChangeTag::Insert => take_one(&mut came),
        };
        let shown = diff.iter_changes(operation).filter(|change| has_room(change.tag()));
        return shown.take(room.lines()).map(|change| whole(&change, room.widest())).collect();
    }
    let mut options = InlineChangeOptions::new();
    // A line of which a third stays reads better as one that changed than as two strangers.
    options.algorithm(Algorithm::Myers).min_ratio(0.34).semantic_cleanup(true);
    let refined = diff.iter_inline_changes_with_options_deadline(operation, options, Some(deadline));
    let line = |change: similar::InlineChange<'_, str>| Line {
        tag: tag(change.tag()),
        older: change.old_index().map(|index| index + 1),
        newer: change.new_index().map(|index| index + 1),
        pieces: pieces(change.values().iter().map(|(emphasised, text)| (*emphasised, &**text))),
    };
    refined.map(line).collect()
}

/// Takes one of those that are left, if one is.
fn take_one(left: &mut usize) -> bool {
    let is_left = *left > 0;
    *left -= usize::from(is_left);
    is_left
}

fn whole(change: &similar::Change<&str>, widest: usize) -> Line {
    let text = change.value().strip_suffix('\n').unwrap_or(change.value());
    let text = &text[..text.floor_char_boundary(widest.saturating_add(3))];
    Line {
        tag: tag(change.tag()),
        older: change.old_index().map(|index| index + 1),
        newer: change.new_index().map(|index| index + 1),
        pieces: pieces(std::iter::once((false, text))),
    }
}

const fn tag(tag: ChangeTag) -> Tag {
    match tag {
        ChangeTag::Equal => Tag::Same,
        ChangeTag::Delete => Tag::Removed,
        ChangeTag::Insert => Tag::Added,
    }
}

/// Joins neighbours of one kind, and takes off the end of the line. Where all differs, nothing stands out.
fn pieces<'a>(parts: impl Iterator<Item = (bool, &'a str)>) -> Vec<LinePiece> {
    let mut pieces: Vec<LinePiece> = Vec::new();
    for (emphasised, text) in parts {
        let text = text.strip_suffix('\n').unwrap_or(text);
        match pieces.last_mut().filter(|last| last.emphasised == emphasised) {
            Some(last) => last.text.push_str(text),
            None if text.is_empty() => {}
            None => pieces.push(LinePiece { text: text.to_owned(), emphasised }),
        }
    }
    if let [only] = &mut *pieces {
        only.emphasised = false;
    }
    pieces
}

/// Ends the last line, so that it compares equal to the same line elsewhere.
fn ended(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') { text.into() } else { format!("{text}\n").into() }
}

#[cfg(test)]
mod tests;
