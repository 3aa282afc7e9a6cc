//! Word files (docx): a line for each paragraph, and for each row of a table.

use std::collections::HashSet;

use quick_xml::events::{BytesStart, Event};
use recrawl_core::model::document::{LineKind, UnreadDocument};

use super::Reading;
use super::package::{Flow, GO_ON, Package, STOP};
use super::relationships::Relationships;
use super::xml::{attribute, push_text};

/// What stands between the cells of a row.
pub(super) const BETWEEN_CELLS: &str = " | ";

/// Parts at the edge of pages that are read.
const MAX_MARGINS: usize = 20;

pub(super) fn read(package: &mut Package<'_>, reading: &mut Reading) -> Result<(), UnreadDocument> {
    const MAIN: &str = "word/document.xml";
    if !package.has(MAIN) {
        return Err(UnreadDocument::Damaged);
    }
    let headings = heading_styles(package)?;
    Relationships::of(package, MAIN, &mut reading.links)?;
    for path in [MAIN, "word/footnotes.xml", "word/endnotes.xml"] {
        read_flow(package, path, &headings, |kind, line| reading.lines.push(kind, line))?;
    }
    let mut known = HashSet::new();
    let margins = [package.names("word/header"), package.names("word/footer")].concat();
    for path in margins.into_iter().filter(|path| is_xml(path)).take(MAX_MARGINS) {
        read_flow(package, &path, &headings, |_, line| {
            if known.insert(line.to_owned()) {
                reading.lines.push(LineKind::Margin, line);
            }
        })?;
    }
    Ok(())
}

fn is_xml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "xml")
}

/// Returns the ids of the styles of headings, which have English names in every language.
fn heading_styles(package: &mut Package<'_>) -> Result<HashSet<String>, UnreadDocument> {
    let mut headings = HashSet::new();
    let mut id = None;
    package.read("word/styles.xml", |event| {
        let (Event::Start(element) | Event::Empty(element)) = event else { return GO_ON };
        match element.local_name().as_ref() {
            "style" => id = attribute(element, "styleId"),
            "name" => {
                let name = attribute(element, "val").unwrap_or_default().to_ascii_lowercase();
                if (name.starts_with("heading") || name == "title")
                    && let Some(id) = id.take()
                {
                    headings.insert(id);
                }
            }
            _ => {}
        }
        GO_ON
    })?;
    Ok(headings)
}

/// A part under way.
#[derive(Default)]
struct FlowText {
    /// The text of the paragraph, or of the row.
    line: String,
    /// Elements that are left out, one inside the other.
    skipped: u32,
    /// Elements with text, one inside the other.
    text: u32,
    rows: u32,
    is_heading: bool,
    fields: Fields,
}

fn read_flow(
    package: &mut Package<'_>,
    path: &str,
    headings: &HashSet<String>,
    mut push: impl FnMut(LineKind, &str),
) -> Result<bool, UnreadDocument> {
    let mut flow = FlowText::default();
    package.read(path, |event| {
        match event {
            Event::Start(element) => flow.start(element, headings),
            Event::Empty(element) => flow.empty(element, headings),
            Event::End(element) => {
                if let Some(kind) = flow.end(element.local_name().as_ref()) {
                    push(kind, &flow.line);
                    flow.line.clear();
                }
            }
            other => flow.push(other),
        }
        full(&flow.line)
    })
}

/// Ends a part where one line has more than any document.
pub(super) fn full(line: &str) -> Flow {
    if line.len() > crate::limits::MAX_TEXT { STOP } else { GO_ON }
}

impl FlowText {
    fn start(&mut self, element: &BytesStart<'_>, headings: &HashSet<String>) {
        let name = element.local_name();
        let name = name.as_ref();
        if is_left_out(name) {
            self.skipped += 1;
        }
        match name {
            "t" | "instrText" => self.text += 1,
            "tr" => self.rows += 1,
            "p" if self.rows == 0 => self.is_heading = false,
            "fldSimple" => self.fields.begin_with(&attribute(element, "instr").unwrap_or_default()),
            _ => self.empty(element, headings),
        }
        if name == "instrText" {
            self.fields.reads_instruction = true;
        }
    }

    fn empty(&mut self, element: &BytesStart<'_>, headings: &HashSet<String>) {
        match element.local_name().as_ref() {
            "tab" | "br" | "cr" => self.line.push(' '),
            "noBreakHyphen" => self.line.push('-'),
            "pStyle" => {
                self.is_heading = attribute(element, "val").is_some_and(|style| headings.contains(&style));
            }
            "fldChar" => match attribute(element, "fldCharType").as_deref() {
                Some("begin") => self.fields.begin_with(""),
                Some("end") => self.fields.end(),
                _ => {}
            },
            _ => {}
        }
    }

    fn end(&mut self, name: &str) -> Option<LineKind> {
        if is_left_out(name) {
            self.skipped = self.skipped.saturating_sub(1);
        }
        match name {
            "t" => self.text = self.text.saturating_sub(1),
            "instrText" => {
                self.text = self.text.saturating_sub(1);
                self.fields.reads_instruction = false;
            }
            "fldSimple" => self.fields.end(),
            "p" if self.rows == 0 => {
                return Some(if self.is_heading { LineKind::Heading } else { LineKind::Text });
            }
            "p" => self.line.push(' '),
            "tc" => end_cell(&mut self.line),
            "tr" => {
                self.rows = self.rows.saturating_sub(1);
                if self.rows == 0 {
                    end_row(&mut self.line);
                    return Some(LineKind::Text);
                }
            }
            _ => {}
        }
        None
    }

    fn push(&mut self, event: &Event<'_>) {
        if self.text == 0 || self.skipped > 0 {
        } else if self.fields.reads_instruction {
            let mut instruction = String::new();
            push_text(event, &mut instruction);
            self.fields.instruct(&instruction);
        } else if !self.fields.is_volatile() {
            push_text(event, &mut self.line);
        }
    }
}

/// Tells whether an element is left out with all that is in it: text that was moved away, and a second form of a drawing.
fn is_left_out(name: &str) -> bool {
    matches!(name, "moveFrom" | "Fallback" | "del")
}

/// Ends a cell: its text stays in its row.
pub(super) fn end_cell(line: &mut String) {
    line.truncate(line.trim_end_matches(' ').len());
    line.push_str(BETWEEN_CELLS);
}

/// Ends a row: empty cells at its end do not count.
pub(super) fn end_row(line: &mut String) {
    line.truncate(line.trim_end_matches([' ', '|']).len());
}

/// Fields: what Word computes. Numbers of pages and the time of printing change by themselves.
#[derive(Default)]
struct Fields {
    /// Whether each open field changes by itself.
    open: Vec<bool>,
    reads_instruction: bool,
}

impl Fields {
    fn begin_with(&mut self, instruction: &str) {
        // Deeper ones are no fields of a person.
        if self.open.len() < 100 {
            self.open.push(is_volatile(instruction));
        }
    }

    fn instruct(&mut self, instruction: &str) {
        if let Some(open) = self.open.last_mut() {
            *open |= is_volatile(instruction);
        }
    }

    fn end(&mut self) {
        self.open.pop();
    }

    fn is_volatile(&self) -> bool {
        self.open.contains(&true)
    }
}

fn is_volatile(instruction: &str) -> bool {
    const NAMES: [&str; 9] =
        ["PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF", "DATE", "TIME", "SAVEDATE", "PRINTDATE", "FILENAME"];
    let name = instruction.split_whitespace().next().unwrap_or_default();
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}
