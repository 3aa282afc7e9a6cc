//! Query strings in the encoding of their page.

use encoding_rs::{EncoderResult, Encoding};

/// Encodes a query string for a URL; a character that the encoding lacks becomes its number, as the
/// URL Standard's percent-encoding after encoding wants it.
pub(super) fn encode(encoding: &'static Encoding, query: &str) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::with_capacity(query.len() + 16);
    let mut rest = query;
    loop {
        let needed = encoder
            .max_buffer_length_from_utf8_without_replacement(rest.len())
            .unwrap_or(rest.len() * 4 + 16);
        bytes.reserve(needed);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return bytes,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                let number = u32::from(character);
                bytes.extend_from_slice(format!("%26%23{number}%3B").as_bytes());
            }
        }
    }
}
