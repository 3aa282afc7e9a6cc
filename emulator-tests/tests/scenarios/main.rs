//! Whole crawls on the Google Cloud home: the real emulators, the real crawl-fn, a real site.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod delivery;
mod due;
mod embedded;
mod faults;
mod flood;
mod gemini;
mod halting;
mod logs;
mod planted;
mod seeds;
mod sites;
mod suspect;
mod weeks;
mod window;

use std::time::Duration;

/// How long a crawl of a scenario may take; on an idle machine none takes half of it.
const PATIENCE: Duration = Duration::from_secs(150);
