//! Nobody answers, or nobody is there.

use std::time::{Duration, Instant};

use emulator_tests::{Emulator, Kind, fresh_project};
use recrawl_core::ports::{Store, StoreError, StoreExt};
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};
use recrawl_testkit::contract::samples::{FIRST, crawl_id, open, page, record, site_id};
use tokio::net::TcpListener;

fn settings(address: String, time_out: Duration) -> FirestoreSettings {
    FirestoreSettings { emulator: Some(address), time_out, ..FirestoreSettings::new(fresh_project()) }
}

/// Connects and reads; either may be what fails.
async fn read_from(settings: FirestoreSettings) -> Result<(), StoreError> {
    let store = FirestoreStore::connect(settings).await?;
    store.page(&site_id("default"), crawl_id(FIRST), &page("/")).await.map(drop)
}

#[tokio::test]
async fn a_service_that_takes_connections_and_never_answers_is_unavailable_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok(connection) = listener.accept().await {
            held.push(connection);
        }
    });
    let start = Instant::now();
    let error = read_from(settings(address, Duration::from_secs(1))).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_service_that_is_not_there_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = read_from(settings(address, Duration::from_secs(2))).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_comes_back_is_used_again_and_nothing_is_written_twice() {
    let emulator = tokio::task::spawn_blocking(|| Emulator::start(Kind::Firestore)).await.unwrap().unwrap();
    let settings = settings(emulator.address().to_owned(), Duration::from_secs(1));
    // The first requests to a fresh emulator take seconds.
    let patient = FirestoreSettings { time_out: Duration::from_mins(1), ..settings.clone() };
    let patient = FirestoreStore::connect(patient).await.unwrap();
    open(&patient, "default").await;
    patient.record(&record("default", FIRST, "/before"), None).await.unwrap();
    let hasty = FirestoreStore::connect(settings).await.unwrap();
    emulator.freeze().unwrap();
    let lost = hasty.record(&record("default", FIRST, "/meanwhile"), None).await;
    assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    emulator.thaw().unwrap();
    // The write whose answer was lost may have been carried out; either way there is one record.
    patient.record(&record("default", FIRST, "/meanwhile"), None).await.unwrap();
    let pages = patient.pages(&site_id("default"), crawl_id(FIRST), None, 10).await.unwrap();
    assert_eq!(pages.len(), 2);
    assert_eq!(hasty.pages(&site_id("default"), crawl_id(FIRST), None, 10).await.unwrap(), pages);
}
