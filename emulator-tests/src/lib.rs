//! The public Google emulators as real processes, for the contract suites and whole crawls in `tests/`.
//!
//! Each test takes a [`fresh_project`], which is an empty Firestore database and an empty Pub/Sub. A
//! [`cloud::Cloud`] is a whole home in one: topics, subscriptions, the real crawl-fn, a site to crawl.

pub mod cloud;
pub mod documents;
pub mod driver;
mod emulator;
pub mod looking;
pub mod messages;
mod project;
pub mod service;
pub mod sizes;
pub mod town;
pub mod weeks;

pub use emulator::{Emulator, Kind};
pub use project::fresh_project;
