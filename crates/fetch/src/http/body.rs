//! Reading a body within its limits.

use super::failure;
use crate::decode::{Decoder, Room};
use crate::transport::TransportError;

/// How much of a body is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes after decoding.
    pub(super) body: usize,
    /// Bytes before decoding.
    pub(super) raw: usize,
}

/// A body, or the beginning of one.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// The decoded bytes.
    pub(super) bytes: Vec<u8>,
    /// There was more than a limit allows.
    pub(super) truncated: bool,
    /// Bytes received.
    pub(super) raw: u64,
}

/// Reads and decodes the body of `answer`, and stops at the first limit that is reached.
pub(super) async fn read(
    answer: &mut reqwest::Response,
    codings: Option<&str>,
    limits: Limits,
) -> Result<Body, TransportError> {
    let expected = answer.content_length();
    let mut decoder = Decoder::new(codings, limits.body, expected).map_err(failure::of_decoder)?;
    let mut raw = 0;
    while let Some(chunk) = answer.chunk().await.map_err(failure::of_client)? {
        let fits = chunk.len().min(limits.raw - raw);
        raw += fits;
        let room = decoder.push(&chunk[..fits]).map_err(failure::of_decoder)?;
        if room == Room::None || fits < chunk.len() {
            return Ok(Body { bytes: decoder.take(), truncated: true, raw: raw as u64 });
        }
    }
    let room = decoder.end(raw > 0).map_err(failure::of_decoder)?;
    Ok(Body { bytes: decoder.take(), truncated: room == Room::None, raw: raw as u64 })
}
