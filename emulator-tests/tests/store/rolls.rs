//! What is known of the pages of a closed crawl is in its roll; where it is not, it is in the records.

use emulator_tests::documents::Documents;
use emulator_tests::{Emulator, fresh_project};
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::record::PageSummary;
use recrawl_core::ports::Store;
use recrawl_store_firestore::FirestoreStore;
use recrawl_testkit::contract::samples::{FIRST, closed, crawl_id, open, record, site_id};

use crate::store_in;

async fn page_summaries(store: &FirestoreStore) -> Vec<PageSummary> {
    let mut page_summaries = Vec::new();
    store.page_summaries(&site_id("default"), None, &mut |page| page_summaries.push(page)).await.unwrap();
    page_summaries.sort_by(|one, other| one.url.cmp(&other.url));
    page_summaries
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roll_of_addresses_alone_is_made_up_for_by_the_records() {
    let project = fresh_project();
    let store = store_in(&project).await;
    open(&store, "default").await;
    let written: Vec<_> = ["/a", "/b", "/c"].iter().map(|path| record("default", FIRST, path)).collect();
    for record in &written {
        store.record(record, None).await.unwrap();
    }
    let ending = Ending::Partial("stopped".to_owned());
    let partial = Closed { suspicion: None, ..closed(ending) };
    store.close_crawl(&site_id("default"), crawl_id(FIRST), &partial).await.unwrap();
    let expected: Vec<PageSummary> = written.iter().map(PageSummary::from).collect();
    let before = store.counted().reads;
    assert_eq!(page_summaries(&store).await, expected, "partial crawls have a roll, too");
    // Three crawls, of which two are open and empty, and one roll.
    assert_eq!(store.counted().reads - before, 6);
    let documents = Documents::new(&format!("http://{}", Emulator::firestore().address()), &project);
    let roll = format!("crawls/{FIRST}/roll");
    assert!(documents.collection(&roll).await.unwrap()["0"]["sightings"].is_string());
    documents.remove_field(&format!("{roll}/0"), "sightings").await.unwrap();
    assert!(documents.collection(&roll).await.unwrap()["0"]["sightings"].is_null());
    assert_eq!(page_summaries(&store).await, expected);
}
