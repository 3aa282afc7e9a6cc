//! The zstd coding.

use std::io::{self, Write};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::sink::Sink;
use super::{BUFFER, Coding};

/// The window of 8 MiB that a decoder has to offer, and no more (RFC 9659).
const WINDOW_LOG: u32 = 23;

/// Decodes one or more frames.
pub(super) struct Zstandard {
    stream: Decoder<'static>,
    is_inside: bool,
    decoded: Vec<u8>,
    next: Box<dyn Coding>,
}

impl Zstandard {
    pub(super) fn new(next: Box<dyn Coding>) -> io::Result<Self> {
        let mut stream = Decoder::new()?;
        stream.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self { stream, is_inside: true, decoded: vec![0; BUFFER], next })
    }
}

impl Write for Zstandard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut input = InBuffer::around(bytes);
        loop {
            let mut output = OutBuffer::around(self.decoded.as_mut_slice());
            let hint = self.stream.run(&mut input, &mut output)?;
            let written = output.pos();
            self.is_inside = hint != 0;
            self.next.write_all(&self.decoded[..written])?;
            // A full buffer may leave something behind in the stream.
            if input.pos() == bytes.len() && (written < BUFFER || !self.is_inside) {
                return Ok(bytes.len());
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Coding for Zstandard {
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
