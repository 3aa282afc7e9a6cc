//! The deflate coding, which is zlib by the standard and raw deflate by some servers.

use std::io::{self, Write};

use flate2::{Decompress, FlushDecompress, Status};

use super::sink::Sink;
use super::{BUFFER, Coding};

/// Decodes a zlib or a raw deflate stream. What follows its end is ignored.
pub(super) struct Deflate {
    /// None until two bytes have told which of the two it is.
    stream: Option<Decompress>,
    first: Option<u8>,
    has_ended: bool,
    decoded: Vec<u8>,
    next: Box<dyn Coding>,
}

impl Deflate {
    pub(super) fn new(next: Box<dyn Coding>) -> Self {
        Self { stream: None, first: None, has_ended: false, decoded: vec![0; BUFFER], next }
    }

    fn decode(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        while !self.has_ended {
            let (read, written) = (stream.total_in(), stream.total_out());
            let status = stream.decompress(bytes, &mut self.decoded, FlushDecompress::None)?;
            let read = usize::try_from(stream.total_in() - read).unwrap_or(bytes.len());
            let written = usize::try_from(stream.total_out() - written).unwrap_or(BUFFER);
            bytes = &bytes[read..];
            self.next.write_all(&self.decoded[..written])?;
            match status {
                Status::StreamEnd => self.has_ended = true,
                Status::Ok | Status::BufError if read == 0 && written == 0 => break,
                Status::Ok | Status::BufError => {}
            }
        }
        Ok(())
    }
}

/// Tells by the first two bytes of a zlib stream whether they are that (RFC 1950 section 2.2).
fn is_zlib(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

impl Write for Deflate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stream.is_none() {
            let (first, second) = match (self.first, bytes) {
                (Some(first), [second, ..]) => (first, *second),
                (None, [first, second, ..]) => (*first, *second),
                (None, [first]) => {
                    self.first = Some(*first);
                    return Ok(1);
                }
                (Some(_) | None, []) => return Ok(0),
            };
            self.stream = Some(Decompress::new(is_zlib(first, second)));
            if let Some(first) = self.first {
                self.decode(&[first])?;
            }
        }
        self.decode(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Coding for Deflate {
    fn end(&mut self) -> io::Result<()> {
        if !self.has_ended {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.next.end()
    }

    fn sink(&mut self) -> &mut Sink {
        self.next.sink()
    }
}
