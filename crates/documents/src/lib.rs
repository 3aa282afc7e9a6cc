//! Text of PDF and office files: what a document says, as a page says it.
//!
//! [`read`] reads in this process. A crawl reads other people's files in a process of their own, within limits of time and
//! memory: [`DocumentProcess`] starts this program again, and [`child::run_if_asked`] is what that does.

pub mod child;
mod limits;
mod lines;
mod links;
mod office;
mod pdf;
mod process;
mod title;
mod version;
mod wire;

use recrawl_core::model::document::{Document, DocumentFormat, UnreadDocument};

pub use self::process::DocumentProcess;
pub use self::version::VERSION;

/// Reads a document in this process.
///
/// Text, links and what is unpacked of an office file are limited; time and the memory that a PDF takes are not: see
/// [`DocumentProcess`].
pub fn read(format: DocumentFormat, bytes: Vec<u8>) -> Result<Document, UnreadDocument> {
    match format {
        DocumentFormat::Pdf => pdf::read(bytes),
        DocumentFormat::Docx
        | DocumentFormat::Xlsx
        | DocumentFormat::Pptx
        | DocumentFormat::Odt
        | DocumentFormat::Ods => office::read(format, &bytes),
    }
}
