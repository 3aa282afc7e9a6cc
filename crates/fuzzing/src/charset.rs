//! Encodings: found as the standards say, step by step.

mod standard;

use encoding_rs::{Encoding, UTF_8};
use recrawl_extract::charset::decode;

use crate::first_line;

/// Reads the first line as a `Content-Type`, and the rest as a page.
pub fn read_charset(data: &[u8]) {
    let (header, body) = first_line(data);
    let header = String::from_utf8_lossy(header);
    for header in [None, Some("text/html"), Some(&*header)] {
        let decoded = decode(body, header);
        let replaced = decoded.text.matches('\u{fffd}').count();
        assert!(replaced <= body.len() && decoded.text.len() <= 4 * body.len() + 4);
        if let Some((encoding, _)) = Encoding::for_bom(body) {
            assert_eq!(decoded.encoding, encoding, "the mark decides");
        }
    }
    if Encoding::for_bom(body).is_some() {
        return;
    }
    let decoded = decode(body, None);
    match standard::declared(body) {
        Some(encoding) => assert_eq!(decoded.encoding, encoding, "the page decides"),
        None if str::from_utf8(body).is_ok() => assert_eq!(decoded.encoding, UTF_8, "nobody says"),
        None => {}
    }
}
