//! A way in for fuzzers: what servers send is decoded and read here, behind a network that no fuzzer waits for.
//!
//! No part of the interface, and no feature either: one that a member of the workspace asks for is on for all.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use jiff::Timestamp;
use recrawl_core::model::record::Headers;

use crate::decode::{DecodeError, Decoder, Limit};
use crate::gemini::certificate;
use crate::gemini::head::Head;
use crate::http::{freshness, headers};
use crate::pace::retry_after;

/// How far the clock of a server may be from ours in [`stored`].
pub const TOLERANCE: Duration = Duration::from_mins(15);

/// Decodes `bytes`, arriving `step` at a time; returns what was decoded, and whether it is all.
pub fn decode(codings: &str, bytes: &[u8], step: usize, limit: usize) -> Result<(Vec<u8>, bool), String> {
    let decoded = || -> Result<(Vec<u8>, bool), DecodeError> {
        let mut decoder = Decoder::new(Some(codings), limit, None)?;
        for chunk in bytes.chunks(step) {
            if decoder.push(chunk)? == Limit::Reached {
                return Ok((decoder.take(), false));
            }
        }
        let room = decoder.end(!bytes.is_empty())?;
        Ok((decoder.take(), room == Limit::Within))
    };
    decoded().map_err(|error| error.to_string())
}

/// Reads the first line of an answer of a capsule: its status, what that is about, and what follows.
pub fn gemini_head(bytes: &[u8]) -> Option<(u8, String, Vec<u8>)> {
    let mut rest = bytes.to_vec();
    let head = Head::read(&mut rest).ok()??;
    Some((head.status.number(), head.meta, rest))
}

/// Reads a certificate: its fingerprint, and that of its key.
pub fn certificate(der: &[u8]) -> Option<(String, String)> {
    certificate::read(der).map(|read| (read.fingerprint, read.key))
}

/// Reads a `Retry-After`.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    retry_after::read(value, now)
}

/// Returns until when an answer that came at `fetched_at` stays fresh.
pub fn fresh_until(headers: &HeaderMap, fetched_at: Timestamp) -> Option<Timestamp> {
    freshness::fresh_until(headers, fetched_at)
}

/// Reads the headers that are stored, and the date of the server where that is believable.
pub fn stored(headers: &HeaderMap, now: Timestamp) -> (Headers, Timestamp) {
    (headers::stored(headers), headers::believable_date(headers, now, TOLERANCE))
}
