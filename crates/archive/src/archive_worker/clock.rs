//! Time during one call: what the caller said, and what has gone by since.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    now: Timestamp,
    started: Instant,
}

impl Clock {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { now, started: Instant::now() }
    }

    pub(super) fn now(self) -> Timestamp {
        self.after(Duration::ZERO)
    }

    pub(super) fn after(self, time: Duration) -> Timestamp {
        self.now.saturating_add(self.started.elapsed() + time).unwrap_or(Timestamp::MAX)
    }

    /// Returns the time this many seconds ago.
    pub(super) fn before(self, seconds: i64) -> Timestamp {
        self.now().saturating_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN)
    }
}
