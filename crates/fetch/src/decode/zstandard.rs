//! The zstd coding.

use std::io;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::stepwise::{Place, Step, Steps};

/// The window of 8 MiB that a decoder has to offer, and no more (RFC 9659).
const WINDOW_LOG: u32 = 23;

/// Decodes one or more frames.
pub(super) struct Zstandard(Decoder<'static>);

impl Zstandard {
    pub(super) fn new() -> io::Result<Self> {
        let mut stream = Decoder::new()?;
        stream.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self(stream))
    }
}

impl Steps for Zstandard {
    fn step(&mut self, bytes: &[u8], decoded: &mut [u8]) -> io::Result<Step> {
        let (mut input, mut output) = (InBuffer::around(bytes), OutBuffer::around(decoded));
        let hint = self.0.run(&mut input, &mut output)?;
        let place = if hint == 0 { Place::BetweenParts } else { Place::Inside };
        Ok(Step { read: input.pos(), written: output.pos(), place })
    }
}
