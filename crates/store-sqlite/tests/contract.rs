//! The contract suites on SQLite.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use recrawl_core::ports::{Announcement, ArchiveRequest};
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::contract::{Outbox, Reopen, Subject};
use tempfile::TempDir;

/// A store in a directory of its own.
struct TemporaryStore {
    store: SqliteStore,
    directory: TempDir,
}

impl TemporaryStore {
    fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    fn within(directory: TempDir) -> Self {
        let options = Options { linger: Duration::ZERO };
        let store = SqliteStore::open(directory.path().join("recrawl.db"), &options).unwrap();
        Self { store, directory }
    }
}

impl Subject for TemporaryStore {
    type Port = SqliteStore;

    fn port(&self) -> &SqliteStore {
        &self.store
    }
}

impl Reopen for TemporaryStore {
    async fn reopen(self) -> Self {
        let Self { store, directory } = self;
        drop(store);
        Self::within(directory)
    }
}

impl Outbox for TemporaryStore {
    async fn announcements(&self) -> Vec<Announcement> {
        self.store.announcements().await.unwrap()
    }

    async fn archive_requests(&self) -> Vec<ArchiveRequest> {
        self.store.archive_requests().await.unwrap()
    }
}

recrawl_testkit::store_conformance!(TemporaryStore::new());
recrawl_testkit::history_conformance!(TemporaryStore::new());
recrawl_testkit::frontier_conformance!(TemporaryStore::new());
recrawl_testkit::outbox_conformance!(TemporaryStore::new());
recrawl_testkit::archives_conformance!(TemporaryStore::new());
recrawl_testkit::retention_conformance!(TemporaryStore::new());
recrawl_testkit::state_conformance!(TemporaryStore::new());
recrawl_testkit::reopening_conformance!(TemporaryStore::new());
recrawl_testkit::search_conformance!(TemporaryStore::new());
recrawl_testkit::stumbles_conformance!(TemporaryStore::new());
recrawl_testkit::text_search_conformance!(TemporaryStore::new());
