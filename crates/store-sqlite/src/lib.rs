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
//! # Where things are
//! `schema.sql` and `views.sql` are the file; `records`, `contents`, `queue`, `outbox`, `state`, `search`, `stumbles` and
//! `retention` are the ports; `writer` has a file for what each of them writes; `cache` is speed code.
//!
//! # For people
//! The views `pages`, `visits`, `changes`, `versions`, `crawls` and `links` are stable; [`query`] runs
//! SQL on them that can only read. The tables behind them may change with every version.

mod backup;
mod cache;
mod check;
mod codes;
mod compression;
mod connection;
mod contents;
mod error;
mod keys;
mod lock;
mod outbox;
mod query;
mod queue;
mod readers;
mod records;
mod retention;
mod schema;
mod search;
mod sql;
mod state;
mod store;
mod stumbles;
mod url_ids;
mod writer;

pub use backup::{BackupError, back_up};
pub use check::check;
pub use error::{OpenError, QueryError};
pub use query::{Rows, Value, query};
pub use search::Indexing;
pub use sql::{Guarded, Sources, open_for_sql, open_for_sql_reading};
pub use store::{Options, SqliteStore};
