//! What every home assembles around the crawl step: robots.txt, sitemaps, and the loop that works a
//! backlog off.
//!
//! The pure readers of `recrawl-extract` meet the ports of `recrawl-core` here; adapters are passed in.

mod documents;
mod hosts;
mod observer;
mod robots_cache;
mod runner;
mod sitemaps;

pub use observer::{Event, Observer};
pub use robots_cache::{Obedience, RobotsCache};
pub use runner::{Budget, Ended, Run, Runner, RunnerError};
pub use sitemaps::{SitemapFinder, SitemapPages};
