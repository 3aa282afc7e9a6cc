//! PDF: text by an interpreter that draws each page on a device of our own.
//!
//! Glyphs become lines by their baselines, and lines paragraphs. When a file was made, by what, and its ids are never read.

mod device;
mod facts;
mod furniture;
mod letters;
mod line;
mod paragraphs;
mod stretch;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};
use recrawl_core::model::document::{Document, UnreadDocument};

use self::device::{LimitReached, TextDevice};
use crate::limits::{CUT, MAX_PAGES};

/// A file has its header within so many bytes, and its mark of the end within so many from its end.
const EDGE: usize = 1_024;

/// Reads a PDF.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Document, UnreadDocument> {
    check_ends(&bytes)?;
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => UnreadDocument::Password,
        LoadPdfError::Decryption(
            DecryptionError::MissingIDEntry
            | DecryptionError::InvalidEncryption
            | DecryptionError::UnsupportedAlgorithm,
        )
        | LoadPdfError::Invalid => UnreadDocument::Damaged,
    })?;
    let cache = InterpreterCache::new();
    let settings = InterpreterSettings::default();
    let mut device = TextDevice::default();
    let mut pages = Vec::new();
    let mut cut = None;
    for page in pdf.pages().iter().take(MAX_PAGES) {
        let end = draw(&pdf, page, &cache, &settings, &mut device)?;
        pages.push(device.take_page());
        if end == PageEnd::Limit {
            cut = Some(CUT.to_owned());
            break;
        }
    }
    if device.is_unmapped() {
        return Err(UnreadDocument::Unmapped);
    }
    let lines = paragraphs::paragraphs(&pages);
    let cut = cut.or_else(|| lines.cut());
    let lines = lines.into_lines();
    if lines.is_empty() {
        return Err(UnreadDocument::Scanned);
    }
    Ok(Document {
        title: facts::title(&pdf),
        language: facts::language(&pdf),
        parts: u32::try_from(pdf.pages().len()).ok(),
        lines,
        links: facts::links(&pdf),
        cut,
    })
}

/// Tells whether a file begins and ends as a PDF does. No real one lacks its end: a server broke off.
fn check_ends(bytes: &[u8]) -> Result<(), UnreadDocument> {
    let has = |part: &[u8], mark: &[u8]| part.windows(mark.len()).any(|window| window == mark);
    if !has(&bytes[..bytes.len().min(EDGE)], b"%PDF-") {
        return Err(UnreadDocument::Damaged);
    }
    let end = bytes.trim_ascii_end();
    let end = end.strip_suffix(b"\0").map_or(end, |_| end.trim_ascii_end());
    if has(&end[end.len().saturating_sub(EDGE)..], b"%%EOF") {
        Ok(())
    } else {
        Err(UnreadDocument::BreaksOff)
    }
}

/// How the drawing of a page ended.
#[derive(Debug, PartialEq, Eq)]
enum PageEnd {
    Whole,
    Limit,
}

fn draw<'a>(
    pdf: &'a Pdf,
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    settings: &InterpreterSettings,
    device: &mut TextDevice,
) -> Result<PageEnd, UnreadDocument> {
    let drawing = AssertUnwindSafe(|| {
        let transform = page.initial_transform(false).to_kurbo();
        // What is drawn outside of the box is text, too.
        let bounds = Rect::new(0.0, 0.0, 1.0, 1.0);
        let mut context = Context::new(transform, bounds, cache, pdf.xref(), settings.clone());
        interpret_page(page, &mut context, device);
    });
    match catch_unwind(drawing) {
        Ok(()) => Ok(PageEnd::Whole),
        Err(payload) if payload.is::<LimitReached>() => Ok(PageEnd::Limit),
        // A fault of the interpreter: nobody knows what is missing.
        Err(_) => Err(UnreadDocument::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_breaks_off_is_not_read() {
        for (bytes, expected) in [
            (&b"%PDF-1.7 x %%EOF\n"[..], Ok(())),
            (b"junk %PDF-1.7 x %%EOF\n\0", Ok(())),
            (b"%PDF-1.7 x", Err(UnreadDocument::BreaksOff)),
            (b"<html>%%EOF", Err(UnreadDocument::Damaged)),
            (b"", Err(UnreadDocument::Damaged)),
        ] {
            assert_eq!(check_ends(bytes), expected);
        }
    }
}
