//! The words, decisions and ports of Recrawl.
//!
//! Nothing here does I/O, reads a clock or knows an async runtime: what is decided is a function of
//! its arguments, and what is done is a short sequence over the [`ports`].

pub mod address;
pub mod decide;
pub mod difference;
pub mod lifecycle;
pub mod memory;
pub mod model;
pub mod panics;
pub mod plan;
pub mod politeness;
pub mod ports;
pub mod search;
pub mod seen;
pub mod step;
pub mod url;
pub mod versions;
pub mod words;
