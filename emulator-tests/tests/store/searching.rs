//! A search is billed by what it finds and not by the size of the site.

use recrawl_core::model::crawl::Ending;
use recrawl_core::ports::{Search, SearchedBy, Store};
use recrawl_testkit::contract::samples::{FIRST, closed, content, crawl_id, open, record_of, site_id};

use crate::fresh;

#[tokio::test(flavor = "multi_thread")]
async fn a_search_reads_what_it_finds() {
    let store = fresh().await.store;
    open(&store, "default").await;
    let paths = (0..40).map(|number| format!("/page/{number}"));
    for path in paths.chain(["/news/a", "/news/b", "/news/c"].map(str::to_owned)) {
        let says = content(&path);
        store.record(&record_of("default", FIRST, &path, &says), Some(&says)).await.unwrap();
    }
    store.close_crawl(&site_id("default"), crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    let before = store.counted().reads;
    let found = store.search(Some(&site_id("default")), "/news", 10).await.unwrap();
    assert_eq!((found.hits.len(), found.by), (3, SearchedBy::AddressPrefix));
    let reads = store.counted().reads - before;
    // The site, its three crawls, nothing in the two that are open, and a record and a title for each page.
    assert_eq!(reads, 1 + 3 + 2 + 3 + 3);
}
