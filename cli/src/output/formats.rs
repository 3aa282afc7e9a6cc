//! The formats in which rows are printed (export): a table, JSON, CSV, Markdown.
//!
//! A new format is a variant of [`Format`] and an arm of [`Listing::print`]. Commands do not know which there are.

use std::io::{self, Write};

use recrawl_core::words::is_harmful;
use recrawl_reports::csv;
use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter};

use super::{Sheet, harmless_lines, is_terminal, note, raw, styled, terminal_width};

/// How rows are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    #[default]
    Table,
    /// An array of objects, for programs
    Json,
    /// Comma-separated values with a header (RFC 4180); what a spreadsheet would run begins with an apostrophe
    Csv,
    /// A table for mail, wikis and issues
    Markdown,
}

impl Format {
    /// Tells whether programs read it: they get every field, people what fits a row.
    pub(crate) const fn is_for_programs(self) -> bool {
        matches!(self, Self::Json | Self::Csv)
    }
}

/// Writes the cells of a row.
type Cells<'a, R> = &'a dyn Fn(&R) -> Vec<String>;

/// Rows of a command, to be printed in any [`Format`].
pub(crate) struct Listing<'a, R> {
    rows: &'a [R],
    fields: &'a [&'a str],
    sheet: &'a dyn Fn(bool) -> Sheet,
    headline: Option<&'a str>,
    spared: &'a [&'a str],
    cells: Option<Cells<'a, R>>,
}

impl<'a, R: Serialize> Listing<'a, R> {
    /// Takes rows, the fields that are columns for programs, and what makes a table for people; that is told whether
    /// addresses must be short, because the terminal is too narrow for whole ones.
    pub(crate) fn new(rows: &'a [R], fields: &'a [&'a str], sheet: &'a dyn Fn(bool) -> Sheet) -> Self {
        Self { rows, fields, sheet, headline: None, spared: &[], cells: None }
    }

    /// Adds what people read above the rows. Where there are no rows, they read nothing else.
    pub(crate) fn under(self, headline: &'a str) -> Self {
        Self { headline: Some(headline), ..self }
    }

    /// Names the columns that a narrow terminal can do without, the first to go first.
    pub(crate) fn sparing(self, spared: &'a [&'a str]) -> Self {
        Self { spared, ..self }
    }

    /// Says how the cells of a row are written, where that is not as in JSON.
    pub(crate) fn with_cells(self, cells: Cells<'a, R>) -> Self {
        Self { cells: Some(cells), ..self }
    }

    /// Prints the rows.
    pub(crate) fn print(&self, format: Format) -> io::Result<()> {
        let is_told = self.headline.is_some() && self.rows.is_empty();
        match format {
            Format::Json => {
                let mut out = raw();
                write_json(&mut out, &self.rows)?;
                out.flush()
            }
            Format::Csv => {
                let rows = self.rows.iter().map(|row| self.cells(row)).collect::<io::Result<Vec<_>>>()?;
                let values = [csv::written([self.fields])?, csv::written(rows)?].concat();
                let mut out = raw();
                out.write_all(&printed(values, is_terminal()))?;
                out.flush()
            }
            Format::Markdown => {
                let mut out = styled();
                if let Some(headline) = self.headline {
                    writeln!(out, "{headline}")?;
                }
                if !is_told {
                    if self.headline.is_some() {
                        writeln!(out)?;
                    }
                    (self.sheet)(false).write_markdown(&mut out)?;
                }
                out.flush()
            }
            Format::Table => {
                self.headline.map_or(Ok(()), note)?;
                if is_told {
                    return Ok(());
                }
                let width = terminal_width();
                let whole = (self.sheet)(false);
                let shown = if whole.fits(width) { whole } else { (self.sheet)(true) };
                let mut out = styled();
                shown.narrowed(width, self.spared).write_table(&mut out, width)?;
                out.flush()
            }
        }
    }

    /// Returns the fields of a row as text: lists as words with spaces.
    fn cells(&self, row: &R) -> io::Result<Vec<String>> {
        if let Some(cells) = self.cells {
            return Ok(cells(row));
        }
        let object = serde_json::to_value(row).map_err(io::Error::from)?;
        Ok(self.fields.iter().map(|field| csv::cell(&object[*field])).collect())
    }
}

/// Writes a value as JSON with a line end.
///
/// Characters that could harm a terminal are written as `\u` escapes, which read back the same.
pub(crate) fn write_json<V: Serialize>(out: &mut dyn Write, value: &V) -> io::Result<()> {
    write_formatted(out, value, PrettyFormatter::new())
}

/// Writes a value as JSON on one line, with the same escapes as [`write_json`].
pub(crate) fn write_json_line<V: Serialize>(out: &mut dyn Write, value: &V) -> io::Result<()> {
    write_formatted(out, value, CompactFormatter)
}

fn write_formatted(out: &mut dyn Write, value: &impl Serialize, formatter: impl Formatter) -> io::Result<()> {
    let mut bytes = Vec::new();
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Harmless(formatter)))
        .map_err(io::Error::from)?;
    bytes.push(b'\n');
    out.write_all(&bytes)
}

/// Returns comma-separated values as they are printed: a terminal gets nothing that harms it.
fn printed(values: Vec<u8>, for_terminal: bool) -> Vec<u8> {
    if for_terminal {
        harmless_lines(&String::from_utf8_lossy(&values)).into_owned().into_bytes()
    } else {
        values
    }
}

/// Escapes what could harm a terminal, beside what JSON escapes anyway.
struct Harmless<F>(F);

impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_harmful) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let character = rest[at..].chars().next().unwrap_or_default();
            // Everything harmful lies in the basic plane, so one unit is enough.
            write!(writer, "\\u{:04x}", u32::from(character))?;
            rest = &rest[at + character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        self.0.write_char_escape(writer, escape)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_harmless_and_reads_back_the_same() {
        let value =
            serde_json::json!({"title": "a\u{1b}[1m\u{9b}b\u{202e}c\n\"é中👩\u{7f}", "list": [1, null, {}]});
        for write in [write_json::<serde_json::Value>, write_json_line::<serde_json::Value>] {
            let mut out = Vec::new();
            write(&mut out, &value).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(!text.chars().any(|character| is_harmful(character) && character != '\n'), "{text:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn a_json_line_is_one_line() {
        let mut out = Vec::new();
        write_json_line(&mut out, &serde_json::json!({"a": "b\nc"})).unwrap();
        assert_eq!(out, b"{\"a\":\"b\\nc\"}\n");
    }

    #[test]
    fn csv_on_a_terminal_is_harmless() {
        let values = "text\n\u{202e}\n".as_bytes().to_vec();
        assert_eq!(printed(values.clone(), true), b"text\n\\u{202e}\n");
        assert_eq!(printed(values.clone(), false), values);
    }
}
