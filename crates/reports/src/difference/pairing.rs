//! Which line that went became which line that came, in one place of a comparison.

use std::collections::{HashMap, VecDeque};

use super::rows::DiffRow;
use crate::marks::sides;
use crate::text_diff::{Line, LinePiece};

/// A place with more lines on a side is paired in order: comparing each with each would take too long.
const MAX_PAIRED: usize = 60;

/// Lines that share this part of their words are versions of one line.
const LIKENESS: f64 = 0.4;

/// In longer lines no words are sought.
const LONGEST: usize = 4_000;

/// Puts lines that went beside those that they became, in the order of both texts.
pub(super) fn paired(went: Vec<Line>, came: Vec<Line>) -> Vec<DiffRow> {
    let pairs = if let ([_], [_]) = (went.as_slice(), came.as_slice()) {
        vec![(0, 0)]
    } else if went.len() > MAX_PAIRED || came.len() > MAX_PAIRED {
        (0..went.len().min(came.len())).map(|place| (place, place)).collect()
    } else {
        alike(&texts(&went), &texts(&came))
    };
    let mut rows = Vec::with_capacity(went.len() + came.len());
    let (mut went, mut came) = (VecDeque::from(went), VecDeque::from(came));
    let (mut old_taken, mut new_taken) = (0, 0);
    for (old, new) in pairs {
        let (before, after) =
            (went.drain(..old - old_taken).collect(), came.drain(..new - new_taken).collect());
        rows.extend(between(before, after));
        if let (Some(old), Some(new)) = (went.pop_front(), came.pop_front()) {
            rows.push(marked(old, new));
        }
        (old_taken, new_taken) = (old + 1, new + 1);
    }
    rows.extend(between(went.into(), came.into()));
    rows
}

/// Returns lines that are like none on the other side: beside each other where they are as many, else each alone.
fn between(went: Vec<Line>, came: Vec<Line>) -> Vec<DiffRow> {
    if went.len() == came.len() {
        return went.into_iter().zip(came).map(|(old, new)| marked(old, new)).collect();
    }
    let went = went.into_iter().map(|line| DiffRow::Edit(Some(plain(line)), None));
    went.chain(came.into_iter().map(|line| DiffRow::Edit(None, Some(plain(line))))).collect()
}

/// Returns a line in which no words stand out: all of it went, or came.
fn plain(mut line: Line) -> Line {
    let text = line.text();
    line.pieces = if text.is_empty() { Vec::new() } else { vec![LinePiece { text, emphasised: false }] };
    line
}

/// Returns one line as it was and as it is, with the words marked that differ.
fn marked(mut old: Line, mut new: Line) -> DiffRow {
    let (went, came) = (old.text(), new.text());
    let is_plain = |text: &str| text.len() <= LONGEST && !text.contains("  ") && text.trim() == text;
    if is_plain(&went) && is_plain(&came) {
        (old.pieces, new.pieces) = sides(&went, &came);
    }
    DiffRow::Edit(Some(old), Some(new))
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::text).collect()
}

/// Pairs lines in order so that what is paired is as alike as can be.
fn alike(went: &[String], came: &[String]) -> Vec<(usize, usize)> {
    let width = came.len() + 1;
    // The best that the lines from a place on come to, from the last to the first.
    let mut best = vec![0.0; (went.len() + 1) * width];
    let likeness: Vec<f64> =
        went.iter().flat_map(|old| came.iter().map(move |new| likeness(old, new))).collect();
    let like = |old: usize, new: usize| likeness[old * came.len() + new];
    for old in (0..went.len()).rev() {
        for new in (0..came.len()).rev() {
            let skipped = f64::max(best[(old + 1) * width + new], best[old * width + new + 1]);
            let together = like(old, new) + best[(old + 1) * width + new + 1];
            best[old * width + new] =
                if like(old, new) >= LIKENESS { f64::max(skipped, together) } else { skipped };
        }
    }
    let (mut old, mut new, mut pairs) = (0, 0, Vec::new());
    while old < went.len() && new < came.len() {
        let here = best[old * width + new];
        if here <= best[(old + 1) * width + new] {
            old += 1;
        } else if here <= best[old * width + new + 1] {
            new += 1;
        } else {
            pairs.push((old, new));
            (old, new) = (old + 1, new + 1);
        }
    }
    pairs
}

/// Returns which part of their words two lines share, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "a line has fewer than 2^52 words")]
fn likeness(one: &str, two: &str) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut total, mut common) = (0_usize, 0_usize);
    for word in words(one) {
        *counts.entry(word).or_default() += 1;
        total += 1;
    }
    for word in words(two) {
        total += 1;
        if let Some(count) = counts.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    if total == 0 { 0.0 } else { 2.0 * common as f64 / total as f64 }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

impl Line {
    /// Returns the line without what is emphasised in it.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece: &LinePiece| piece.text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_diff::Tag;

    fn lines(tag: Tag, texts: &str) -> Vec<Line> {
        let line = |text: &str| Line {
            tag,
            older: None,
            newer: None,
            pieces: vec![LinePiece { text: text.to_owned(), emphasised: false }],
        };
        texts.split('|').filter(|text| !text.is_empty()).map(line).collect()
    }

    fn shown(went: &str, came: &str) -> String {
        let side = |line: &Option<Line>| {
            line.as_ref().map_or_else(String::new, |line| {
                let piece = |piece: &LinePiece| {
                    if piece.emphasised { format!("[{}]", piece.text) } else { piece.text.clone() }
                };
                line.pieces.iter().map(piece).collect()
            })
        };
        let row = |row: &DiffRow| match row {
            DiffRow::Edit(went, came) => format!("{}>{}", side(went), side(came)),
            other => panic!("{other:?}"),
        };
        let rows = paired(lines(Tag::Removed, went), lines(Tag::Added, came));
        rows.iter().map(row).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn lines_stand_beside_what_they_became_in_the_order_of_both_texts() {
        for (went, came, expected) in [
            ("Costs 5 euros", "Costs 6 euros", "Costs [5] euros>Costs [6] euros"),
            ("Old", "New", "Old>New"),
            (
                "Audit costs 48|Legal counsel costs 64",
                "Legal counsel costs 65",
                "Audit costs 48>|Legal counsel costs [64]>Legal counsel costs [65]",
            ),
            (
                "The board meets monthly|Bring a lamp",
                "Entirely new words|The board meets weekly",
                ">Entirely new words|The board meets [monthly]>The board meets [weekly]|Bring a lamp>",
            ),
            ("Only here", "", "Only here>"),
        ] {
            assert_eq!(shown(went, came), expected, "{went} -> {came}");
        }
    }

    #[test]
    fn a_large_place_is_paired_in_order() {
        let many =
            |word: &str| (0..70).map(|number| format!("{word} {number}")).collect::<Vec<_>>().join("|");
        assert!(shown(&many("a"), &many("b")).starts_with("[a] 0>[b] 0|"));
    }
}
