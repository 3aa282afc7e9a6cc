use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Fewer observations than this prove nothing.
const ENOUGH: u32 = 20;

/// A date this close to the moment at which the sitemap was read says «now».
const NOW: SignedDuration = SignedDuration::from_hours(1);

/// How far the dates in the sitemaps of a host can be trusted, counted over all crawls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reliability {
    /// The sitemap said that nothing changed, and nothing had.
    pub same_and_unchanged: u32,
    /// The sitemap said that nothing changed, and something had: the worst that it can do.
    pub same_but_changed: u32,
    /// The sitemap said that something changed, and it had.
    pub newer_and_changed: u32,
    /// The sitemap said that something changed, and nothing had.
    pub newer_but_unchanged: u32,
    /// Dates read.
    pub listed: u32,
    /// Dates read that said «now».
    pub listed_as_now: u32,
}

impl Reliability {
    /// Counts a date that was read at `read_at`.
    pub fn list(&mut self, changed_by: Timestamp, read_at: Timestamp) {
        self.listed = self.listed.saturating_add(1);
        let is_now = read_at.duration_since(changed_by).abs() < NOW;
        self.listed_as_now = self.listed_as_now.saturating_add(u32::from(is_now));
    }

    /// Counts a visit of a page that the sitemap calls changed (`newer`) or not.
    pub fn note(&mut self, newer: bool, changed: bool) {
        let count = match (newer, changed) {
            (false, false) => &mut self.same_and_unchanged,
            (false, true) => &mut self.same_but_changed,
            (true, true) => &mut self.newer_and_changed,
            (true, false) => &mut self.newer_but_unchanged,
        };
        *count = count.saturating_add(1);
    }

    /// Returns how often «nothing changed» was true, from 0 to 1; `None` while too little is known.
    pub fn figure(&self) -> Option<f64> {
        let said = self.same_and_unchanged + self.same_but_changed;
        (said >= ENOUGH).then(|| f64::from(self.same_and_unchanged) / f64::from(said))
    }

    /// Tells whether «nothing changed» can be believed without a visit.
    pub fn is_reliable(&self) -> bool {
        !self.says_always_now() && self.figure().is_some_and(|figure| figure >= 0.98)
    }

    /// Tells whether nearly every date is the moment of reading.
    pub fn says_always_now(&self) -> bool {
        self.listed >= ENOUGH && f64::from(self.listed_as_now) > 0.9 * f64::from(self.listed)
    }

    /// Tells whether «something changed» is worth a visit sooner: until it has proved to be noise.
    pub fn is_newness_believed(&self) -> bool {
        let said = self.newer_and_changed + self.newer_but_unchanged;
        let is_noise = said >= ENOUGH && f64::from(self.newer_and_changed) < 0.1 * f64::from(said);
        !self.says_always_now() && !is_noise
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_proves_true_or_not() {
        let host =
            |same_and_unchanged, same_but_changed, newer_and_changed, newer_but_unchanged| Reliability {
                same_and_unchanged,
                same_but_changed,
                newer_and_changed,
                newer_but_unchanged,
                ..Reliability::default()
            };
        for (host, reliable, newness) in [
            (host(0, 0, 0, 0), false, true),
            (host(19, 0, 0, 0), false, true),
            (host(20, 0, 0, 0), true, true),
            (host(49, 1, 0, 0), true, true),
            (host(40, 1, 0, 0), false, true),
            (host(20, 0, 1, 19), true, false),
            (host(20, 0, 3, 17), true, true),
        ] {
            assert_eq!((host.is_reliable(), host.is_newness_believed()), (reliable, newness), "{host:?}");
        }
    }

    #[test]
    fn dates_that_always_say_now_are_recognised() {
        let now = Timestamp::UNIX_EPOCH;
        let mut host = Reliability { same_and_unchanged: 100, ..Reliability::default() };
        for number in 0..20 {
            host.list(now + SignedDuration::from_secs(number), now);
        }
        assert!(host.says_always_now() && !host.is_reliable() && !host.is_newness_believed());
        for _ in 0..5 {
            host.list(now - SignedDuration::from_hours(48), now);
        }
        assert!(!host.says_always_now() && host.is_reliable());
    }
}
