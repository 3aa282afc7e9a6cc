//! The contract suites on Firestore, and what they do not say: how documents look, what becomes of what is
//! too large, and what happens when nobody answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "store/counting.rs"]
mod counting;
#[path = "store/limits.rs"]
mod limits;
#[path = "store/removal.rs"]
mod removal;
#[path = "store/rolls.rs"]
mod rolls;
#[path = "store/searching.rs"]
mod searching;
#[path = "store/shapes.rs"]
mod shapes;
#[path = "store/silence.rs"]
mod silence;
#[path = "store/storage.rs"]
mod storage;

use std::sync::Arc;

use emulator_tests::{Emulator, fresh_project};
use object_store::memory::InMemory;
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};
use recrawl_testkit::contract::Subject;

/// A store with a database of its own.
struct Fresh {
    store: FirestoreStore,
}

impl Subject for Fresh {
    type Port = FirestoreStore;

    fn port(&self) -> &FirestoreStore {
        &self.store
    }
}

/// Connects to the database of a project, without a bucket.
async fn store_in(project: &str) -> FirestoreStore {
    let emulator = Some(Emulator::firestore().address().to_owned());
    let settings = FirestoreSettings { emulator, ..FirestoreSettings::new(project) };
    FirestoreStore::connect(settings).await.unwrap()
}

async fn fresh() -> Fresh {
    let settings = FirestoreSettings {
        emulator: Some(Emulator::firestore().address().to_owned()),
        bodies: Some(Arc::new(InMemory::new())),
        ..FirestoreSettings::new(fresh_project())
    };
    Fresh { store: FirestoreStore::connect(settings).await.unwrap() }
}

recrawl_testkit::store_conformance!(fresh().await);
recrawl_testkit::history_conformance!(fresh().await);
recrawl_testkit::state_conformance!(fresh().await);
recrawl_testkit::site_plans_conformance!(fresh().await);
recrawl_testkit::archives_conformance!(fresh().await);
recrawl_testkit::retention_conformance!(fresh().await);
recrawl_testkit::search_conformance!(fresh().await);
recrawl_testkit::stumbles_conformance!(fresh().await);
