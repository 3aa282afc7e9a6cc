//! Workbooks (xlsx): sheet by sheet and row by row, numbers and dates as a person sees them.

mod date;
mod number_format;
mod styles;

use quick_xml::events::{BytesStart, Event};
use recrawl_core::model::document::{LineKind, UnreadDocument};

use self::styles::Styles;
use super::Reading;
use super::package::{GO_ON, Package, STOP};
use super::relationships::Relationships;
use super::word::{BETWEEN_CELLS, end_row, full};
use super::xml::{attribute, prefixed_attribute, push_text};
use crate::limits::MAX_SHARED;

/// Sheets that are read.
const MAX_SHEETS: usize = 1_000;

/// So many empty cells in a row are told; where there are more, the next cell stands behind one.
const MAX_GAP: usize = 16;

struct Sheet {
    name: String,
    id: String,
}

pub(super) fn read(package: &mut Package<'_>, reading: &mut Reading) -> Result<(), UnreadDocument> {
    const MAIN: &str = "xl/workbook.xml";
    let relationships = Relationships::of(package, MAIN, &mut reading.links)?;
    let mut sheets = Vec::new();
    let mut is_1904 = false;
    let found = package.read(MAIN, |event| {
        if let Event::Start(element) | Event::Empty(element) = event {
            match element.local_name().as_ref() {
                "sheet" => sheets.push(Sheet {
                    name: attribute(element, "name").unwrap_or_default(),
                    id: prefixed_attribute(element, "r", "id").unwrap_or_default(),
                }),
                "workbookPr" => {
                    is_1904 = matches!(attribute(element, "date1904").as_deref(), Some("1" | "true"));
                }
                _ => {}
            }
        }
        if sheets.len() > MAX_SHEETS { STOP } else { GO_ON }
    })?;
    if !found {
        return Err(UnreadDocument::Damaged);
    }
    reading.parts = u32::try_from(sheets.len()).ok();
    let styles = Styles::read(package, is_1904)?;
    let shared = shared_texts(package)?;
    for sheet in sheets.iter().take(MAX_SHEETS) {
        reading.lines.push(LineKind::Heading, &sheet.name);
        let Some(path) = relationships.path(&sheet.id) else { continue };
        Relationships::of(package, path, &mut reading.links)?;
        read_sheet(package, path, &shared, &styles, reading)?;
        if reading.lines.is_full() {
            break;
        }
    }
    Ok(())
}

/// Reads the texts that cells share.
fn shared_texts(package: &mut Package<'_>) -> Result<Vec<String>, UnreadDocument> {
    let mut texts = Vec::new();
    let mut text = String::new();
    let (mut bytes, mut open, mut phonetic) = (0, 0_u32, 0_u32);
    package.read("xl/sharedStrings.xml", |event| {
        match event {
            Event::Start(element) => match element.local_name().as_ref() {
                "t" => open += 1,
                // How it is spoken.
                "rPh" => phonetic += 1,
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "t" => open = open.saturating_sub(1),
                "rPh" => phonetic = phonetic.saturating_sub(1),
                "si" => {
                    bytes += text.len() + size_of::<String>();
                    texts.push(std::mem::take(&mut text));
                }
                _ => {}
            },
            Event::Empty(element) if element.local_name().as_ref() == "si" => texts.push(String::new()),
            other if open > 0 && phonetic == 0 => push_text(other, &mut text),
            _ => {}
        }
        if bytes + text.len() > MAX_SHARED { STOP } else { GO_ON }
    })?;
    // A cell without its text would be another workbook.
    if bytes + text.len() > MAX_SHARED { Err(UnreadDocument::Memory) } else { Ok(texts) }
}

/// A cell under way.
#[derive(Default)]
struct Cell {
    kind: String,
    style: usize,
    value: String,
}

impl Cell {
    fn of(element: &BytesStart<'_>) -> Self {
        Self {
            kind: attribute(element, "t").unwrap_or_default(),
            style: attribute(element, "s").and_then(|style| style.parse().ok()).unwrap_or_default(),
            value: String::new(),
        }
    }

    /// Returns what a person sees.
    fn shown(&self, shared: &[String], styles: &Styles) -> String {
        match self.kind.as_str() {
            "s" => {
                let text = self.value.trim().parse().ok().and_then(|place: usize| shared.get(place));
                text.cloned().unwrap_or_default()
            }
            "b" => if self.value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "inlineStr" | "e" => self.value.clone(),
            _ => styles.show(self.style, self.value.trim()),
        }
    }
}

fn read_sheet(
    package: &mut Package<'_>,
    path: &str,
    shared: &[String],
    styles: &Styles,
    reading: &mut Reading,
) -> Result<(), UnreadDocument> {
    let mut line = String::new();
    let mut cell = Cell::default();
    let (mut open, mut phonetic) = (0_u32, 0_u32);
    // The column behind the last cell of the row.
    let mut next_column = 0;
    package.read(path, |event| {
        match event {
            Event::Start(element) => match element.local_name().as_ref() {
                "row" => {
                    line.clear();
                    next_column = 0;
                }
                "c" => {
                    let column =
                        attribute(element, "r").and_then(|place| column(&place)).unwrap_or(next_column);
                    let gap = column.saturating_sub(next_column);
                    for _ in 0..if gap > MAX_GAP { 1 } else { gap } {
                        line.push_str(BETWEEN_CELLS);
                    }
                    next_column = column.saturating_add(1);
                    cell = Cell::of(element);
                }
                "v" | "t" => open += 1,
                "rPh" => phonetic += 1,
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "v" | "t" => open = open.saturating_sub(1),
                "rPh" => phonetic = phonetic.saturating_sub(1),
                "c" => {
                    if !cell.value.is_empty() {
                        // A line break within a cell stays within its row.
                        line.push_str(&cell.shown(shared, styles).replace(['\n', '\r'], " "));
                    }
                    line.push_str(BETWEEN_CELLS);
                }
                "row" => {
                    end_row(&mut line);
                    reading.lines.push(LineKind::Text, &line);
                    line.clear();
                }
                // Behind the cells stand rules for printing and texts of headers.
                "sheetData" => return STOP,
                _ => {}
            },
            other if open > 0 && phonetic == 0 => push_text(other, &mut cell.value),
            _ => {}
        }
        if reading.lines.is_full() || cell.value.len() > crate::limits::MAX_TEXT { STOP } else { full(&line) }
    })?;
    Ok(())
}

/// Returns the column of a cell by its name, such as 2 for `C5`.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic);
    let number = letters
        .take(4)
        .fold(0_usize, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_by_their_letters() {
        assert_eq!(
            ["A1", "C5", "AA1", "XFD1048576", "7"].map(column),
            [Some(0), Some(2), Some(26), Some(16_383), None]
        );
    }
}
