//! From bytes to text: decompression and encodings.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;

use super::MAX_BYTES;
use super::collector::Collector;

/// How often a file may be compressed: once by itself and once more by its server.
const MAX_LAYERS: usize = 2;

/// Decompresses gzip, and cuts at [`MAX_BYTES`].
pub(super) fn decompress<'a>(bytes: &'a [u8], collector: &mut Collector) -> Cow<'a, [u8]> {
    let mut bytes = Cow::Borrowed(bytes);
    for _ in 0..MAX_LAYERS {
        if !bytes.starts_with(b"\x1F\x8B") {
            break;
        }
        // Growing takes twice the memory for a moment; room that stays empty takes none.
        let mut decompressed = Vec::with_capacity(MAX_BYTES + 1);
        let mut decoder = MultiGzDecoder::new(&*bytes).take(MAX_BYTES as u64 + 1);
        // What was decompressed before an error is kept.
        if let Err(error) = decoder.read_to_end(&mut decompressed) {
            collector.warn(format!("is not whole gzip: {error}"));
        }
        bytes = Cow::Owned(decompressed);
    }
    if bytes.len() > MAX_BYTES {
        collector.warn(format!("is longer than {MAX_BYTES} bytes, the rest is not read"));
        match &mut bytes {
            Cow::Borrowed(borrowed) => *borrowed = &borrowed[..MAX_BYTES],
            Cow::Owned(owned) => owned.truncate(MAX_BYTES),
        }
    }
    bytes
}

/// Decodes text; what cannot be decoded becomes U+FFFD.
pub(super) fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let encoding = content_type
        .and_then(charset)
        .or_else(|| unmarked_utf_16(bytes))
        .or_else(|| declared(bytes))
        .unwrap_or(UTF_8);
    encoding.decode_without_bom_handling(bytes).0
}

fn charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("charset").then(|| Encoding::for_label(value.as_bytes()))?
    })
}

fn unmarked_utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, _, 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, _, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns the encoding of an XML declaration.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]);
    let declaration = start.trim_start().strip_prefix("<?xml")?.split_once("?>")?.0;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let label = value[1..].split_once(quote)?.0;
    // A declaration that can be read as ASCII is not in UTF-16, whatever it says.
    Encoding::for_label(label.as_bytes()).map(Encoding::output_encoding)
}
