//! How much of a difference is shown.

use super::{Line, LinePiece, Tag};

/// How much of a difference is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The most lines that went or came.
    pub changed: usize,
    /// The most lines in all.
    pub lines: usize,
    /// The most bytes, as a page has them.
    pub bytes: usize,
    /// The most bytes of one line.
    pub line: usize,
}

impl Limit {
    /// Everything is shown.
    pub const NONE: Self =
        Self { changed: usize::MAX, lines: usize::MAX, bytes: usize::MAX, line: usize::MAX };

    /// As much as a browser shows at once, and a person ever reads.
    pub const PAGE: Self = Self { changed: 5_000, lines: 20_000, bytes: 2_000_000, line: 100_000 };
}

/// What is left of a [`Limit`].
pub(super) struct Room {
    left: Limit,
    /// How many lines are shown in part.
    pub(super) cut: usize,
    /// How many lines that went or came are shown.
    pub(super) changed: usize,
}

impl Room {
    pub(super) const fn new(limit: Limit) -> Self {
        Self { left: limit, cut: 0, changed: 0 }
    }

    /// Takes as much of a line as there is room for; nothing where there is none.
    pub(super) fn admit(&mut self, mut line: Line) -> Option<Line> {
        let is_change = line.tag != Tag::Same;
        if self.left.lines == 0 || self.left.bytes == 0 || (is_change && self.left.changed == 0) {
            return None;
        }
        let allowed = self.left.bytes.min(self.left.line);
        self.cut += usize::from(cut(&mut line.pieces, allowed));
        let taken: usize = line.pieces.iter().map(|piece| cost(&piece.text)).sum();
        self.left.bytes -= taken.min(self.left.bytes);
        self.left.lines -= 1;
        if is_change {
            self.left.changed -= 1;
            self.changed += 1;
        }
        Some(line)
    }

    /// Returns how many of so many lines that went, and that came in their place, are shown: some of both.
    pub(super) fn share(&self, went: usize, came: usize) -> (usize, usize) {
        let most = self.left.changed.min(self.left.lines);
        let went = went.min((most / 2).max(most.saturating_sub(came)));
        (went, came.min(most - went))
    }

    /// Returns how many lines can be shown.
    pub(super) const fn lines(&self) -> usize {
        self.left.lines
    }

    /// Returns the most bytes of a line that can be shown, so that no more need be copied.
    pub(super) fn widest(&self) -> usize {
        // One more, so that it is seen that something was cut.
        self.left.line.min(self.left.bytes).saturating_add(1)
    }
}

/// Returns how many bytes a text has on a page, where some characters are written as references.
fn cost(text: &str) -> usize {
    text.len() + 5 * text.bytes().filter(|byte| b"<>&\"".contains(byte)).count()
}

/// Cuts pieces so that they cost no more than `allowed`, but for a mark; tells whether anything was left out.
fn cut(pieces: &mut Vec<LinePiece>, allowed: usize) -> bool {
    let mut left = allowed;
    for place in 0..pieces.len() {
        let text = &pieces[place].text;
        if let Some(rest) = left.checked_sub(cost(text)) {
            left = rest;
            continue;
        }
        let mut end = 0;
        for (start, character) in text.char_indices() {
            let character = &text[start..start + character.len_utf8()];
            if cost(character) > left {
                break;
            }
            left -= cost(character);
            end = start + character.len();
        }
        pieces[place].text.truncate(end);
        pieces.truncate(place + 1);
        pieces.push(LinePiece { text: "…".to_owned(), emphasised: false });
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tag: Tag, parts: &[&str]) -> Line {
        let piece = |text: &&str| LinePiece { text: (*text).to_owned(), emphasised: false };
        Line { tag, older: None, newer: None, pieces: parts.iter().map(piece).collect() }
    }

    fn text(line: Option<Line>) -> Option<String> {
        line.map(|line| line.pieces.into_iter().map(|piece| piece.text).collect())
    }

    #[test]
    fn a_line_is_cut_between_characters_and_by_what_it_costs_on_a_page() {
        for (parts, allowed, expected, is_cut) in [
            (&["abc"][..], 3, "abc", false),
            (&["abcd"], 3, "abc…", true),
            (&["ab", "cd", "ef"], 3, "abc…", true),
            (&["éé"], 3, "é…", true),
            (&["a<b"], 8, "a<b", false),
            (&["a<b"], 7, "a<…", true),
            (&["a<b"], 3, "a…", true),
        ] {
            let mut line = line(Tag::Added, parts);
            assert_eq!(cut(&mut line.pieces, allowed), is_cut, "{parts:?} {allowed}");
            assert_eq!(text(Some(line)).unwrap(), expected, "{parts:?} {allowed}");
        }
    }

    #[test]
    fn there_is_room_for_so_many_lines_changes_and_bytes() {
        let mut room = Room::new(Limit { changed: 2, lines: 4, bytes: 100, line: 5 });
        let taken: Vec<bool> = [Tag::Added, Tag::Same, Tag::Removed, Tag::Added, Tag::Same, Tag::Same]
            .into_iter()
            .map(|tag| room.admit(line(tag, &["123"])).is_some())
            .collect();
        assert_eq!(taken, [true, true, true, false, true, false]);
        let mut room = Room::new(Limit { bytes: 9, line: 5, ..Limit::NONE });
        let shown: Vec<_> = (0..3).map(|_| text(room.admit(line(Tag::Added, &["123456"])))).collect();
        assert_eq!(shown, [Some("12345…".to_owned()), Some("1…".to_owned()), None]);
        assert_eq!((room.cut, room.changed), (2, 2));
    }

    #[test]
    fn of_what_was_replaced_some_of_both_sides_is_shown() {
        for (most, went, came, expected) in [
            (10, 3, 4, (3, 4)),
            (10, 50, 50, (5, 5)),
            (10, 50, 2, (8, 2)),
            (10, 2, 50, (2, 8)),
            (10, 50, 0, (10, 0)),
            (0, 5, 5, (0, 0)),
        ] {
            let room = Room::new(Limit { changed: most, ..Limit::NONE });
            assert_eq!(room.share(went, came), expected, "{most} {went} {came}");
        }
    }
}
