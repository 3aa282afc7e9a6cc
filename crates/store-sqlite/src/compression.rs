//! Bodies and texts as zstd frames.

use std::cell::RefCell;
use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, ParamSwitch, compress_bound};

/// The fastest level that codes single letters, too.
const LEVEL: i32 = 1;

/// A larger table and longer matches than this level takes for a page, and a search that skips some places:
/// a fifth faster, and as small. Skipping would turn the coding of letters off, which costs little and gains
/// much.
const PARAMETERS: [CParameter; 4] = [
    CParameter::HashLog(14),
    CParameter::MinMatch(7),
    CParameter::TargetLength(3),
    CParameter::LiteralCompressionMode(ParamSwitch::Enable),
];

/// Larger buffers are given back after use.
const KEPT: usize = 1 << 20;

thread_local! {
    /// Making a compressor costs more than compressing a page with it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static BUFFERS: RefCell<Buffers> = const { RefCell::new(Buffers { input: Vec::new(), output: Vec::new() }) };
}

struct Buffers {
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Compresses `parts` as one, on the caller's thread.
pub(crate) fn compress(parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    BUFFERS.with_borrow_mut(|Buffers { input, output }| {
        let bytes = if let [part] = parts {
            part
        } else {
            input.clear();
            for part in parts {
                input.extend_from_slice(part);
            }
            input.as_slice()
        };
        output.clear();
        output.reserve(compress_bound(bytes.len()));
        with_compressor(|compressor| compressor.compress_to_buffer(bytes, output))?;
        let frame = output.as_slice().to_vec();
        for buffer in [input, output] {
            buffer.clear();
            buffer.shrink_to(KEPT);
        }
        Ok(frame)
    })
}

fn with_compressor<T>(act: impl FnOnce(&mut Compressor<'static>) -> io::Result<T>) -> io::Result<T> {
    COMPRESSOR.with_borrow_mut(|slot| {
        if let Some(compressor) = slot {
            return act(compressor);
        }
        let mut compressor = Compressor::new(LEVEL)?;
        for parameter in PARAMETERS {
            compressor.set_parameter(parameter)?;
        }
        act(slot.insert(compressor))
    })
}

/// Returns what was compressed.
pub(crate) fn decompress(frame: &[u8]) -> io::Result<Vec<u8>> {
    zstd::stream::decode_all(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_as_one() {
        let long = "word ".repeat(1 << 19);
        for parts in [vec!["", ""], vec!["body"], vec!["body", " and text"], vec![&long, "x"], vec!["after"]]
        {
            let bytes: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
            let frame = compress(&bytes).unwrap();
            assert_eq!(decompress(&frame).unwrap(), parts.concat().as_bytes());
        }
    }
}
