//! Charset sniffing: finds the encoding of a page, from its BOM, header, `meta` or bytes, and decodes it.
//!
//! The encoding is taken from the byte order mark, then the `Content-Type` header, then the page's
//! own declaration in its first 1024 bytes, and is guessed only when all three are silent.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use crate::media_type::MediaType;

mod prescan;

/// A body turned into text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'body> {
    /// The text, without its byte order mark; borrowed when the body is valid UTF-8.
    pub text: Cow<'body, str>,
    /// The encoding the body was read in.
    pub encoding: &'static Encoding,
}

/// Turns a body into text, replacing what its encoding does not allow.
pub fn decode<'body>(body: &'body [u8], content_type: Option<&str>) -> Decoded<'body> {
    if let Some((encoding, mark_length)) = Encoding::for_bom(body) {
        return decode_as(encoding, &body[mark_length..]);
    }
    if let Some(encoding) = declared_in_header(content_type).or_else(|| prescan::prescan(body)) {
        return decode_as(encoding, body);
    }
    if let Ok(text) = str::from_utf8(body) {
        return Decoded { text: Cow::Borrowed(text), encoding: UTF_8 };
    }
    decode_as(guess(body), body)
}

/// Turns a body into text of which nobody looks inside for an encoding: what its header names, else UTF-8.
pub fn decode_as_declared<'body>(body: &'body [u8], content_type: Option<&str>) -> Decoded<'body> {
    if let Some((encoding, mark_length)) = Encoding::for_bom(body) {
        return decode_as(encoding, &body[mark_length..]);
    }
    decode_as(declared_in_header(content_type).unwrap_or(UTF_8), body)
}

fn decode_as<'body>(encoding: &'static Encoding, body: &'body [u8]) -> Decoded<'body> {
    let (text, _had_errors) = encoding.decode_without_bom_handling(body);
    Decoded { text, encoding }
}

fn declared_in_header(content_type: Option<&str>) -> Option<&'static Encoding> {
    let charset = MediaType::parse(content_type?)?.charset?;
    Encoding::for_label(charset.as_bytes())
}

fn guess(body: &[u8]) -> &'static Encoding {
    // Browsers deny ISO-2022-JP here because its escapes can smuggle markup past filters.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(body, true);
    // No top-level domain: the same bytes are the same text on every host.
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[track_caller]
    fn assert_decodes(body: &[u8], header: Option<&str>, encoding: &str, text: &str) {
        let decoded = decode(body, header);
        assert_eq!((decoded.encoding.name(), &*decoded.text), (encoding, text));
    }

    #[test]
    fn byte_order_mark_wins_over_header_and_meta() {
        let header = Some("text/html; charset=koi8-r");
        assert_decodes(b"\xEF\xBB\xBFa", header, "UTF-8", "a");
        assert_decodes(b"\xFF\xFEa\0", header, "UTF-16LE", "a");
        assert_decodes(b"\xFE\xFF\0a", header, "UTF-16BE", "a");
    }

    #[test]
    fn header_wins_over_meta() {
        let body = b"<meta charset=utf-8>\xE9";
        assert_decodes(
            body,
            Some("text/html; charset=iso-8859-1"),
            "windows-1252",
            "<meta charset=utf-8>\u{e9}",
        );
    }

    #[test]
    fn unknown_label_in_header_leaves_the_choice_to_meta() {
        assert_decodes(
            b"<meta charset=windows-1251>\xCF",
            Some("text/html; charset=nonsense"),
            "windows-1251",
            "<meta charset=windows-1251>\u{41f}",
        );
    }

    #[test]
    fn undeclared_utf8_is_borrowed() {
        let decoded = decode("caf\u{e9}".as_bytes(), Some("text/html"));
        assert!(matches!(decoded.text, std::borrow::Cow::Borrowed("caf\u{e9}")));
        assert_eq!(decoded.encoding.name(), "UTF-8");
    }

    #[test]
    fn undeclared_legacy_text_is_guessed() {
        let russian = "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}, \u{43c}\u{438}\u{440}! \
                       \u{42d}\u{442}\u{43e} \u{43f}\u{440}\u{43e}\u{441}\u{442}\u{43e}\u{439} \
                       \u{442}\u{435}\u{43a}\u{441}\u{442}.";
        let (body, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_decodes(&body, None, "windows-1251", russian);
    }

    #[test]
    fn invalid_sequences_are_replaced() {
        assert_decodes(b"a\xFFb", Some("text/html; charset=utf-8"), "UTF-8", "a\u{fffd}b");
        assert_decodes(b"a\x81", Some("text/html; charset=shift_jis"), "Shift_JIS", "a\u{fffd}");
        assert_decodes(b"", None, "UTF-8", "");
    }
}
