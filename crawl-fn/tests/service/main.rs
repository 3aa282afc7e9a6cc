//! The service in one process: the real routes and fetcher, ports in memory, a real web site to crawl.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod again;
mod archive_pace;
mod archiving;
mod conduct;
mod crawling;
mod crowd;
mod depth;
mod documents;
mod duplicates;
mod halting;
mod health;
mod holding;
mod lifecycle;
mod lines;
mod losses;
mod mail;
mod outage;
mod poison;
mod priority;
mod process;
mod reports;
mod settings;
mod sites;
mod slowness;
mod stage;
mod states;
mod stopping;
mod stumbling;
mod tokens;
mod town;
mod trouble;
