//! What every home assembles around the crawl step: robots.txt, sitemaps, and the loop that works a
//! frontier off.
//!
//! The pure readers of `recrawl-extract` meet the ports of `recrawl-core` here; adapters are passed in.

mod documents;
mod hosts;
mod observer;
mod reliability;
mod request_budget;
mod robots_cache;
mod runner;
mod sitemaps;
mod soft_error;
mod stop_handle;
mod text_rules;
mod thrifty;

pub use hosts::Waiting;
pub use observer::{Event, Observer};
pub use reliability::{ReliabilityCache, remember as remember_reliability};
pub use request_budget::{BudgetedFetcher, RequestBudget};
pub use robots_cache::{RobotsCache, RobotsPolicy};
pub use runner::{Budget, Ended, Run, Runner, RunnerError, Selection};
pub use sitemaps::{ListedPage, Search, SitemapFinder, SitemapPages, SteadySearch};
pub use soft_error::{NoProbe, SoftErrorCache};
pub use stop_handle::{StopHandle, StopMode};
pub use text_rules::text_rules;
pub use thrifty::ThriftyExtractor;
