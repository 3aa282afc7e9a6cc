//! What every home assembles around the crawl step: robots.txt, sitemaps, and the loop that works a
//! backlog off.
//!
//! The pure readers of `recrawl-extract` meet the ports of `recrawl-core` here; adapters are passed in.

mod absence;
mod allowance;
mod documents;
mod halt;
mod hosts;
mod observer;
mod reliability;
mod robots_cache;
mod runner;
mod sitemaps;
mod text_rules;

pub use absence::{AbsenceCache, Unasked};
pub use allowance::{Allowance, Metered};
pub use halt::{Halt, Halting};
pub use hosts::Waiting;
pub use observer::{Event, Observer};
pub use reliability::{Recollection, remember as remember_reliability};
pub use robots_cache::{Obedience, RobotsCache};
pub use runner::{Budget, Ended, Run, Runner, RunnerError, Selection};
pub use sitemaps::{ListedPage, Search, SitemapFinder, SitemapPages, SteadySearch};
pub use text_rules::text_rules;
