//! What the user chooses of the pace, and the durations that follow from it.

use std::time::Duration;

/// How often and how many at a time a server is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaceSettings {
    /// The delay between request starts where robots.txt names none.
    pub delay: Duration,
    /// The shortest delay, whatever robots.txt says.
    pub min_delay: Duration,
    /// The longest delay, whatever robots.txt says.
    pub max_delay: Duration,
    /// Requests to one host at a time, 1 to [`PaceSettings::MOST_PARALLEL`]; a host whose robots.txt
    /// names a `Crawl-delay` gets 1.
    pub parallel: u32,
    /// The first pause of a host in trouble; the later ones are multiples of it.
    pub back_off: Duration,
    /// The shortest delay for a host that has said that it is asked too much, which is also asked one thing at a time
    /// from then on. Zero to go on as before.
    pub slowed_delay: Duration,
    /// The longest pause that follows from failures alone.
    pub most_back_off: Duration,
    /// The longest a request waits for a host that asked to be left alone.
    pub longest_wait: Duration,
}

impl PaceSettings {
    /// The most requests to one host at a time that a user can ask for.
    pub const MOST_PARALLEL: u32 = 8;

    /// The longest pause a host can ask for; it is asked again after that.
    pub const LONGEST_HOLD: Duration = Duration::from_hours(7 * 24);

    /// The longest back-off, in multiples of the first pause: 600 s for the default of 3 s.
    const MOST_BACK_OFF: u32 = 200;

    /// Returns settings that ask as fast as the server answers, for a site of one's own.
    pub fn unlimited() -> Self {
        Self { delay: Duration::ZERO, parallel: Self::MOST_PARALLEL, ..Self::default() }
    }

    /// Returns the delay between request starts for a host with this `Crawl-delay`.
    pub fn delay_for(&self, crawl_delay: Option<Duration>) -> Duration {
        // Not `Ord::clamp`, which panics where a user sets the minimum above the maximum.
        crawl_delay.unwrap_or(self.delay).min(self.max_delay).max(self.min_delay)
    }

    /// Returns the time to leave between two request starts so that `delay` holds by the server's clock.
    ///
    /// Requests travel for unequal times, so a little is added: 1.5 %, at least 5 ms. Nothing is added
    /// to no delay at all.
    pub fn spacing(delay: Duration) -> Duration {
        if delay.is_zero() {
            return delay;
        }
        delay.saturating_add((delay / 1000 * 15).max(Duration::from_millis(5)))
    }

    /// Returns how long a host is paused after this many consecutive failures: 3, 6, 9, 15, 24 s and
    /// so on by Fibonacci's rule, at most 600 s, or as long as the settings say.
    pub fn back_off_after(&self, failures: u32) -> Duration {
        let (mut factor, mut next) = (0_u32, 1_u32);
        for _ in 0..failures {
            if factor >= Self::MOST_BACK_OFF {
                break;
            }
            // 1, 2, 3, 5, 8: the sequence without its first 1.
            (factor, next) = if factor == 0 { (1, 2) } else { (next, factor + next) };
        }
        self.back_off.saturating_mul(factor.min(Self::MOST_BACK_OFF)).min(self.most_back_off)
    }

    /// Returns how many requests a host with this `Crawl-delay` gets at a time.
    pub fn parallel_for(&self, crawl_delay: Option<Duration>) -> u32 {
        match crawl_delay {
            Some(_) => 1,
            None => self.parallel.clamp(1, Self::MOST_PARALLEL),
        }
    }
}

impl Default for PaceSettings {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            min_delay: Duration::ZERO,
            max_delay: Duration::from_mins(1),
            parallel: 1,
            back_off: Duration::from_secs(3),
            most_back_off: Duration::from_mins(10),
            slowed_delay: Duration::ZERO,
            longest_wait: Duration::from_hours(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_back_off_is_longer_than_the_settings_say() {
        let settings = PaceSettings { most_back_off: Duration::from_secs(7), ..PaceSettings::default() };
        let seconds = [1, 2, 3, 9].map(|failures| settings.back_off_after(failures).as_secs());
        assert_eq!(seconds, [3, 6, 7, 7]);
    }

    #[test]
    fn the_back_off_grows_by_fibonacci_up_to_ten_minutes() {
        let settings = PaceSettings::default();
        let pauses: Vec<u64> = (0..=14).map(|failures| settings.back_off_after(failures).as_secs()).collect();
        assert_eq!(pauses, [0, 3, 6, 9, 15, 24, 39, 63, 102, 165, 267, 432, 600, 600, 600]);
        assert_eq!(settings.back_off_after(u32::MAX).as_secs(), 600);
    }

    #[test]
    fn the_back_off_scales_with_its_base() {
        let settings = PaceSettings { back_off: Duration::from_millis(10), ..PaceSettings::default() };
        for (failures, milliseconds) in [(1, 10), (4, 50), (50, 2000)] {
            assert_eq!(settings.back_off_after(failures), Duration::from_millis(milliseconds));
        }
    }

    #[test]
    fn the_delay_is_that_of_robots_or_the_default_within_bounds() {
        let seconds = Duration::from_secs_f64;
        for (default, min, max, crawl_delay, expected) in [
            (1.0, 0.0, 60.0, None, 1.0),
            (1.0, 0.0, 60.0, Some(2.5), 2.5),
            (1.0, 0.0, 60.0, Some(0.0), 0.0),
            (1.0, 0.5, 60.0, Some(0.1), 0.5),
            (1.0, 0.0, 60.0, Some(3600.0), 60.0),
            (90.0, 0.0, 60.0, None, 60.0),
            (1.0, 70.0, 60.0, None, 70.0),
        ] {
            let settings = PaceSettings {
                delay: seconds(default),
                min_delay: seconds(min),
                max_delay: seconds(max),
                ..PaceSettings::default()
            };
            let delay = settings.delay_for(crawl_delay.map(seconds));
            assert_eq!(delay, seconds(expected), "{crawl_delay:?} within {min} to {max}");
        }
    }

    #[test]
    fn the_spacing_is_a_little_more_than_the_delay() {
        for (delay, spacing) in [(0, 0), (1, 6), (100, 105), (1000, 1015), (60_000, 60_900)] {
            assert_eq!(PaceSettings::spacing(Duration::from_millis(delay)), Duration::from_millis(spacing));
        }
    }

    #[test]
    fn a_crawl_delay_ends_parallel_requests() {
        for (parallel, crawl_delay, expected) in
            [(1, None, 1), (8, None, 8), (0, None, 1), (100, None, 8), (8, Some(Duration::ZERO), 1)]
        {
            let settings = PaceSettings { parallel, ..PaceSettings::default() };
            assert_eq!(settings.parallel_for(crawl_delay), expected);
        }
    }
}
