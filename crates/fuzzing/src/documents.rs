//! Documents: whatever a file is, what is read of it is lines within limits, and the same twice.

use recrawl_core::model::document::{Document, DocumentFormat, UnreadDocument};
use recrawl_documents::read;

/// More text than any document gives.
const MAX_TEXT: usize = 4 << 20;

/// Reads a PDF.
pub fn read_pdf(data: &[u8]) {
    assert_reads(DocumentFormat::Pdf, data);
}

/// Reads an office file; the first byte says of which kind.
pub fn read_office(data: &[u8]) {
    const FORMATS: [DocumentFormat; 5] = [
        DocumentFormat::Docx,
        DocumentFormat::Xlsx,
        DocumentFormat::Pptx,
        DocumentFormat::Odt,
        DocumentFormat::Ods,
    ];
    let Some((first, file)) = data.split_first() else { return };
    assert_reads(FORMATS[usize::from(*first) % FORMATS.len()], file);
}

fn assert_reads(format: DocumentFormat, file: &[u8]) {
    let read_once = read(format, file.to_vec());
    assert_eq!(read(format, file.to_vec()), read_once);
    match read_once {
        Ok(document) => assert_holds(&document),
        Err(reason) => assert!(!matches!(reason, UnreadDocument::Process | UnreadDocument::NotBuilt)),
    }
}

fn assert_holds(document: &Document) {
    assert!(!document.lines.is_empty());
    let bytes: usize = document.lines.iter().map(|line| line.text.len()).sum();
    assert!(bytes < MAX_TEXT, "{bytes} bytes");
    for line in &document.lines {
        assert!(!line.text.is_empty() && !line.text.contains(['\n', '\r']), "{:?}", line.text);
        assert_eq!(line.text.trim(), line.text);
    }
    for link in &document.links {
        assert!(!link.contains(char::is_control), "{link:?}");
    }
    assert!(document.title.as_ref().is_none_or(|title| !title.is_empty() && !title.contains('\n')));
}
