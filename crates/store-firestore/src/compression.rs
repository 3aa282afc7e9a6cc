//! Bodies, texts and lists as zstd frames.

use std::io;

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
