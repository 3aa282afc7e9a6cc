//! Office files: packages (zip) of XML. Read as they come, within a budget of bytes.

mod drawing;
mod odf;
mod package;
mod relationships;
mod spreadsheet;
mod word;
mod xml;

use recrawl_core::model::document::{Document, DocumentFormat, UnreadDocument};

use self::package::Package;
use crate::lines::Lines;
use crate::links::Links;
use crate::title::given_title;

/// What is read of a file under way.
#[derive(Default)]
pub(crate) struct Reading {
    lines: Lines,
    links: Links,
    parts: Option<u32>,
}

/// Reads an office file.
pub(crate) fn read(format: DocumentFormat, bytes: &[u8]) -> Result<Document, UnreadDocument> {
    let mut package = Package::open(bytes)?;
    let mut reading = Reading::default();
    let properties = match format {
        DocumentFormat::Docx => {
            word::read(&mut package, &mut reading)?;
            "docProps/core.xml"
        }
        DocumentFormat::Xlsx => {
            spreadsheet::read(&mut package, &mut reading)?;
            "docProps/core.xml"
        }
        DocumentFormat::Pptx => {
            drawing::read(&mut package, &mut reading)?;
            "docProps/core.xml"
        }
        DocumentFormat::Odt | DocumentFormat::Ods => {
            odf::read(&mut package, &mut reading, format == DocumentFormat::Ods)?;
            "meta.xml"
        }
        DocumentFormat::Pdf => return Err(UnreadDocument::Damaged),
    };
    let [title, language] = xml::texts(&mut package, properties, ["title", "language"]);
    let cut = reading.lines.cut();
    let lines = reading.lines.into_lines();
    if lines.is_empty() {
        return Err(UnreadDocument::Scanned);
    }
    Ok(Document {
        title: title.as_deref().and_then(given_title),
        language: language.filter(|language| !language.is_empty()),
        parts: reading.parts,
        lines,
        links: reading.links.into_list(),
        cut,
    })
}
