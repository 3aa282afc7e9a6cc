//! SQL that crawls: statements, table functions and functions over the store in one file.
//!
//! * [`Session`] runs statements: those of SQLite, and `CRAWL ... INTO` and `SET` of [`statement`].
//! * `into` crawls into a table, `table` has the table functions `crawl_urls`, `crawl` and `sitemap`, and `functions` what
//!   reads bodies: `html_text`, `css`, `links`, `json_ld`, `url_host`.
//! * `rewrite` makes what people write into what SQLite understands, `options` what they say into settings.
//! * `crawling` is the bridge: SQL blocks a thread, and crawls are tasks. What they record comes over a channel, and
//!   ending a statement stops them.
//!
//! Every request goes through the polite fetcher of `recrawl-supervisor`; nothing is fetched here.

mod condition;
mod content;
mod crawling;
mod functions;
mod into;
mod options;
mod rewrite;
mod row;
mod session;
pub mod statement;
mod table;
mod target;
mod tokens;
mod views;
mod written;

pub use crawling::Watch;
pub use into::Summary;
pub use rewrite::{Rewritten, Written, rewrite};
pub use row::COLUMNS;
pub use rusqlite::types::Value;
pub use session::{Came, Output, Session, Stopper, check, only_reads};
pub use tokens::SyntaxError;
