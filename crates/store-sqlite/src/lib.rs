//! The embedded store: sites, crawls, pages, contents, the frontier and the outbox in one SQLite file.
//!
//! # What survives
//! A write that has returned survives the death of the process, however it dies. A failure of power
//! or of the operating system can lose the last transactions, which a resumed crawl fetches again;
//! it never damages the file.
//!
//! # Who may do what at the same time
//! Any number of threads and processes read while one crawls. [`SqliteStore::lock_for_crawling`] keeps
//! a second crawler out. Times are kept to the microsecond.
//!
//! # Searching
//! The index of words is not written by crawls: [`SqliteStore::index_for_search`], or whoever searches, brings it
//! up to date from what crawls wrote.
//!
//! # For people
//! The views `pages`, `visits`, `changes`, `versions`, `crawls` and `links` are stable; [`query`] runs
//! SQL on them that can only read. The tables behind them may change with every version.

mod backup;
mod check;
mod codes;
mod compression;
mod connection;
mod error;
mod keys;
mod lock;
mod pending_queue;
mod prefetched;
mod query;
mod readers;
mod schema;
mod snapshot_reader;
mod store;
mod sweeps;
mod two_generation_cache;
mod url_id_set;
mod writer;

pub use backup::{BackupError, back_up};
pub use check::{Finding, check};
pub use error::{OpenError, QueryError};
pub use query::{Rows, Value, query};
pub use store::search::Indexing;
pub use store::{Options, SqliteStore};
