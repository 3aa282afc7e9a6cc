//! Hosts that are left alone, remembered from one run to the next.

use std::time::Duration;

use jiff::Timestamp;

use super::PaceSettings;
use crate::ports::{StateEntry, StateKey};
use crate::url::HostKey;

/// How long a host is to be left alone, from when that was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// When it was learnt.
    pub since: Timestamp,
    /// How long the host is left alone from then on.
    pub lasts: Duration,
}

impl Hold {
    /// What is over sooner is not worth remembering: a process takes about that long to start anew.
    pub const SHORTEST: Duration = Duration::from_secs(10);

    /// Returns the name under which it is remembered.
    pub fn key(host: &HostKey) -> StateKey {
        StateKey::left_alone(host)
    }

    /// Returns how it is remembered.
    pub fn to_entry(self) -> StateEntry {
        StateEntry { saved_at: self.since, value: self.lasts.as_secs().to_string() }
    }

    /// Reads what was remembered.
    pub fn from_entry(entry: &StateEntry) -> Option<Self> {
        let lasts = Duration::from_secs(entry.value.parse().ok()?);
        Some(Self { since: entry.saved_at, lasts })
    }

    /// Returns how long the host is still left alone at `now`, if it is.
    ///
    /// A clock that went back makes it no longer than it was in the beginning.
    pub fn left(self, now: Timestamp) -> Option<Duration> {
        let passed = Duration::try_from(now.duration_since(self.since)).unwrap_or_default();
        let left = self.lasts.min(PaceSettings::LONGEST_HOLD).saturating_sub(passed);
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + seconds).unwrap()
    }

    #[test]
    fn what_is_left_shrinks_with_time_and_never_grows() {
        const WEEK: u64 = 7 * 24 * 3_600;
        for (lasts, now, left) in [
            (100, 0, Some(100)),
            (100, 99, Some(1)),
            (100, 100, None),
            (100, 1_000, None),
            (100, -1_000, Some(100)),
            (0, 0, None),
            (WEEK, 3_600, Some(WEEK - 3_600)),
            (u64::MAX, 0, Some(WEEK)),
        ] {
            let hold = Hold { since: at(0), lasts: Duration::from_secs(lasts) };
            assert_eq!(hold.left(at(now)), left.map(Duration::from_secs), "{lasts} at {now}");
        }
    }

    #[test]
    fn it_is_read_as_it_was_remembered() {
        let hold = Hold { since: at(0), lasts: Duration::from_secs(3_601) };
        assert_eq!(Hold::from_entry(&hold.to_entry()), Some(hold));
        for value in ["", "soon", "-1", "1.5"] {
            assert_eq!(
                Hold::from_entry(&StateEntry { saved_at: at(0), value: value.to_owned() }),
                None,
                "{value:?}"
            );
        }
    }
}
