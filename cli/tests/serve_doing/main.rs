//! `recrawl serve` crawls: the real command, a real store, and a site on this machine, driven over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crawling;
mod crowd;
mod harness;
mod schedule;
mod sites;
