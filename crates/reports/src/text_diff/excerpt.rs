//! The two lines that say most about a difference.

use super::{Difference, Line, LinePiece, Tag};

/// The most characters of a line in an excerpt.
const WIDEST: usize = 160;

/// Unchanged characters that are kept before the first word that differs.
const LEAD: usize = 40;

/// Returns the first line that went and the first that came, each cut to what differs.
pub fn excerpt(difference: &Difference) -> Vec<Line> {
    let Some(hunk) = difference.hunks.iter().find(|hunk| hunk.lines.iter().any(says_something)) else {
        return Vec::new();
    };
    let first = |tag| hunk.lines.iter().find(|line| line.tag == tag && says_something(line));
    [Tag::Removed, Tag::Added].into_iter().filter_map(first).map(cut).collect()
}

/// Returns the first lines of a text that say something beside its `title`, as lines that came.
pub fn beginning(text: &str, title: Option<&str>, count: usize) -> Vec<Line> {
    let says_more = |line: &&str| !line.is_empty() && Some(*line) != title;
    let lines = text.lines().map(str::trim).filter(says_more).take(count);
    let line = |text: &str| Line {
        tag: Tag::Added,
        older: None,
        newer: None,
        pieces: vec![LinePiece { text: text.to_owned(), emphasised: false }],
    };
    lines.map(|text| cut(&line(text))).collect()
}

fn says_something(line: &Line) -> bool {
    line.tag != Tag::Same && line.pieces.iter().any(|piece| !piece.text.trim().is_empty())
}

/// Cuts a line to [`WIDEST`] characters, beginning a little before the first word that differs.
fn cut(line: &Line) -> Line {
    let before = line.pieces.iter().take_while(|piece| !piece.emphasised);
    let unchanged: usize = before.map(|piece| piece.text.chars().count()).sum();
    let is_refined = line.pieces.iter().any(|piece| piece.emphasised);
    let mut skip = if is_refined { unchanged.saturating_sub(LEAD) } else { 0 };
    let mut room = WIDEST;
    let mut pieces: Vec<LinePiece> = Vec::new();
    if skip > 0 {
        pieces.push(LinePiece { text: "…".to_owned(), emphasised: false });
    }
    for piece in &line.pieces {
        let length = piece.text.chars().count();
        let text: String = piece.text.chars().skip(skip).take(room).collect();
        let shown = text.chars().count();
        let is_cut = length.saturating_sub(skip) > room;
        skip = skip.saturating_sub(length);
        room -= shown;
        if !text.is_empty() {
            pieces.push(LinePiece { text, emphasised: piece.emphasised });
        }
        if is_cut {
            pieces.push(LinePiece { text: "…".to_owned(), emphasised: false });
            break;
        }
    }
    Line { pieces, ..line.clone() }
}
