//! The comparison in two columns.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use recrawl_reports::text_diff::{Line, side_by_side};

use super::passages::Passage;
use super::side::Side;
use super::unified::style;
use crate::output::day_and_time;

/// No column is made narrower than this.
const NARROWEST: usize = 20;

pub(super) fn write(
    out: &mut dyn Write,
    older: &Side,
    newer: &Side,
    passages: &[Passage],
    width: usize,
) -> io::Result<()> {
    if passages.is_empty() {
        return Ok(());
    }
    let column = (width.saturating_sub(3) / 2).max(NARROWEST);
    let bold = Style::new().bold();
    let heading = |side: &Side| format!("{} {}", side.crawl, day_and_time(side.time));
    writeln!(out, "{bold}{}{bold:#}", newer.url)?;
    writeln!(out, "{bold}{:column$} | {}{bold:#}", heading(older), heading(newer))?;
    for passage in passages {
        writeln!(out, "{0:-<column$}-+-{0:-<column$}", "")?;
        if let Some(title) = &passage.title {
            writeln!(out, "{bold}{title:column$} | {title}{bold:#}")?;
        }
        for pair in side_by_side(&passage.lines) {
            write_pair(out, pair.older, pair.newer, column)?;
        }
    }
    Ok(())
}

fn write_pair(
    out: &mut dyn Write,
    left: Option<&Line>,
    right: Option<&Line>,
    column: usize,
) -> io::Result<()> {
    let (left, right) = (wrapped(left, column), wrapped(right, column));
    for place in 0..left.len().max(right.len()) {
        match left.get(place) {
            Some(row) => row.write(out, column)?,
            None => write!(out, "{:column$}", "")?,
        }
        match right.get(place) {
            Some(row) => {
                write!(out, " | ")?;
                row.write(out, 0)?;
            }
            None => write!(out, " |")?,
        }
        writeln!(out)?;
    }
    Ok(())
}

/// What fits into a column of one line.
#[derive(Default)]
struct Row {
    pieces: Vec<(Style, String)>,
    width: usize,
}

impl Row {
    fn write(&self, out: &mut dyn Write, column: usize) -> io::Result<()> {
        for (style, text) in &self.pieces {
            write!(out, "{style}{text}{style:#}")?;
        }
        write!(out, "{:1$}", "", column.saturating_sub(self.width))
    }

    fn push(&mut self, style: Style, text: &str) {
        self.width += text.width();
        self.pieces.push((style, text.to_owned()));
    }
}

/// Breaks a line between words, or within a word that is wider than the column.
fn wrapped(line: Option<&Line>, column: usize) -> Vec<Row> {
    let Some(line) = line else { return Vec::new() };
    let mut rows = vec![Row::default()];
    for piece in &line.pieces {
        let style = if piece.emphasised { style(line.tag).bold().underline() } else { style(line.tag) };
        for word in piece.text.split_inclusive(' ').flat_map(|word| chunks(word, column)) {
            let used = rows.last().map_or(0, |row| row.width);
            // A space at the end of a row may hang over.
            if used > 0 && used + word.trim_end().width() > column {
                rows.push(Row::default());
            }
            if let Some(row) = rows.last_mut() {
                let fitting = if row.width + word.width() > column { word.trim_end() } else { word };
                row.push(style, fitting);
            }
        }
    }
    rows
}

fn chunks(word: &str, column: usize) -> Vec<&str> {
    let mut chunks = Vec::new();
    let (mut start, mut width) = (0, 0);
    for (at, character) in word.char_indices() {
        let needed = character.width().unwrap_or(0);
        if width + needed > column && character != ' ' {
            chunks.push(&word[start..at]);
            (start, width) = (at, 0);
        }
        width += needed;
    }
    chunks.push(&word[start..]);
    chunks
}

#[cfg(test)]
mod tests {
    use recrawl_reports::difference::Surroundings;

    use super::super::passages::passages;
    use super::*;

    fn side(crawl: &str, text: &str) -> Side {
        Side {
            url: "https://example.org/a".parse().unwrap(),
            crawl: crawl.parse().unwrap(),
            time: "2026-11-16T03:12:00Z".parse().unwrap(),
            text: text.to_owned(),
            surroundings: Surroundings::default(),
            is_absent: false,
        }
    }

    fn shown(older: &str, newer: &str, width: usize) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        let (older, newer) = (side("crawl-2026-11-09", older), side("crawl-2026-11-16", newer));
        write(&mut out, &older, &newer, &passages(&older.text, &newer.text).0, width).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn lines_that_replace_each_other_stand_side_by_side() {
        let shown = shown("same\nold one\nold two\nend", "same\nnew one\nend\nmore", 71);
        insta::assert_snapshot!(shown, @r"
        https://example.org/a
        crawl-2026-11-09 2026-11-16 03:12  | crawl-2026-11-16 2026-11-16 03:12
        -----------------------------------+-----------------------------------
        same                               | same
        old one                            | new one
        old two                            |
        end                                | end
                                           | more
        ");
    }

    #[test]
    fn long_lines_are_broken_between_words_and_within_long_ones() {
        let shown =
            shown("", "a few words that wrap\n0123456789012345678901234567890\n中文中文中文中文中文中文", 43);
        let right: Vec<&str> = shown
            .lines()
            .skip(3)
            .filter_map(|line| line.split_once("| "))
            .map(|(_, right)| right.trim_end())
            .collect();
        let expected = [
            "a few words that",
            "wrap",
            "01234567890123456789",
            "01234567890",
            "中文中文中文中文中文",
            "中文",
        ];
        assert_eq!(right, expected);
        assert!(right.iter().all(|text| text.width() <= 20));
    }
}
