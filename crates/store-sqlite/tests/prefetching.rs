//! What is read when pages are handed out is as right as what is read when it is asked for.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::record::PageState;
use recrawl_core::ports::{Contents, Frontier, PullFrontier, Retention, Store};
use recrawl_core::url::PageUrl;
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, THIRD, closed, content, crawl_id, open, page, queued, record, record_of, site_id, suspect,
    time,
};
use tempfile::TempDir;

/// Returns a store in which `/` was recorded in two crawls and is handed out in a third.
async fn handed_out() -> (TempDir, SqliteStore) {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { linger: Duration::ZERO };
    let store = SqliteStore::open(directory.path().join("recrawl.db"), &options).unwrap();
    open(&store, "a").await;
    for id in [FIRST, SECOND] {
        let says = content(id);
        store.record(&record_of("a", id, "/", &says), Some(&says)).await.unwrap();
    }
    store.queue(&[queued("a", THIRD, "/"), queued("a", THIRD, "/new")]).await.unwrap();
    assert_eq!(store.take(&site_id("a"), crawl_id(THIRD), 9).await.unwrap().len(), 2);
    (directory, store)
}

async fn known(store: &SqliteStore, path: &str) -> Option<PageState> {
    store.page_state_before(&site_id("a"), crawl_id(THIRD), &page(path)).await.unwrap()
}

fn known_by(crawl: &str) -> PageState {
    record_of("a", crawl, "/", &content(crawl)).known
}

async fn links(store: &SqliteStore, content: &Content) -> Option<Vec<PageUrl>> {
    store.unqueued_links(&site_id("a"), crawl_id(THIRD), &content.hash).await.unwrap()
}

#[tokio::test]
async fn a_page_that_was_handed_out_is_known_as_it_was_recorded() {
    let (_directory, store) = handed_out().await;
    let says = content(SECOND);
    for _ in 0..2 {
        assert_eq!(known(&store, "/").await, Some(known_by(SECOND)));
        assert_eq!(links(&store, &says).await, Some(says.extracted.links.clone()));
        assert_eq!(known(&store, "/new").await, None);
    }
    let before_second = store.page_state_before(&site_id("a"), crawl_id(SECOND), &page("/")).await.unwrap();
    assert_eq!(before_second, Some(known_by(FIRST)));
}

#[tokio::test]
async fn links_that_were_queued_for_the_crawl_are_left_out() {
    let (directory, store) = handed_out().await;
    let mut says = content("links");
    says.extracted.links = ["/c", "/a", "/d", "/b", "/a"].map(page).into();
    store.record(&record_of("a", SECOND, "/links", &says), Some(&says)).await.unwrap();
    assert_eq!(links(&store, &says).await.unwrap(), says.extracted.links, "the plain reading");
    store.queue(&[queued("a", THIRD, "/a"), queued("a", THIRD, "/d")]).await.unwrap();
    store.queue(&[queued("a", SECOND, "/b")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(links(&store, &says).await.unwrap(), ["/c", "/b"].map(page));
    drop(store);
    let store = SqliteStore::open(directory.path().join("recrawl.db"), &Options::default()).unwrap();
    assert_eq!(links(&store, &says).await.unwrap(), ["/c", "/b"].map(page), "as the file says");
}

#[tokio::test]
async fn the_plain_way_of_reading_gives_the_same_answers() {
    let (_directory, store) = handed_out().await;
    let mut says = content("links");
    says.extracted.links = ["/c", "/a", "/d", "/b", "/a"].map(page).into();
    store.record(&record_of("a", SECOND, "/links", &says), Some(&says)).await.unwrap();
    store.close_crawl(&site_id("a"), crawl_id(FIRST), &suspect()).await.unwrap();
    let pages = ["/", "/new", "/links", "/never"];
    let queued = pages.map(|path| queued("a", THIRD, path));
    store.queue(&queued).await.unwrap();
    store.take(&site_id("a"), crawl_id(THIRD), 9).await.unwrap();
    for path in pages {
        let quick = (known(&store, path).await, known(&store, path).await);
        store.read_plainly(true);
        let plain = known(&store, path).await;
        store.read_plainly(false);
        assert_eq!(quick, (plain.clone(), plain), "{path}");
    }
    for content in [&says, &content(SECOND), &content("never stored")] {
        let quick = links(&store, content).await;
        store.read_plainly(true);
        let plain = links(&store, content).await;
        store.read_plainly(false);
        let is_unqueued = |link: &PageUrl| queued.iter().all(|page| page.url != *link);
        assert_eq!(quick, plain.map(|links| links.into_iter().filter(is_unqueued).collect::<Vec<_>>()));
    }
}

#[tokio::test]
async fn doubting_and_accepting_a_crawl_is_seen_at_once() {
    let (_directory, store) = handed_out().await;
    store.close_crawl(&site_id("a"), crawl_id(SECOND), &suspect()).await.unwrap();
    assert_eq!(known(&store, "/").await, Some(known_by(FIRST)));

    let (_directory, store) = handed_out().await;
    store.close_crawl(&site_id("a"), crawl_id(SECOND), &suspect()).await.unwrap();
    store.queue(&[queued("a", THIRD, "/later")]).await.unwrap();
    store.take(&site_id("a"), crawl_id(THIRD), 9).await.unwrap();
    store.accept_crawl(&site_id("a"), crawl_id(SECOND), time(20)).await.unwrap();
    assert_eq!(known(&store, "/").await, Some(known_by(SECOND)));
}

#[tokio::test]
async fn a_record_of_an_earlier_crawl_is_seen_at_once() {
    let (_directory, store) = handed_out().await;
    store.record(&record("a", SECOND, "/new"), None).await.unwrap();
    assert_eq!(known(&store, "/new").await, Some(record("a", SECOND, "/new").known));
}

#[tokio::test]
async fn what_was_deleted_is_not_remembered() {
    let (_directory, store) = handed_out().await;
    store.close_crawl(&site_id("a"), crawl_id(SECOND), &closed(Ending::Complete)).await.unwrap();
    // Handed out again, as after the crawl was closed.
    store.queue(&[queued("a", THIRD, "/more")]).await.unwrap();
    store.record(&record_of("a", SECOND, "/more", &content(SECOND)), None).await.unwrap();
    store.take(&site_id("a"), crawl_id(THIRD), 9).await.unwrap();
    assert!(store.delete_crawl(&site_id("a"), crawl_id(SECOND), 1_000).await.unwrap().finished);
    assert_eq!(known(&store, "/more").await, None);
    assert_eq!(known(&store, "/").await, Some(known_by(FIRST)));
    assert_eq!(links(&store, &content(SECOND)).await, None);
}
