//! How often something was tried lately.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

const WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// How many are counted apart from each other, so that nobody fills the memory.
const MOST_KEYS: usize = 10_000;

/// Counts attempts within a minute, those of each key apart.
pub(super) struct Attempts<K> {
    most: u32,
    /// When the minute of each key began, and how many there were since.
    windows: Mutex<HashMap<K, (Timestamp, u32)>>,
}

impl<K: Eq + Hash> Attempts<K> {
    /// Allows `most` attempts a minute.
    pub(super) fn per_minute(most: u32) -> Self {
        Self { most, windows: Mutex::default() }
    }

    /// Counts an attempt, and tells whether it was within the limit.
    pub(super) fn count(&self, key: K, now: Timestamp) -> bool {
        let is_over = |begun: Timestamp| now.duration_since(begun).abs() >= WINDOW;
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= MOST_KEYS && !windows.contains_key(&key) {
            windows.retain(|_, (begun, _)| !is_over(*begun));
            if windows.len() >= MOST_KEYS {
                windows.clear();
            }
        }
        let (begun, attempts) = windows.entry(key).or_insert((now, 0));
        if is_over(*begun) {
            (*begun, *attempts) = (now, 0);
        }
        *attempts = attempts.saturating_add(1);
        *attempts <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_minute_and_the_memory_is_bounded() {
        let (attempts, now) = (Attempts::per_minute(2), Timestamp::UNIX_EPOCH);
        let counted: Vec<bool> = (0..3).map(|_| attempts.count(1, now)).collect();
        assert_eq!(counted, [true, true, false]);
        assert!(attempts.count(2, now));
        assert!(!attempts.count(1, now + SignedDuration::from_secs(59)));
        assert!(attempts.count(1, now + SignedDuration::from_secs(60)));
        for key in 0..3 * MOST_KEYS {
            attempts.count(key, now);
        }
        assert!(attempts.windows.lock().unwrap().len() <= MOST_KEYS);
    }
}
