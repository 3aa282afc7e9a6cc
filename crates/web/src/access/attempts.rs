//! How often something was tried lately.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

const WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// Counts attempts within a minute.
pub(super) struct Attempts {
    most: u32,
    /// When the minute began, and how many there were since.
    window: Mutex<(Timestamp, u32)>,
}

impl Attempts {
    /// Allows `most` attempts a minute.
    pub(super) fn per_minute(most: u32) -> Self {
        Self { most, window: Mutex::new((Timestamp::MIN, 0)) }
    }

    /// Counts an attempt, and tells whether it was within the limit.
    pub(super) fn count(&self, now: Timestamp) -> bool {
        let mut window = self.window(now);
        window.1 = window.1.saturating_add(1);
        window.1 <= self.most
    }

    /// Tells whether the next attempt would be one too many.
    pub(super) fn are_used_up(&self, now: Timestamp) -> bool {
        self.window(now).1 >= self.most
    }

    fn window(&self, now: Timestamp) -> MutexGuard<'_, (Timestamp, u32)> {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if now.duration_since(window.0) >= WINDOW {
            *window = (now, 0);
        }
        window
    }
}
