//! The brotli coding.
//!
//! `DecompressorWriter` of the same crate will not do: when it is dropped, it writes what is left, and never ends where
//! the next stage takes nothing more.

use std::io::{self, Write};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::sink::Sink;
use super::{BUFFER, Coding};

/// Decodes one stream. What follows it is ignored, as browsers do.
pub(super) struct Brotli {
    stream: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    is_inside: bool,
    decoded: Vec<u8>,
    next: Box<dyn Coding>,
}

impl Brotli {
    pub(super) fn new(next: Box<dyn Coding>) -> Self {
        let memory = StandardAlloc::default;
        let stream = Box::new(BrotliState::new(memory(), memory(), memory()));
        Self { stream, is_inside: true, decoded: vec![0; BUFFER], next }
    }
}

impl Write for Brotli {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (mut left, mut read) = (bytes.len(), 0);
        while self.is_inside {
            let (mut room, mut written, mut total) = (self.decoded.len(), 0, 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut read,
                bytes,
                &mut room,
                &mut written,
                &mut self.decoded,
                &mut total,
                &mut self.stream,
            );
            self.next.write_all(&self.decoded[..written])?;
            match result {
                BrotliResult::ResultSuccess => self.is_inside = false,
                BrotliResult::NeedsMoreInput => break,
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultFailure => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Coding for Brotli {
    fn end(&mut self) -> io::Result<()> {
        if self.is_inside {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.next.end()
    }

    fn sink(&mut self) -> &mut Sink {
        self.next.sink()
    }
}
