//! The time in which copies are current, week by week.

use super::WEEK;

/// Adds up current time by week.
pub(crate) struct Freshness {
    /// Days that copies were current, of all pages together.
    weeks: Vec<f64>,
}

impl Freshness {
    /// Starts with nothing.
    pub(crate) fn new(weeks: u32) -> Self {
        Self { weeks: vec![0.0; weeks as usize] }
    }

    /// Notes that a copy was current between two times, in days; what is after the last week is dropped.
    pub(crate) fn add(&mut self, from: f64, to: f64) {
        let mut start = 0.0;
        for days in &mut self.weeks {
            let end = start + WEEK;
            *days += (to.min(end) - from.max(start)).max(0.0);
            start = end;
        }
    }

    /// Returns the share of copies of this many pages that were current, by week.
    pub(crate) fn shares(self, pages: u32) -> Vec<f64> {
        self.weeks.into_iter().map(|days| days / WEEK / f64::from(pages)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_counts_in_every_week_it_touches() {
        let mut freshness = Freshness::new(3);
        freshness.add(3.5, 17.5);
        freshness.add(20.0, 99.0);
        freshness.add(5.0, 4.0);
        let shares = freshness.shares(2);
        for (share, expected) in shares.iter().zip([0.25, 0.5, 4.5 / 14.0]) {
            assert!((share - expected).abs() < 1e-12, "{shares:?}");
        }
    }
}
