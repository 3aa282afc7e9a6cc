//! What Recrawl speaks of: sites, crawls, pages, contents, verdicts. Plain data with its invariants.

pub mod archive;
pub mod aspect;
pub mod content;
pub mod crawl;
pub mod ids;
pub mod policy;
pub mod record;
pub mod scope;
pub mod statistics;
pub mod stumble;
pub mod verdict;
