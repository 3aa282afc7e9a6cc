//! The messages of the topics, and what a push delivers of them.
//!
//! Whoever publishes may be a person at a command line, so reading is lenient where nothing is lost by it:
//! unknown fields are ignored, and a bare address is a message.

mod archive;
mod change;
mod crawl;
mod envelope;
mod poison;

pub use archive::ArchiveMessage;
pub use change::{ChangeMessage, SHARED, SUMMARY};
pub use crawl::CrawlMessage;
pub use envelope::{Delivery, Envelope};
pub use poison::Poison;
