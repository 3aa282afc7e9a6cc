//! The brotli coding.
//!
//! `DecompressorWriter` of the same crate will not do: when it is dropped, it writes what is left, and never ends where
//! the next stage takes nothing more.

use std::io;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::stepwise::{Place, Step, Steps};

/// Decodes one stream.
pub(super) struct Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>);

impl Brotli {
    pub(super) fn new() -> Self {
        let memory = StandardAlloc::default;
        Self(Box::new(BrotliState::new(memory(), memory(), memory())))
    }
}

impl Steps for Brotli {
    fn step(&mut self, bytes: &[u8], decoded: &mut [u8]) -> io::Result<Step> {
        let (mut left, mut read) = (bytes.len(), 0);
        let (mut room, mut written, mut total) = (decoded.len(), 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut read,
            bytes,
            &mut room,
            &mut written,
            decoded,
            &mut total,
            &mut self.0,
        );
        let place = match result {
            BrotliResult::ResultSuccess => Place::Behind,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => Place::Inside,
            BrotliResult::ResultFailure => return Err(io::ErrorKind::InvalidData.into()),
        };
        Ok(Step { read, written, place })
    }
}
