//! Bodies, texts and lists as zstd frames.

use std::io::{self, Read};
use std::sync::OnceLock;

use zstd::bulk::Compressor;
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::stream::read::Decoder;

/// Smaller than the fastest level by a tenth, and still under a millisecond for a page.
const LEVEL: i32 = 3;

/// Compresses `bytes`.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("compressing from memory to memory needs only memory")
}

/// Returns what was compressed.
pub(crate) fn decompress(frame: &[u8]) -> io::Result<Vec<u8>> {
    zstd::stream::decode_all(frame)
}

/// Returns the text that was compressed.
pub(crate) fn decompress_text(frame: &[u8]) -> io::Result<String> {
    String::from_utf8(decompress(frame)?).map_err(io::Error::other)
}

/// What short texts of one kind have in common. What is compressed with it is read with it alone.
pub(crate) struct Dictionary {
    bytes: &'static [u8],
    encoder: OnceLock<EncoderDictionary<'static>>,
    decoder: OnceLock<DecoderDictionary<'static>>,
}

impl Dictionary {
    /// Takes a text that is like those that will be compressed.
    pub(crate) const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, encoder: OnceLock::new(), decoder: OnceLock::new() }
    }

    /// Compresses `bytes`.
    pub(crate) fn compress(&self, bytes: &[u8]) -> Vec<u8> {
        let dictionary = self.encoder.get_or_init(|| EncoderDictionary::copy(self.bytes, LEVEL));
        let compressed = Compressor::with_prepared_dictionary(dictionary)
            .and_then(|mut compressor| compressor.compress(bytes));
        compressed.expect("compressing from memory to memory needs only memory")
    }

    /// Returns what was compressed.
    pub(crate) fn decompress(&self, frame: &[u8]) -> io::Result<Vec<u8>> {
        let dictionary = self.decoder.get_or_init(|| DecoderDictionary::copy(self.bytes));
        let mut bytes = Vec::new();
        Decoder::with_prepared_dictionary(frame, dictionary)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
