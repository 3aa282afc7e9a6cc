//! What a server was asked and what it sent.

use serde::{Deserialize, Serialize};

/// Requests and bytes as counted by the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counters {
    /// All requests, `robots.txt` and broken links included.
    pub(crate) requests: u64,
    /// Answers of 200.
    pub(crate) ok: u64,
    /// Answers of 304.
    pub(crate) not_modified: u64,
    /// Bytes sent, heads included.
    pub(crate) bytes: u64,
}

impl Counters {
    /// Adds one answer.
    pub(crate) fn count(&mut self, status: u16, bytes: u64) {
        self.requests += 1;
        self.ok += u64::from(status == 200);
        self.not_modified += u64::from(status == 304);
        self.bytes += bytes;
    }

    /// Returns what was counted after `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            requests: self.requests - earlier.requests,
            ok: self.ok - earlier.ok,
            not_modified: self.not_modified - earlier.not_modified,
            bytes: self.bytes - earlier.bytes,
        }
    }
}
