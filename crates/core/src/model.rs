//! What Recrawl speaks of: sites, crawls, pages, contents, verdicts. Plain data with its invariants.

pub mod archive;
pub mod aspect;
pub mod content;
pub mod counts;
pub mod crawl;
pub mod document;
pub mod edit;
pub mod finding;
mod hexadecimal;
pub mod http_settings;
pub mod ids;
pub mod kind;
pub mod outline;
pub mod page_memory;
pub mod policy;
pub mod prices;
pub mod record;
pub mod region;
pub mod review;
pub mod scope;
pub mod service_report;
pub mod shared_change;
pub mod site_plan;
pub mod site_state;
pub mod statistics;
pub mod stumble;
pub mod verdict;
