//! Wishes join an open crawl or open one.

use jiff::Timestamp;
use recrawl_core::decide::Opening;
use recrawl_core::model::crawl::{CrawlKind, Ending, Mode};
use recrawl_core::ports::{Store, StoreError};

use crate::harness::{CRAWL, Harness, minute};
use recrawl_testkit::faulty_store::Failure;

async fn wish(harness: &Harness, message: &str, now: Timestamp) -> Result<Opening, StoreError> {
    recrawl_engine::open(
        &*harness.store,
        &harness.site,
        CrawlKind::Full,
        Mode::Incremental,
        Some(message),
        now,
    )
    .await
}

#[tokio::test]
async fn joining_an_open_crawl_is_one_read() {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    let opening = wish(&harness, "message", minute(2_000)).await.unwrap();
    assert!(matches!(opening, Opening::Join(crawl) if crawl.id.to_string() == CRAWL));
    assert_eq!(harness.store.calls(), ["crawl_under_way"]);
}

#[tokio::test]
async fn of_many_wishes_at_once_one_opens_the_crawl_and_the_others_join_it() {
    let harness = Harness::new().await;
    let messages = ["a", "b", "c", "d"];
    let [a, b, c, d] = messages.map(|message| wish(&harness, message, minute(0)));
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    let openings = [a, b, c, d].map(Result::unwrap);
    let opened = openings.iter().filter(|opening| matches!(opening, Opening::Open(_))).count();
    let joined = openings.iter().filter(|opening| matches!(opening, Opening::Join(_))).count();
    assert_eq!((opened, joined), (1, 3), "{openings:?}");
    assert_eq!(harness.crawls().await, [CRAWL]);
    let lost = harness.store.calls().iter().filter(|call| **call == "open_crawl").count();
    assert!(lost > 1, "there was a race");
}

#[tokio::test]
async fn a_redelivered_opening_message_opens_nothing_new() {
    let harness = Harness::new().await;
    assert!(matches!(wish(&harness, "first", minute(0)).await.unwrap(), Opening::Open(_)));
    assert!(matches!(wish(&harness, "first", minute(1)).await.unwrap(), Opening::Join(_)));
    harness.close(CRAWL, Ending::Complete).await;
    assert!(matches!(wish(&harness, "first", minute(2)).await.unwrap(), Opening::Done(_)));
    assert_eq!(harness.crawls().await, [CRAWL]);
    let opening = wish(&harness, "second", minute(3)).await.unwrap();
    assert!(matches!(opening, Opening::Open(crawl) if crawl.id.to_string() == format!("{CRAWL}-2")));
}

#[tokio::test]
async fn a_crawl_that_was_opened_without_the_caller_learning_of_it_is_joined_by_the_redelivery() {
    let harness = Harness::new().await;
    harness.store.fail_at(2, Failure::After);
    assert!(wish(&harness, "message", minute(0)).await.is_err());
    assert!(harness.store.heal());
    assert!(matches!(wish(&harness, "message", minute(1)).await.unwrap(), Opening::Join(_)));
    assert_eq!(harness.store.crawls(&harness.site).await.unwrap().len(), 1);
}
