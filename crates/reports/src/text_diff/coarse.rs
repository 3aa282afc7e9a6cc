//! Texts with too many lines to be compared line by line: what they have in common at both ends is found, and what is
//! between counts as replaced.

use super::limit::{Limit, Room};
use super::{Context, Difference, Hunk, Line, LinePiece, Tag};

/// The most unchanged lines around what was replaced.
const MOST_AROUND: usize = 50;

/// Two texts, each in three parts: the first and the last are the same in both.
struct Parts<'a> {
    before: &'a str,
    older: &'a str,
    newer: &'a str,
    after: &'a str,
}

impl<'a> Parts<'a> {
    fn of(older: &'a str, newer: &'a str) -> Self {
        let same = |(one, other): &(&str, &str)| one == other;
        let pairs = older.split_inclusive('\n').zip(newer.split_inclusive('\n'));
        let start: usize = pairs.take_while(same).map(|(line, _)| line.len()).sum();
        let (before, older) = older.split_at(start);
        let newer = &newer[start..];
        let pairs = older.split_inclusive('\n').rev().zip(newer.split_inclusive('\n').rev());
        let end: usize = pairs.take_while(same).map(|(line, _)| line.len()).sum();
        let (older, after) = older.split_at(older.len() - end);
        Self { before, older, newer: &newer[..newer.len() - end], after }
    }
}

/// Compares two texts coarsely. Both end with a line feed, or are empty.
pub(super) fn compare(older: &str, newer: &str, context: Context, limit: Limit) -> Difference {
    let parts = Parts::of(older, newer);
    let (removed, added) = (lines_in(parts.older), lines_in(parts.newer));
    if removed == 0 && added == 0 {
        return Difference::default();
    }
    let around = match context {
        Context::Lines(lines) => lines.min(MOST_AROUND),
        Context::All => MOST_AROUND,
    };
    let mut room = Room::new(limit);
    let (before, after) = (lines_in(parts.before), lines_in(parts.after));
    let lead = around.min(before);
    let mut lines: Vec<Line> = Vec::new();
    let mut leading: Vec<&str> = parts.before.split_inclusive('\n').rev().take(lead).collect();
    leading.reverse();
    let first = before - lead;
    let same = |older: usize, newer: usize, text: &str, room: &Room| {
        line(Tag::Same, Some(older + 1), Some(newer + 1), text, room)
    };
    for (place, text) in leading.into_iter().enumerate() {
        lines.extend(room.admit(same(first + place, first + place, text, &room)));
    }
    let (went, came) = room.share(removed, added);
    for (place, text) in parts.older.split_inclusive('\n').take(went).enumerate() {
        lines.extend(room.admit(line(Tag::Removed, Some(before + place + 1), None, text, &room)));
    }
    for (place, text) in parts.newer.split_inclusive('\n').take(came).enumerate() {
        lines.extend(room.admit(line(Tag::Added, None, Some(before + place + 1), text, &room)));
    }
    let omitted = removed + added - room.changed;
    let trail = if omitted == 0 { around.min(after) } else { 0 };
    for (place, text) in parts.after.split_inclusive('\n').take(trail).enumerate() {
        lines.extend(room.admit(same(before + removed + place, before + added + place, text, &room)));
    }
    Difference {
        hunks: vec![Hunk { skipped_before: first, lines }],
        skipped_after: after - trail,
        removed,
        added,
        omitted_lines: omitted,
        cut_lines: room.cut,
        coarse: true,
    }
}

fn line(tag: Tag, older: Option<usize>, newer: Option<usize>, text: &str, room: &Room) -> Line {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text[..text.floor_char_boundary(room.widest().saturating_add(3))].to_owned();
    let pieces = if text.is_empty() { Vec::new() } else { vec![LinePiece { text, emphasised: false }] };
    Line { tag, older, newer, pieces }
}

/// Returns how many lines a text has that ends with a line feed or is empty.
pub(super) fn lines_in(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
