//! Content codings: a body is no longer than its limit, and the same however it arrives.

use recrawl_fetch::fuzzing::decode;

use crate::first_line;

/// More than this is never kept of a body.
const LIMIT: usize = 256 << 10;

/// Reads the first line as a `Content-Encoding`, and the rest as a body.
pub fn decode_body(data: &[u8]) {
    let (codings, body) = first_line(data);
    let codings = String::from_utf8_lossy(codings);
    let whole = decode(&codings, body, body.len().max(1), LIMIT);
    let in_pieces = [1, 7, 1000].map(|step| decode(&codings, body, step, LIMIT));
    for pieces in &in_pieces {
        match (&whole, pieces) {
            (Ok((one, is_whole)), Ok((other, is_other_whole))) => {
                assert!(one.len() <= LIMIT && other.len() <= LIMIT);
                assert_eq!(is_whole, is_other_whole);
                assert!(one == other, "{} bytes at once, {} in pieces", one.len(), other.len());
            }
            // What is broken behind the limit is seen by who reads that far.
            (Ok((_, is_whole)), Err(error)) | (Err(error), Ok((_, is_whole))) => {
                assert!(!is_whole, "{error}");
            }
            (Err(_), Err(_)) => {}
        }
    }
}
