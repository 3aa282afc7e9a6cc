//! Text that is canonical already is copied in runs, not character by character.
//!
//! Why: nearly all text is. The plain twin is the loop of `TextWriter`, for which every run is empty;
//! `collapsing_does_what_the_slow_way_does` compares both with the standard library.

/// Tells whether trimmed text needs no change, so that it can be copied at once.
pub(crate) fn is_canonical(bytes: &[u8]) -> bool {
    // Without early exits and with bytes as flags, both loops run on whole vectors.
    let odd = bytes.iter().fold(0, |odd, byte| odd | u8::from(!(b' '..=b'~').contains(byte)));
    let followers = bytes.get(1..).unwrap_or_default();
    // Among printable bytes only two spaces give a space together.
    let doubled = bytes
        .iter()
        .zip(followers)
        .fold(0, |doubled, (left, right)| doubled | u8::from(left | right == b' '));
    super::ON && odd == 0 && doubled == 0
}

/// Returns where the run of words that begins at `at` may stop being canonical.
pub(crate) fn run_end(bytes: &[u8], at: usize) -> usize {
    let may_vanish = |at: usize| bytes.get(at).is_none_or(|byte| MAY_VANISH[usize::from(*byte)]);
    let mut end = at;
    if !super::ON {
        return end;
    }
    // A space between two words stays as it is.
    while !may_vanish(end) || (end > at && bytes.get(end) == Some(&b' ') && !may_vanish(end + 1)) {
        end += 1;
    }
    end
}

/// The bytes that can begin a white space or invisible character.
static MAY_VANISH: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte, 0x09..=0x0D | 0x20 | 0xC2 | 0xE1 | 0xE2 | 0xE3 | 0xEF);
        byte += 1;
    }
    table
};
