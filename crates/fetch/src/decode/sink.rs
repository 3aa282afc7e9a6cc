//! Where decoded bytes end up.

use std::io::{self, Write};

use super::{Coding, DecodeError, Limit};

/// Hardly a page is longer.
const USUAL: usize = 1 << 20;

/// Keeps bytes up to a limit, and refuses more.
pub(crate) struct Sink {
    body: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Sink {
    /// Makes a sink; `expected` bytes are made room for at once.
    pub(super) fn new(limit: usize, expected: Option<u64>) -> Self {
        let expected = usize::try_from(expected.unwrap_or(0)).unwrap_or(limit);
        // A server can promise anything; memory is taken for what is usual.
        let room = expected.min(limit).min(USUAL);
        Self { body: Vec::with_capacity(room), limit, is_full: false }
    }

    /// Tells a stop at the limit from a failure.
    pub(super) fn outcome(&self, written: io::Result<()>) -> Result<Limit, DecodeError> {
        match written {
            Ok(()) => Ok(Limit::Within),
            Err(_) if self.is_full => Ok(Limit::Reached),
            Err(error) => Err(DecodeError::Broken(error)),
        }
    }

    /// Returns how many bytes are kept.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// Returns what was kept.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.limit - self.body.len());
        if self.body.len() + fits > self.body.capacity() && self.body.len() + fits > USUAL {
            // Growing takes twice the memory for a moment; room that stays empty takes none.
            self.body.reserve_exact(self.limit - self.body.len());
        }
        self.body.extend_from_slice(&bytes[..fits]);
        if fits < bytes.len() {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Coding for Sink {
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn sink(&mut self) -> &mut Sink {
        self
    }
}
