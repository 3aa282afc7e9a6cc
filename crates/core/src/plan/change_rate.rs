//! How often a page changes, in changes a day: the figure that is shown, and the one that plans visits.
//!
//! They answer different questions. [`Rate`] follows what the page did lately and is what people read;
//! [`estimated`] and [`expected`] use every visit there was, and correct for changes that nobody saw
//! because several fell between two visits (`docs/adr/0009-change-frequency.md`).

mod estimate;
mod meaning;
mod rate;
mod shown;

use jiff::Timestamp;

pub use self::estimate::{estimated, expected};
pub use self::meaning::{Liveliness, meaning, suggested_interval};
pub use self::rate::Rate;
pub use self::shown::Shown;

/// Changes a day of a page about which nothing is known: one in 50 days.
///
/// Half of the pages that Cho and Garcia-Molina watched for four months in 1999 had changed after
/// about 50 days; pages of companies faster, those of governments slower.
pub const PRIOR: f64 = 0.02;

/// The shortest interval that counts, in days: a minute. No figure passes 1,440 changes a day.
const SHORTEST_DAYS: f64 = 1.0 / 1440.0;

/// Returns the days from `before` to `now`, 0 where the clock went backwards.
pub fn days_between(before: Timestamp, now: Timestamp) -> f64 {
    (now.duration_since(before).as_secs_f64() / 86_400.0).max(0.0)
}
