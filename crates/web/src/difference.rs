//! What differs between two texts: lines first, then words within lines that were replaced.
//!
//! Pure, but for the clock that a deadline is held against. Meant for everything that shows differences.

mod excerpt;
mod sides;

use std::time::Instant;

use serde::Serialize;
use similar::{Algorithm, ChangeTag, DiffOp, DiffTag, InlineChangeOptions, TextDiff};
use utoipa::ToSchema;

pub use self::excerpt::{beginning, excerpt};
pub use self::sides::{Pair, side_by_side};

/// Blocks with more bytes than this are shown line by line: nobody reads words in them, and looking for words
/// takes long.
const LONGEST_REFINED: usize = 16 * 1024;

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
    pub pieces: Vec<Piece>,
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
pub struct Piece {
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

/// Compares two texts.
///
/// After `deadline` the result gets coarser, never wrong: whole blocks are shown as replaced, without words.
pub fn compare(older: &str, newer: &str, context: Context, deadline: Instant) -> Difference {
    let (older, newer) = (ended(older), ended(newer));
    let diff = by_lines(&older, &newer, deadline);
    let groups = match context {
        Context::Lines(lines) => diff.grouped_ops(lines),
        Context::All if diff.ops().iter().any(|operation| operation.tag() != DiffTag::Equal) => {
            vec![diff.ops().to_vec()]
        }
        Context::All => Vec::new(),
    };
    let mut difference = Difference::default();
    let mut seen = 0;
    for group in groups {
        let starts = group.first().map_or(seen, |operation| operation.old_range().start);
        let lines = group.iter().flat_map(|operation| lines_of(&diff, operation, deadline)).collect();
        difference.hunks.push(Hunk { skipped_before: starts - seen, lines });
        seen = group.last().map_or(seen, |operation| operation.old_range().end);
    }
    if !difference.hunks.is_empty() {
        difference.skipped_after = diff.old_len() - seen;
    }
    let lines = difference.hunks.iter().flat_map(|hunk| &hunk.lines);
    (difference.removed, difference.added) = lines.fold((0, 0), |(removed, added), line| match line.tag {
        Tag::Same => (removed, added),
        Tag::Removed => (removed + 1, added),
        Tag::Added => (removed, added + 1),
    });
    difference
}

/// Returns the first change of two texts that says something, each of its sides cut to what differs.
///
/// As [`excerpt`] of [`compare`], without looking for words in what is not shown.
pub fn first_change(older: &str, newer: &str, deadline: Instant) -> Vec<Line> {
    let (older, newer) = (ended(older), ended(newer));
    let diff = by_lines(&older, &newer, deadline);
    let mut excerpts = diff.grouped_ops(0).into_iter().map(|group| {
        let lines = group.iter().flat_map(|operation| lines_of(&diff, operation, deadline)).collect();
        excerpt(&Difference { hunks: vec![Hunk { skipped_before: 0, lines }], ..Difference::default() })
    });
    excerpts.find(|lines| !lines.is_empty()).unwrap_or_default()
}

fn by_lines<'a>(older: &'a str, newer: &'a str, deadline: Instant) -> TextDiff<'a, 'a, str> {
    TextDiff::configure().algorithm(Algorithm::Myers).deadline(deadline).diff_lines(older, newer)
}

fn lines_of(diff: &TextDiff<'_, '_, str>, operation: &DiffOp, deadline: Instant) -> Vec<Line> {
    let bytes = |range: std::ops::Range<usize>, line: &dyn Fn(usize) -> Option<usize>| -> usize {
        range.filter_map(line).sum()
    };
    let length = bytes(operation.old_range(), &|index| diff.old_slice(index).map(str::len))
        + bytes(operation.new_range(), &|index| diff.new_slice(index).map(str::len));
    if operation.tag() != DiffTag::Replace || length > LONGEST_REFINED {
        return diff.iter_changes(operation).map(|change| whole(&change)).collect();
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

fn whole(change: &similar::Change<&str>) -> Line {
    Line {
        tag: tag(change.tag()),
        older: change.old_index().map(|index| index + 1),
        newer: change.new_index().map(|index| index + 1),
        pieces: pieces(std::iter::once((false, change.value()))),
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
fn pieces<'a>(parts: impl Iterator<Item = (bool, &'a str)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (emphasised, text) in parts {
        let text = text.strip_suffix('\n').unwrap_or(text);
        match pieces.last_mut().filter(|last| last.emphasised == emphasised) {
            Some(last) => last.text.push_str(text),
            None if text.is_empty() => {}
            None => pieces.push(Piece { text: text.to_owned(), emphasised }),
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
