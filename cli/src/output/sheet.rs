//! Rows and columns for people: as a table, or as Markdown.
//!
//! Ours, because comfy-table wraps what is too wide; here it is cut with an ellipsis, and columns that can be spared go first.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::sanitize_for_terminal;

/// No column is made narrower than this.
const NARROWEST: usize = 12;

/// What stands between two columns.
const GAP: usize = 2;

/// A column of a [`Sheet`].
#[derive(Debug, Clone)]
pub(crate) struct Column {
    name: String,
    is_number: bool,
    is_flexible: bool,
}

impl Column {
    /// Makes a column that is shown whole.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: sanitize_for_terminal(name).into_owned(), is_number: false, is_flexible: false }
    }

    /// Makes a column whose cells are aligned to the right.
    pub(crate) fn number(name: &str) -> Self {
        Self { is_number: true, ..Self::new(name) }
    }

    /// Makes a column whose cells are cut where the terminal is too narrow.
    pub(crate) fn flexible(name: &str) -> Self {
        Self { is_flexible: true, ..Self::new(name) }
    }
}

/// What stands in one column of one row.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
    /// The lengths of its parts, where they have styles of their own.
    spans: Vec<(usize, Style)>,
}

impl Cell {
    /// Makes a cell with a style of its own.
    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: sanitize_for_terminal(text.as_ref()).into_owned(), style, spans: Vec::new() }
    }

    /// Makes a cell of several parts, each with a style of its own.
    pub(crate) fn of_spans<'a>(parts: impl IntoIterator<Item = (&'a str, Style)>) -> Self {
        let mut cell = Self::styled("", Style::new());
        for (text, style) in parts {
            let text = sanitize_for_terminal(text);
            cell.text.push_str(&text);
            cell.spans.push((text.len(), style));
        }
        cell
    }

    /// Returns the width that its text takes.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }

    /// Writes all of it.
    pub(crate) fn write_whole(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write(out, &self.text)
    }

    /// Writes `text`, which begins as that of the cell.
    fn write(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        let mut rest = text;
        for (length, style) in &self.spans {
            let (part, after) = rest.split_at(rest.floor_char_boundary(*length));
            write!(out, "{style}{part}{style:#}")?;
            rest = after;
        }
        let style = self.style;
        write!(out, "{style}{rest}{style:#}")
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

/// Rows and columns, harmless for terminals.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// Makes a sheet without rows.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Makes a sheet of names and values, without a header.
    pub(crate) fn of_facts() -> Self {
        Self::new([Column::new(""), Column::new("")])
    }

    /// Adds a row, which has a cell for each column.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Adds a name and its value.
    pub(crate) fn fact(&mut self, name: &str, value: impl Into<Cell>) {
        self.push([Cell::styled(name, Style::new().dimmed()), value.into()]);
    }

    /// Leaves out columns, the first of these names first, until the rest fits into `limit`.
    #[must_use]
    pub(crate) fn narrowed(mut self, limit: Option<usize>, dispensable: &[&str]) -> Self {
        for name in dispensable {
            if self.fits(limit) {
                break;
            }
            if let Some(place) = self.columns.iter().position(|column| column.name == *name) {
                self.columns.remove(place);
                self.rows.iter_mut().for_each(|row| drop(row.remove(place)));
            }
        }
        self
    }

    /// Tells whether every cell fits into lines of `limit` columns.
    pub(crate) fn fits(&self, limit: Option<usize>) -> bool {
        limit.is_none_or(|limit| total(&self.natural_widths()) <= limit)
    }

    /// Writes the sheet as aligned columns, cut to lines of `limit` columns as far as that can be.
    pub(crate) fn write_table(&self, out: &mut dyn Write, limit: Option<usize>) -> io::Result<()> {
        let widths = self.widths(limit);
        if self.has_header() {
            let header = Style::new().bold();
            let cells: Vec<Cell> =
                self.columns.iter().map(|column| Cell::styled(&column.name, header)).collect();
            self.write_row(out, &cells, &widths)?;
        }
        self.rows.iter().try_for_each(|row| self.write_row(out, row, &widths))
    }

    /// Writes the sheet as a Markdown table.
    pub(crate) fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = self.columns.iter().map(|column| markdown(&column.name)).collect();
        writeln!(out, "| {} |", names.join(" | "))?;
        let rules: Vec<&str> =
            self.columns.iter().map(|column| if column.is_number { "---:" } else { "---" }).collect();
        writeln!(out, "| {} |", rules.join(" | "))?;
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| markdown(&cell.text)).collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        Ok(())
    }

    fn has_header(&self) -> bool {
        self.columns.iter().any(|column| !column.name.is_empty())
    }

    fn natural_widths(&self) -> Vec<usize> {
        let column_width = |(place, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.text.width());
            cells.max().unwrap_or(0).max(column.name.width())
        };
        self.columns.iter().enumerate().map(column_width).collect()
    }

    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let mut widths = self.natural_widths();
        let Some(limit) = limit else { return widths };
        let mut excess = total(&widths).saturating_sub(limit);
        while excess > 0 {
            let shrinkable = widths.iter_mut().zip(&self.columns).filter(|(_, column)| column.is_flexible);
            let widest = shrinkable.map(|(width, _)| width).filter(|width| **width > NARROWEST).max();
            let Some(widest) = widest else { break };
            *widest -= 1;
            excess -= 1;
        }
        widths
    }

    fn write_row(&self, out: &mut dyn Write, row: &[Cell], widths: &[usize]) -> io::Result<()> {
        let last = row.iter().rposition(|cell| !cell.text.is_empty()).unwrap_or(0);
        for (place, ((cell, column), width)) in row.iter().zip(&self.columns).zip(widths).enumerate() {
            let text = cut(&cell.text, *width);
            let padding = width - text.width();
            let (before, after) = if column.is_number { (padding, 0) } else { (0, padding) };
            write!(out, "{:before$}", "")?;
            cell.write(out, &text)?;
            if place >= last {
                break;
            }
            write!(out, "{:1$}", "", after + GAP)?;
        }
        writeln!(out)
    }
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Cuts text to a width, with a mark where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = width.saturating_sub(1);
    for character in text.chars() {
        let needed = character.width().unwrap_or(0);
        if needed > room {
            break;
        }
        room -= needed;
        kept.push(character);
    }
    kept.push('…');
    kept
}

fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Markup of strangers stays text.
            '|' | '\\' | '`' | '*' | '[' | ']' | '~' => escaped.extend(['\\', character]),
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let mut sheet = Sheet::new([Column::new("kind"), Column::number("size"), Column::flexible("title")]);
        sheet.push(["new".into(), "7".into(), "Ein langer Titel".into()]);
        sheet.push(["changed".into(), "1000".into(), "中文标题的页面标题".into()]);
        sheet.push(["gone".into(), "12".into(), "".into()]);
        sheet
    }

    fn table(limit: Option<usize>) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        sheet().write_table(&mut out, limit).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn columns_are_aligned_by_what_is_seen() {
        insta::assert_snapshot!(table(None), @r"
        kind     size  title
        new         7  Ein langer Titel
        changed  1000  中文标题的页面标题
        gone       12
        ");
    }

    #[test]
    fn a_narrow_terminal_cuts_what_is_flexible() {
        let cut = table(Some(28));
        insta::assert_snapshot!(cut, @r"
        kind     size  title
        new         7  Ein langer T…
        changed  1000  中文标题的页…
        gone       12
        ");
        assert!(cut.lines().all(|line| line.width() <= 28));
        assert!(!sheet().fits(Some(28)));
        assert!(sheet().fits(Some(33)) && !sheet().fits(Some(32)) && sheet().fits(None));
    }

    #[test]
    fn columns_that_can_be_spared_go_first() {
        let written = |limit| {
            let mut out = anstream::StripStream::new(Vec::new());
            sheet().narrowed(limit, &["size", "kind"]).write_table(&mut out, None).unwrap();
            String::from_utf8(out.into_inner()).unwrap().lines().next().unwrap().to_owned()
        };
        assert_eq!(written(None), "kind     size  title");
        assert_eq!(written(Some(33)), "kind     size  title");
        assert_eq!(written(Some(32)), "kind     title");
        assert_eq!(written(Some(20)), "title");
    }

    #[test]
    fn nothing_becomes_narrower_than_can_be_read() {
        assert_eq!(table(Some(5)), table(Some(27)));
    }

    #[test]
    fn markdown_of_strangers_stays_text() {
        let mut sheet = Sheet::new([Column::new("title"), Column::number("size")]);
        sheet.push(["a|b [c](d) <i> & `e`\n*f*".into(), "1".into()]);
        let mut out = Vec::new();
        sheet.write_markdown(&mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        | title | size |
        | --- | ---: |
        | a\|b \[c\](d) &lt;i> &amp; \`e\`\\n\*f\* | 1 |
        ");
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        let mut sheet = Sheet::of_facts();
        sheet.fact("title", "\u{1b}]0;x\u{7}");
        let mut out = Vec::new();
        sheet.write_table(&mut out, None).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\\u{1b}]0;x\\u{7}"), "{text:?}");
    }
}
