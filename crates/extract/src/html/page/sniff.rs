//! MIME sniffing: whether a body is an HTML page.

use crate::media_type::MediaType;

/// What the MIME Sniffing Standard takes for the beginning of a page.
const PAGE_BEGINNINGS: [&[u8]; 17] = [
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
    b"<!--",
];

/// Tells whether a body is HTML or XHTML.
///
/// The header decides; only when it is missing or says nothing does the beginning of the body.
pub fn is_html(content_type: Option<&str>, body_prefix: &[u8]) -> bool {
    match content_type.and_then(MediaType::parse) {
        Some(media_type) if !media_type.is_unknown() => media_type.is_html(),
        Some(_) | None => begins_like_a_page(body_prefix),
    }
}

fn begins_like_a_page(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    PAGE_BEGINNINGS.iter().any(|beginning| {
        body.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
            && matches!(body.get(beginning.len()), Some(b' ' | b'>'))
    })
}

#[cfg(test)]
mod tests {
    use super::is_html;

    #[test]
    fn the_header_decides() {
        for (header, expected) in [
            ("text/html", true),
            ("TEXT/HTML; charset=utf-8", true),
            ("application/xhtml+xml", true),
            ("text/plain", false),
            ("application/pdf", false),
            ("text/xml", false),
        ] {
            assert_eq!(is_html(Some(header), b"<!doctype html>"), expected, "{header}");
        }
    }

    #[test]
    fn without_a_header_the_body_decides() {
        for (body, expected) in [
            ("<!doctype html>", true),
            (" \n\t<HTML lang=en>", true),
            ("<!DOCTYPE html PUBLIC", true),
            ("<p>text", true),
            ("<!-- comment", true),
            ("<pre>", false),
            ("<!--comment", false),
            ("<html", false),
            ("<?xml version='1.0'?><html>", false),
            ("%PDF-1.7", false),
            ("plain text", false),
            ("", false),
        ] {
            for header in [None, Some(""), Some("unknown/unknown"), Some("*/*")] {
                assert_eq!(is_html(header, body.as_bytes()), expected, "{header:?} {body}");
            }
        }
    }
}
