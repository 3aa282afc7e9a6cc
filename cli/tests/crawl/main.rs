//! The real command against a real server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod basics;
mod conduct;
mod depth;
mod documents;
mod first;
mod harness;
mod images;
mod left_alone;
mod order;
mod settings;
mod sitemaps;
mod states;
#[cfg(debug_assertions)]
mod stumbling;
mod traps;
mod trouble;
