//! The words, decisions and ports of Recrawl.
//!
//! Nothing here does I/O, reads a clock or knows an async runtime: what is decided is a function of its arguments. What
//! is done is a short sequence over the [`ports`], in the crate `recrawl-engine`.

pub mod address;
pub mod changes;
pub mod decide;
pub mod difference;
pub mod memory;
pub mod model;
pub mod panics;
pub mod plan;
pub mod ports;
pub mod search;
pub mod secret;
pub mod url;
pub mod versions;
pub mod web_address;
pub mod words;
