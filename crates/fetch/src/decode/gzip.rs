//! The gzip coding.

use std::io::{self, Write};

use flate2::write::GzDecoder;

use super::Coding;
use super::sink::Sink;

/// The first byte of every gzip member.
const MAGIC: u8 = 0x1f;

/// Decodes one or more gzip members. What follows them and is none is ignored, as browsers do.
pub(super) struct Gzip {
    // Each write fills at most the decoder's own buffer, so that little is held here.
    member: GzDecoder<Vec<u8>>,
    is_behind: bool,
    next: Box<dyn Coding>,
}

impl Gzip {
    pub(super) fn new(next: Box<dyn Coding>) -> Self {
        Self { member: GzDecoder::new(Vec::new()), is_behind: false, next }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        let decoded = self.member.get_mut();
        self.next.write_all(decoded)?;
        decoded.clear();
        Ok(())
    }

    fn end_member(&mut self) -> io::Result<()> {
        self.member.try_finish()?;
        self.hand_on()
    }
}

impl Write for Gzip {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_behind {
            return Ok(bytes.len());
        }
        let written = self.member.write(bytes)?;
        self.hand_on()?;
        if written > 0 || bytes.is_empty() {
            return Ok(written);
        }
        self.end_member()?;
        self.is_behind = bytes[0] != MAGIC;
        self.member = GzDecoder::new(Vec::new());
        self.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Coding for Gzip {
    fn end(&mut self) -> io::Result<()> {
        if !self.is_behind {
            self.end_member()?;
        }
        self.next.end()
    }

    fn sink(&mut self) -> &mut Sink {
        self.next.sink()
    }
}
