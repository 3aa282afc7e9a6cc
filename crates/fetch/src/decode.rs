//! `Content-Encoding`: decodes a body as it arrives (gzip, deflate, brotli, zstd, chained), within a limit against bombs.
//!
//! Ours and not `async-compression`, which takes whatever follows the last gzip member for an error, where browsers
//! ignore it, and cannot tell zlib from raw deflate.

mod brotli;
mod deflate;
mod gzip;
mod sink;
mod stepwise;
mod zstandard;

use std::io::{self, Write};

use thiserror::Error;

use self::brotli::Brotli;
use self::deflate::Deflate;
use self::gzip::Gzip;
use self::sink::Sink;
use self::stepwise::Stepwise;
use self::zstandard::Zstandard;

/// More codings than this on one body are an attack.
const MOST_CODINGS: usize = 4;

/// Why a body cannot be decoded.
#[derive(Debug, Error)]
pub(crate) enum DecodeError {
    /// We did not ask for this coding and do not know it.
    #[error("unknown content coding {0:?}")]
    Unknown(String),
    /// The body was coded too many times.
    #[error("more than {MOST_CODINGS} content codings")]
    TooMany,
    /// The body is not what the header says, or its end is missing.
    #[error("broken content coding")]
    Broken(#[source] io::Error),
}

/// Whether a decoder takes more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// It does.
    Within,
    /// The limit was reached, and there was more.
    Reached,
}

/// Decodes a body; holds at most the limit of it.
pub(crate) enum Decoder {
    /// Not coded at all.
    Plain(Sink),
    /// Coded at least once.
    Coded(Box<dyn Coding>),
}

/// One coding: what is written to it is decoded and written to the next one.
pub(crate) trait Coding: Write + Send {
    /// Checks that the coded stream is whole, and that of every later stage.
    fn end(&mut self) -> io::Result<()>;
    /// Returns where the bytes end up.
    fn sink(&mut self) -> &mut Sink;
}

impl Decoder {
    /// Makes a decoder for the codings of a `Content-Encoding`, in the order they were applied.
    ///
    /// `expected` is how many bytes will be written, if that is known.
    pub(crate) fn new(
        codings: Option<&str>,
        limit: usize,
        expected: Option<u64>,
    ) -> Result<Self, DecodeError> {
        let names: Vec<&str> = codings
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
            .collect();
        if names.len() > MOST_CODINGS {
            return Err(DecodeError::TooMany);
        }
        if names.is_empty() {
            return Ok(Self::Plain(Sink::new(limit, expected)));
        }
        let mut stage: Box<dyn Coding> = Box::new(Sink::new(limit, None));
        for name in names {
            stage = match name.to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => Box::new(Gzip::new(stage)),
                "deflate" => Box::new(Deflate::new(stage)),
                "br" => Box::new(Stepwise::new(Brotli::new(), stage)),
                "zstd" => {
                    let frames = Zstandard::new().map_err(DecodeError::Broken)?;
                    Box::new(Stepwise::new(frames, stage))
                }
                unknown => return Err(DecodeError::Unknown(unknown.to_owned())),
            };
        }
        Ok(Self::Coded(stage))
    }

    /// Takes bytes as they were received.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Limit, DecodeError> {
        let (written, sink) = match self {
            Self::Plain(sink) => (sink.write_all(bytes), sink),
            Self::Coded(stage) => (stage.write_all(bytes), stage.sink()),
        };
        sink.outcome(written)
    }

    /// Checks that nothing is missing. `received` tells whether there were any bytes at all: redirects
    /// and empty pages often name a coding they do not have.
    pub(crate) fn end(&mut self, received: bool) -> Result<Limit, DecodeError> {
        match self {
            Self::Coded(stage) if received => {
                let ended = stage.end();
                stage.sink().outcome(ended)
            }
            Self::Coded(_) | Self::Plain(_) => Ok(Limit::Within),
        }
    }

    /// Returns how many bytes were decoded so far.
    pub(crate) fn decoded(&mut self) -> usize {
        match self {
            Self::Plain(sink) => sink.len(),
            Self::Coded(stage) => stage.sink().len(),
        }
    }

    /// Returns what was decoded.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Plain(sink) => sink.take(),
            Self::Coded(stage) => stage.sink().take(),
        }
    }
}

/// Decoded bytes on their way from one stage to the next.
const BUFFER: usize = 16 << 10;

#[cfg(test)]
mod tests;
