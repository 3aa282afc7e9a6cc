//! What a PDF says of itself: its title, its language, where its links lead.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, String as PdfString};

use crate::links::Links;
use crate::title::given_title;

/// Returns the title, unless a program made it up from the name of a file.
pub(super) fn title(pdf: &Pdf) -> Option<String> {
    given_title(&text(pdf.metadata().title.as_deref()?))
}

/// Returns the language that the document claims.
pub(super) fn language(pdf: &Pdf) -> Option<String> {
    let catalog: Dict<'_> = pdf.xref().get(pdf.xref().root_id())?;
    let language = text(catalog.get::<PdfString<'_>>("Lang")?.as_bytes());
    let is_language = |text: &str| {
        (2..=35).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    Some(language.trim().to_owned()).filter(|language| is_language(language))
}

/// Returns where links lead, in the order of the pages, without doubles.
pub(super) fn links(pdf: &Pdf) -> Vec<String> {
    let mut links = Links::default();
    for page in pdf.pages().iter() {
        let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { continue };
        for annotation in annotations.iter::<Dict<'_>>() {
            let Some(action) = annotation.get::<Dict<'_>>("A") else { continue };
            let Some(target) = action.get::<PdfString<'_>>("URI") else { continue };
            links.push(&text(target.as_bytes()));
            if links.is_full() {
                return links.into_list();
            }
        }
    }
    links.into_list()
}

/// Reads a text string: UTF-16 or UTF-8 with a mark, or else the encoding of PDF, which is Latin-1 but for a few signs.
fn text(bytes: &[u8]) -> String {
    if let Some(units) = bytes.strip_prefix(b"\xFE\xFF") {
        let units = units.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
        return char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}')).map(visible).collect();
    }
    if let Some(text) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return String::from_utf8_lossy(text).chars().map(visible).collect();
    }
    bytes.iter().map(|byte| visible(of_byte(*byte))).collect()
}

fn visible(letter: char) -> char {
    if letter.is_control() { ' ' } else { letter }
}

/// Returns the letter of a byte in `PDFDocEncoding`.
fn of_byte(byte: u8) -> char {
    const FROM: u8 = 0x80;
    const SIGNS: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    match byte.checked_sub(FROM).and_then(|place| SIGNS.get(usize::from(place))) {
        Some(sign) => *sign,
        None => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_are_read_in_their_encodings() {
        assert_eq!(text(b"Stra\xdfe \x84 x\x8d"), "Straße — x“");
        assert_eq!(text(b"\xFE\xFF\0S\x20\xAC"), "S€");
        assert_eq!(text("\u{feff}Straße".as_bytes()), "Straße");
        assert_eq!(text(b"a\x00b"), "a b");
    }
}
