//! `OpenDocument`: texts (odt) and spreadsheets (ods) have the same elements.

use std::fmt::Write as _;

use quick_xml::events::{BytesStart, Event};
use recrawl_core::model::document::{LineKind, UnreadDocument};

use super::Reading;
use super::package::Package;
use super::word::{BETWEEN_CELLS, end_row, full};
use super::xml::{attribute, push_text};

/// A cell that is repeated is told so often; then come empty cells to the end of the sheet.
const MAX_REPEATED: u64 = 64;

pub(super) fn read(
    package: &mut Package<'_>,
    reading: &mut Reading,
    is_spreadsheet: bool,
) -> Result<(), UnreadDocument> {
    let mut is_encrypted = false;
    package.read("META-INF/manifest.xml", |event| {
        if let Event::Start(element) | Event::Empty(element) = event {
            is_encrypted |= element.local_name().as_ref() == "encryption-data";
        }
        super::package::GO_ON
    })?;
    if is_encrypted {
        return Err(UnreadDocument::Password);
    }
    let mut flow = OpenFlow { is_spreadsheet, ..OpenFlow::default() };
    let found = package.read("content.xml", |event| {
        flow.read(event, reading);
        full(&flow.line)
    })?;
    if !found {
        return Err(UnreadDocument::Damaged);
    }
    if is_spreadsheet {
        reading.parts = Some(flow.tables);
    } else {
        // Lines at the edge of pages stand among the styles.
        let mut margins = OpenFlow { only_margins: true, ..OpenFlow::default() };
        package.read("styles.xml", |event| {
            margins.read(event, reading);
            full(&margins.line)
        })?;
    }
    Ok(())
}

/// A part under way.
#[derive(Default)]
struct OpenFlow {
    is_spreadsheet: bool,
    only_margins: bool,
    /// The text of the paragraph, or of the row.
    line: String,
    /// Texts of notes, which stand within paragraphs.
    notes: Vec<String>,
    note: Option<String>,
    /// Elements that are left out, one inside the other.
    skipped: u32,
    paragraphs: u32,
    rows: u32,
    margins: u32,
    tables: u32,
    row_times: u64,
    cell_times: u64,
    cell_start: usize,
}

impl OpenFlow {
    fn read(&mut self, event: &Event<'_>, reading: &mut Reading) {
        match event {
            Event::Start(element) => self.start(element, reading),
            Event::Empty(element) => self.empty(element, reading),
            Event::End(element) => self.end(element.local_name().as_ref(), reading),
            other if self.paragraphs > 0 && self.skipped == 0 => {
                push_text(other, self.note.as_mut().unwrap_or(&mut self.line));
            }
            _ => {}
        }
    }

    fn start(&mut self, element: &BytesStart<'_>, reading: &mut Reading) {
        let name = element.local_name();
        let name = name.as_ref();
        if is_left_out(name) {
            self.skipped += 1;
        }
        match name {
            "p" | "h" => self.paragraphs += 1,
            "header" | "footer" => self.margins += 1,
            "table-row" => {
                if self.rows == 0 {
                    self.line.clear();
                    self.row_times = repeated(element, "number-rows-repeated");
                }
                self.rows += 1;
            }
            "table-cell" | "covered-table-cell" => {
                self.cell_times = repeated(element, "number-columns-repeated");
                self.cell_start = self.line.len();
            }
            "note-body" if self.note.is_none() => self.note = Some(String::new()),
            _ => self.empty(element, reading),
        }
    }

    fn empty(&mut self, element: &BytesStart<'_>, reading: &mut Reading) {
        match element.local_name().as_ref() {
            "table" if self.is_spreadsheet => {
                self.tables += 1;
                reading.lines.push(LineKind::Heading, &attribute(element, "name").unwrap_or_default());
            }
            "s" | "tab" | "line-break" => self.note.as_mut().unwrap_or(&mut self.line).push(' '),
            "a" => {
                if let Some(target) = attribute(element, "href") {
                    reading.links.push(&target);
                }
            }
            "table-cell" | "covered-table-cell" => {
                for _ in 0..repeated(element, "number-columns-repeated").min(MAX_REPEATED) {
                    self.line.push_str(BETWEEN_CELLS);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str, reading: &mut Reading) {
        if is_left_out(name) {
            self.skipped = self.skipped.saturating_sub(1);
        }
        match name {
            "header" | "footer" => self.margins = self.margins.saturating_sub(1),
            "note-body" => self.notes.extend(self.note.take()),
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if let Some(note) = &mut self.note {
                    note.push(' ');
                } else if self.rows > 0 {
                    self.line.push(' ');
                } else if self.paragraphs == 0 {
                    let kind = if name == "h" { LineKind::Heading } else { LineKind::Text };
                    self.push_line(kind, reading);
                }
            }
            "table-cell" | "covered-table-cell" => self.end_cell(),
            "table-row" => {
                self.rows = self.rows.saturating_sub(1);
                if self.rows == 0 {
                    end_row(&mut self.line);
                    if self.row_times > 1 && !self.line.trim().is_empty() {
                        let _ = write!(self.line, " (\u{d7} {})", self.row_times);
                    }
                    self.push_line(LineKind::Text, reading);
                }
            }
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        self.line.truncate(self.line.trim_end_matches(' ').len().max(self.cell_start));
        let cell = self.line.get(self.cell_start..).unwrap_or_default().to_owned();
        self.line.push_str(BETWEEN_CELLS);
        // Many long cells would be more than any document.
        if cell.len() < 1_000 {
            for _ in 1..self.cell_times.min(MAX_REPEATED) {
                self.line.push_str(&cell);
                self.line.push_str(BETWEEN_CELLS);
            }
        }
    }

    fn push_line(&mut self, kind: LineKind, reading: &mut Reading) {
        if !self.only_margins {
            reading.lines.push(kind, &self.line);
        } else if self.margins > 0 {
            reading.lines.push(LineKind::Margin, &self.line);
        }
        self.line.clear();
        for note in self.notes.drain(..) {
            reading.lines.push(LineKind::Text, &note);
        }
    }
}

fn repeated(element: &BytesStart<'_>, name: &str) -> u64 {
    attribute(element, name).and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Tells whether an element is left out with all that is in it: deleted text, comments, and what changes by itself.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "tracked-changes"
            | "annotation"
            | "page-number"
            | "page-count"
            | "date"
            | "time"
            | "file-name"
            | "note-citation"
            | "index-title-template"
    )
}
