//! Counting is billed by the thousand, and not by the page.

use std::collections::BTreeSet;

use recrawl_core::model::counts::Counts;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StateEntry, StateKey, StateStore, Store};
use recrawl_testkit::contract::samples::{FIRST, crawl_id, open, record, site_id};

use crate::fresh;

const PAGES: usize = 60;

#[tokio::test(flavor = "multi_thread")]
async fn where_an_open_crawl_stands_costs_a_read_a_verdict_and_not_one_a_page() {
    let store = fresh().await.store;
    open(&store, "default").await;
    let (site, crawl) = (site_id("default"), crawl_id(FIRST));
    for number in 0..PAGES {
        store.record(&record("default", FIRST, &format!("/{number}")), None).await.unwrap();
    }
    let recorded = record("default", FIRST, "/").visit.verdict;
    let before = store.counted().reads;
    let counts = store.verdict_counts(&site, crawl).await.unwrap();
    assert_eq!(counts, Counts::from([(recorded, PAGES as u64)]));
    let verdicts: BTreeSet<&str> = Verdict::ALL.iter().map(|verdict| verdict.word()).collect();
    assert_eq!(store.counted().reads - before, verdicts.len() as u64);
    let before = store.counted().reads;
    // Each of them waits to be archived.
    assert_eq!(store.count_unarchived(&site, crawl).await.unwrap(), PAGES as u64);
    assert_eq!(store.counted().reads - before, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_says_when_something_was_written_and_what_time_it_is() {
    let store = fresh().await.store;
    let key = StateKey::service_report();
    let nothing = store.timed_state(&key).await.unwrap();
    assert_eq!(nothing.entry, None);
    // By whose clock it was saved does not matter.
    let entry = StateEntry { saved_at: "2001-01-01T00:00:00Z".parse().unwrap(), value: "{}".to_owned() };
    store.save_state(&key, &entry).await.unwrap();
    let look = store.timed_state(&key).await.unwrap();
    let (saved, written_at) = look.entry.unwrap();
    assert_eq!(saved, entry);
    assert!(nothing.at <= written_at && written_at <= look.at, "{written_at} {}", look.at);
    assert!(look.at.duration_since(jiff::Timestamp::now()).abs().as_secs() < 60, "{}", look.at);
}
