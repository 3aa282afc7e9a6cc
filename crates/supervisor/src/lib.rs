//! The embedded home: crawls into a store in one file, by hand, on schedule or on request.
//!
//! * [`settings`] resolves what holds for a site, and edits `recrawl.toml`.
//! * [`crawl`] puts a crawl together and runs it: both `recrawl crawl` and the worker use it.
//! * [`Supervisor`] is what `recrawl serve` does in the background: the job queue, the scheduler that adds to it, and the
//!   worker that takes one job at a time. [`Supervisor::control`] lets the web page start, pause and stop crawls.
//! * [`ServiceControl`] is what the web page can do where a service crawls.
//! * [`accept`], [`notify`] and [`archive`] are what follows a crawl.
//!
//! Nothing here reads flags or prints. Errors are sentences for people, so they are `anyhow` as in the programs; a
//! [`Usage`] error is one that another command line or another setting cures.

pub mod accept;
pub mod archive;
mod control;
pub mod crawl;
#[cfg(test)]
mod harness;
mod job_queue;
pub mod notify;
mod progress;
mod schedules;
mod service_control;
pub mod settings;
pub mod site_keeping;
mod sites;
mod stored_job;
mod supervisor;
mod usage;
mod worker;

use std::sync::Arc;

pub use self::service_control::ServiceControl;
pub use self::sites::{Sites, reader};
pub use self::supervisor::Supervisor;
pub use self::usage::{Usage, usage};

/// Tells the person at the terminal something.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;
