//! Bodies and texts as zstd frames.

use std::cell::RefCell;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

/// How much time is taken for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// A fifth of a millisecond for a page of 120 KB: where pages come as fast as they can be read.
    Swift,
    /// About a millisecond, and a tenth smaller: where there is time between two pages.
    Thorough,
}

impl Effort {
    const fn level(self) -> i32 {
        match self {
            // Smaller tables and longer matches took a fourth less time, and 40 to 50 % more room for real pages.
            Self::Swift => 1,
            // Beyond this one, twice the time saves two more percent.
            Self::Thorough => 6,
        }
    }
}

/// Tells how much time there is for a frame, by how fast one follows the other.
#[derive(Debug, Default)]
pub(crate) struct CompressionEffort(Mutex<Option<Instant>>);

impl CompressionEffort {
    /// Frames that follow each other sooner than this are made swiftly.
    const SOON: Duration = Duration::from_millis(20);

    /// Returns the effort for a frame that is made at `now`.
    pub(crate) fn effort(&self, now: Instant) -> Effort {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        match before {
            Some(before) if now.duration_since(before) < Self::SOON => Effort::Swift,
            Some(_) | None => Effort::Thorough,
        }
    }
}

/// Larger buffers are given back after use, and so are compressors that were used for more.
const KEPT: usize = 1 << 20;

thread_local! {
    /// Making a compressor costs more than compressing a page with it.
    static COMPRESSORS: [RefCell<Option<Compressor<'static>>>; 2] = const { [const { RefCell::new(None) }; 2] };
    static BUFFERS: RefCell<Buffers> = const { RefCell::new(Buffers { input: Vec::new(), output: Vec::new() }) };
}

struct Buffers {
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Compresses `parts` as one, on the caller's thread.
pub(crate) fn compress(parts: &[&[u8]], effort: Effort) -> io::Result<Vec<u8>> {
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
        if bytes.len() > KEPT {
            // Its tables are as large as the frame allows, and each thread would keep two of it.
            compressor(effort)?.compress_to_buffer(bytes, output)?;
        } else {
            with_compressor(effort, |compressor| compressor.compress_to_buffer(bytes, output))?;
        }
        let frame = output.as_slice().to_vec();
        for buffer in [input, output] {
            buffer.clear();
            buffer.shrink_to(KEPT);
        }
        Ok(frame)
    })
}

fn with_compressor<T>(
    effort: Effort,
    act: impl FnOnce(&mut Compressor<'static>) -> io::Result<T>,
) -> io::Result<T> {
    COMPRESSORS.with(|slots| {
        let mut slot = slots[effort as usize].borrow_mut();
        if let Some(compressor) = &mut *slot {
            return act(compressor);
        }
        act(slot.insert(compressor(effort)?))
    })
}

fn compressor(effort: Effort) -> io::Result<Compressor<'static>> {
    Compressor::new(effort.level())
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
            for effort in [Effort::Swift, Effort::Thorough] {
                let frame = compress(&bytes, effort).unwrap();
                assert_eq!(decompress(&frame).unwrap(), parts.concat().as_bytes());
            }
        }
    }

    #[test]
    fn the_compressor_of_a_long_page_is_not_kept() {
        let kept = || COMPRESSORS.with(|slots| slots[Effort::Thorough as usize].borrow().is_some());
        let read = std::thread::spawn(move || {
            let long = vec![b'x'; KEPT + 1];
            let frame = compress(&[&long], Effort::Thorough).unwrap();
            let kept_of_long = kept();
            compress(&[&long[1..]], Effort::Thorough).unwrap();
            (decompress(&frame).unwrap() == long, kept_of_long, kept())
        });
        assert_eq!(read.join().unwrap(), (true, false, true));
    }

    #[test]
    fn effort_makes_smaller_frames() {
        let text = concat!(include_str!("schema.sql"), include_str!("views.sql"));
        let [swift, thorough] = [Effort::Swift, Effort::Thorough]
            .map(|effort| compress(&[text.as_bytes()], effort).unwrap().len());
        assert!(10 * thorough < 9 * swift, "{thorough} and {swift} bytes");
    }

    #[test]
    fn frames_that_follow_each_other_soon_are_made_swiftly() {
        use Effort::{Swift, Thorough};
        let (haste, begin) = (CompressionEffort::default(), Instant::now());
        let efforts = [0, 1_000, 1_019, 1_020, 1_041, 60_000]
            .map(|milliseconds| haste.effort(begin + Duration::from_millis(milliseconds)));
        assert_eq!(efforts, [Thorough, Thorough, Swift, Swift, Thorough, Thorough]);
    }
}
