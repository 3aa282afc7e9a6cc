//! What decoders have in common that take some bytes and fill a buffer, again and again.

use std::io::{self, Write};

use super::sink::Sink;
use super::{BUFFER, Coding};

/// Where in a coded stream a decoder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Inside it: the end is missing yet.
    Inside,
    /// Behind a part that is whole; another may follow.
    BetweenParts,
    /// Behind its end. What follows is ignored, as browsers do.
    Behind,
}

/// What one step did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// How many bytes it took.
    pub(super) read: usize,
    /// How many it decoded.
    pub(super) written: usize,
    /// Where the decoder is then.
    pub(super) place: Place,
}

/// A decoder that works step by step.
pub(super) trait Steps: Send {
    /// Takes some of `bytes`, and fills `decoded` as far as it goes: where room is left, it needs more bytes.
    fn step(&mut self, bytes: &[u8], decoded: &mut [u8]) -> io::Result<Step>;
}

/// Decodes step by step, and hands each on.
pub(super) struct Stepwise<S> {
    steps: S,
    place: Place,
    decoded: Vec<u8>,
    next: Box<dyn Coding>,
}

impl<S: Steps> Stepwise<S> {
    pub(super) fn new(steps: S, next: Box<dyn Coding>) -> Self {
        Self { steps, place: Place::Inside, decoded: vec![0; BUFFER], next }
    }
}

impl<S: Steps> Write for Stepwise<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (mut left, mut is_full) = (bytes, false);
        // A full buffer may leave something behind in the decoder.
        while self.place != Place::Behind && (!left.is_empty() || is_full && self.place == Place::Inside) {
            let Step { read, written, place } = self.steps.step(left, &mut self.decoded)?;
            self.place = place;
            self.next.write_all(&self.decoded[..written])?;
            if read == 0 && written == 0 {
                break;
            }
            left = &left[read..];
            is_full = written == self.decoded.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<S: Steps> Coding for Stepwise<S> {
    fn end(&mut self) -> io::Result<()> {
        if self.place == Place::Inside {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.next.end()
    }

    fn sink(&mut self) -> &mut Sink {
        self.next.sink()
    }
}
