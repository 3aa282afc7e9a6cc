//! A database in a folder of its own, which writes at once.

use std::path::PathBuf;
use std::time::Duration;

use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::contract::samples::open;
use tempfile::TempDir;

pub(crate) const AT_ONCE: Options = Options { linger: Duration::ZERO };

pub(crate) struct Database {
    pub(crate) store: SqliteStore,
    pub(crate) path: PathBuf,
    pub(crate) _directory: TempDir,
}

impl Database {
    /// Opens one with three crawls of the site `a`.
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("recrawl.db");
        let store = SqliteStore::open(&path, &AT_ONCE).unwrap();
        open(&store, "a").await;
        Self { store, path, _directory: directory }
    }
}
