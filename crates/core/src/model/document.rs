//! Documents: files that are no pages and have text all the same, such as PDF.

mod format;

use thiserror::Error;

pub use self::format::DocumentFormat;

/// What was read out of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The title that it gives itself, white space collapsed.
    pub title: Option<String>,
    /// The language that it claims.
    pub language: Option<String>,
    /// How many pages, sheets or slides it has, where its format has such.
    pub parts: Option<u32>,
    /// Its lines, in reading order. None is empty or has a line break in it.
    pub lines: Vec<DocumentLine>,
    /// Where it leads: absolute addresses as they are written, in order, without doubles.
    pub links: Vec<String>,
    /// Why not all of it was read, in words: it is longer than any limit. The same bytes are always cut at the same place.
    pub cut: Option<String>,
}

/// A line of a document: a paragraph, a heading, a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLine {
    /// What kind of line it is.
    pub kind: LineKind,
    /// What it says.
    pub text: String,
}

/// What kind of line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// Text, or a row of a table.
    Text,
    /// A heading, or the name of a sheet.
    Heading,
    /// It stands at the edge of most pages, without the number of the page: once for all of them.
    Margin,
    /// The number of a page, or a line at its edge that stands at the edge of other pages, too.
    Furniture,
}

impl LineKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Text, Self::Heading, Self::Margin, Self::Furniture];
}

/// Why the text of a document could not be read. It is judged by its bytes then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum UnreadDocument {
    /// It is encrypted, and an empty password does not open it.
    #[error("password")]
    Password,
    /// It has pages and no text: they are pictures.
    #[error("scanned, there is no text in it")]
    Scanned,
    /// Its fonts do not say which letters they draw.
    #[error("its fonts do not say which letters they draw")]
    Unmapped,
    /// It breaks off before its end.
    #[error("it breaks off")]
    BreaksOff,
    /// It is not what it claims to be, or nobody can make sense of it.
    #[error("it is damaged, or something else")]
    Damaged,
    /// It was longer than the limit of a body.
    #[error("it is longer than body-limit-documents")]
    TooLong,
    /// Reading it took too long.
    #[error("reading it took too long")]
    Time,
    /// Reading it took too much memory.
    #[error("reading it took too much memory")]
    Memory,
    /// What reads documents could not be started, or ended otherwise.
    #[error("the process that reads documents failed")]
    Process,
    /// This program was built without reading documents.
    #[error("this program was built without reading documents")]
    NotBuilt,
}

impl UnreadDocument {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::Password,
        Self::Scanned,
        Self::Unmapped,
        Self::BreaksOff,
        Self::Damaged,
        Self::TooLong,
        Self::Time,
        Self::Memory,
        Self::Process,
        Self::NotBuilt,
    ];

    /// Returns what is said of a visit, such as "PDF, could not be read: password".
    pub fn remark(self, format: DocumentFormat) -> String {
        match self {
            Self::Scanned => format!("{format}, {self}"),
            _ => format!("{format}{COULD_NOT_BE_READ}{self}"),
        }
    }
}

/// What a remark holds of a document that could not be read.
const COULD_NOT_BE_READ: &str = ", could not be read: ";

impl Document {
    /// Returns what is said beside the name of the document, such as "PDF, 12 pages".
    pub fn size(&self, format: DocumentFormat) -> String {
        match (self.parts, format.part()) {
            (Some(1), Some(part)) => format!("{format}, 1 {part}"),
            (Some(parts), Some(part)) => format!("{format}, {parts} {part}s"),
            _ => format.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_in_words() {
        let of = |parts| Document { parts, ..Document::default() };
        assert_eq!(of(Some(12)).size(DocumentFormat::Pdf), "PDF, 12 pages");
        assert_eq!(of(Some(1)).size(DocumentFormat::Ods), "ODS, 1 sheet");
        assert_eq!(of(None).size(DocumentFormat::Docx), "DOCX");
    }

    #[test]
    fn what_could_not_be_read_is_told_with_the_reason() {
        let pdf = DocumentFormat::Pdf;
        assert_eq!(UnreadDocument::Password.remark(pdf), "PDF, could not be read: password");
        assert_eq!(UnreadDocument::Scanned.remark(pdf), "PDF, scanned, there is no text in it");
    }
}
