//! Whole crawls on the Google Cloud home: the real emulators, the real crawl-fn, a real site.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod check;
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
mod serving;
mod sites;
mod suspect;
mod weeks;
mod window;

use std::time::Duration;

/// Returns how many pages the site of a scenario has that is run by hand at its full size, too: `RECRAWL_PAGES=3500`.
fn pages_or(usual: usize) -> usize {
    let said = std::env::var("RECRAWL_PAGES").ok();
    said.map_or(usual, |text| text.parse().expect("RECRAWL_PAGES is a number"))
}

/// How long a crawl of a scenario may take; on an idle machine none takes half of it.
const PATIENCE: Duration = Duration::from_secs(150);
