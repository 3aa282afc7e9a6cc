//! The words, decisions and ports of Recrawl.
//!
//! Nothing here does I/O, reads a clock or knows an async runtime: what is decided is a function of
//! its arguments, and what is done is a short sequence over the [`ports`].

pub mod address;
pub mod answer;
pub mod archive;
pub mod aspect;
pub mod content;
pub mod crawl;
pub mod difference;
pub mod frequency;
pub mod ids;
pub mod judge;
pub mod lifecycle;
pub mod memory;
pub mod panics;
pub mod planning;
pub mod politeness;
pub mod ports;
pub mod priority;
pub mod record;
pub mod report;
pub mod sampling;
pub mod scope;
pub mod search;
pub mod seen;
pub mod soft_error;
pub mod statistics;
pub mod step;
pub mod stumble;
pub mod traps;
pub mod url;
pub mod verdict;
pub mod versions;
pub mod visit_planner;
pub mod words;
