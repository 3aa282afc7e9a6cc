//! Reading a body within its limits.

use super::deadline::Deadline;
use super::failure;
use crate::decode::{Decoder, Limit};
use crate::http::body_budget::Reservation;
use crate::transport::TransportError;

/// How much of a body is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes after decoding.
    pub(crate) body: usize,
    /// Bytes before decoding.
    pub(crate) raw: usize,
}

/// A body, or the beginning of one.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// The decoded bytes.
    pub(crate) bytes: Vec<u8>,
    /// There was more than a limit allows.
    pub(crate) truncated: bool,
    /// Bytes received.
    pub(crate) raw: u64,
}

/// How much of a coded body is decoded before it is looked at how much that made: a few bytes can be megabytes.
const SLICE: usize = 4 << 10;

/// How often the length of a body counts: reading a page takes its tree, its text and its links beside it, and those
/// of pages that were made to cost the most take this much.
pub(crate) const WEIGHT: u64 = 12;

/// What is reserved ahead of what has arrived, so that not every packet asks for a little more.
pub(crate) const AHEAD: u64 = 64 << 10;

/// Reads and decodes the body of `answer`, and stops at the first limit that is reached.
///
/// What is kept of it is reserved in `memory`; the server waits where there is none left.
pub(crate) async fn read(
    answer: &mut reqwest::Response,
    codings: Option<&str>,
    limits: Limits,
    memory: &mut Reservation,
    deadline: &mut Deadline,
) -> Result<Body, TransportError> {
    let expected = answer.content_length();
    let mut decoder = Decoder::new(codings, limits.body, expected).map_err(failure::of_decoder)?;
    let is_plain = matches!(decoder, Decoder::Plain(_));
    if let Some(length) = expected.filter(|_| is_plain) {
        deadline.we_waited(memory.grow_to(WEIGHT * length.min(limits.body as u64)).await);
    }
    let mut raw = 0;
    let mut is_whole = true;
    'receiving: while let Some(chunk) = deadline.within(answer.chunk()).await?.map_err(failure::of_client)? {
        let fits = chunk.len().min(limits.raw - raw);
        raw += fits;
        for slice in chunk[..fits].chunks(if is_plain { chunk.len().max(1) } else { SLICE }) {
            let room = decoder.push(slice).map_err(failure::of_decoder)?;
            let kept = WEIGHT * decoder.decoded() as u64;
            if kept > memory.bytes() {
                deadline.we_waited(memory.grow_to(kept + AHEAD).await);
            }
            if room == Limit::Reached {
                is_whole = false;
                break 'receiving;
            }
        }
        if fits < chunk.len() {
            is_whole = false;
            break;
        }
    }
    if is_whole {
        is_whole = decoder.end(raw > 0).map_err(failure::of_decoder)? == Limit::Within;
    }
    let bytes = decoder.take();
    let kept = WEIGHT * bytes.len() as u64;
    deadline.we_waited(memory.grow_to(kept).await);
    memory.shrink_to(kept);
    Ok(Body { bytes, truncated: !is_whole, raw: raw as u64 })
}
