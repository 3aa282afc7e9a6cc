//! A tick may die at any call: the next ones come to the same end.

use recrawl_core::model::archive::Archive;
use recrawl_core::model::crawl::Ending;
use recrawl_core::ports::Store;
use recrawl_engine::CrawlCommand;

use crate::commands::command;
use crate::harness::{CRAWL, Harness, id, minute};
use crate::suspect::{A_WEEK_LATER, confirming_week, suspect_week};
use recrawl_testkit::faulty_store::Failure;

/// A crawl to be closed, with a page to be archived, and an old crawl to be deleted.
async fn to_be_closed() -> Harness {
    let mut harness = Harness::new().await;
    harness.maintenance.settings.keep_crawls = Some(1);
    harness.open("crawl-2026-11-09").await;
    for path in ["/", "/a"] {
        harness.visit("crawl-2026-11-09", path, minute(-10_000), &[]).await;
    }
    harness.close("crawl-2026-11-09", Ending::Complete).await;
    harness.two_pages(&["/b"]).await;
    // The crawl is known to the first tick, so that its requests are looked at later.
    harness.maintenance.tick(&|_, _| true, minute(5)).await.unwrap();
    harness.record(CRAWL, "/b", minute(6), &[], Some(Archive::queued(minute(6)))).await;
    harness
}

/// A crawl that lacks two pages.
async fn to_be_completed() -> Harness {
    let harness = Harness::new().await;
    harness.two_pages(&["/lost", "/lost-too"]).await;
    harness
}

/// A crawl to be given up.
async fn to_be_given_up() -> Harness {
    let harness = to_be_completed().await;
    harness.tick(minute(15)).await;
    harness
}

/// A crawl that somebody stopped a moment ago.
async fn to_be_stopped() -> Harness {
    let harness = to_be_completed().await;
    command(&harness, CrawlCommand::Stop).await;
    harness
}

/// A crawl that rested, and is to go on.
async fn to_be_resumed() -> Harness {
    let harness = to_be_completed().await;
    command(&harness, CrawlCommand::Pause).await;
    command(&harness, CrawlCommand::Resume).await;
    harness
}

async fn comes_to_the_same_end<W: Future<Output = Harness>>(make: impl Fn() -> W, now: i64) {
    let undisturbed = make().await;
    undisturbed.tick(minute(now)).await;
    let expected = undisturbed.state().await;
    let calls = undisturbed.store.calls().len();
    for failure in [Failure::Before, Failure::After] {
        let mut failures = 0;
        for number in 0..=calls {
            let harness = make().await;
            harness.store.fail_at(number, failure);
            let died = harness.try_tick(minute(now)).await.is_err();
            assert_eq!(harness.store.heal(), died, "call {number} {failure:?}");
            failures += usize::from(died);
            harness.tick(minute(now)).await;
            assert_eq!(harness.state().await, expected, "call {number} {failure:?}");
        }
        assert!(failures > 5, "{failures} calls failed");
    }
}

#[tokio::test]
async fn a_tick_that_closes_archives_and_deletes_may_die_at_any_call() {
    let harness = to_be_closed().await;
    let report = harness.tick(minute(36)).await;
    assert_eq!((report.closed.len(), report.archives_requested, report.deleted), (1, 0, 4));
    assert_eq!(harness.store.inner.archive_requests().len(), 1);
    comes_to_the_same_end(to_be_closed, 36).await;
}

/// A closed crawl whose requests may be lost, and a newer one that keeps it from being deleted.
async fn to_be_asked_again() -> Harness {
    let harness = to_be_closed().await;
    harness.tick(minute(36)).await;
    harness
}

#[tokio::test]
async fn a_tick_that_asks_again_for_archives_may_die_at_any_call() {
    assert_eq!(to_be_asked_again().await.tick(minute(70)).await.archives_requested, 1);
    comes_to_the_same_end(to_be_asked_again, 70).await;
}

#[tokio::test]
async fn a_tick_that_queues_missing_pages_may_die_at_any_call() {
    assert_eq!(to_be_completed().await.tick(minute(15)).await.requeued, 2);
    comes_to_the_same_end(to_be_completed, 15).await;
}

#[tokio::test]
async fn a_tick_that_closes_a_stopped_crawl_may_die_at_any_call() {
    assert_eq!(to_be_stopped().await.tick(minute(6)).await.closed.len(), 1);
    comes_to_the_same_end(to_be_stopped, 6).await;
}

#[tokio::test]
async fn a_tick_that_goes_on_with_a_crawl_that_rested_may_die_at_any_call() {
    assert_eq!(to_be_resumed().await.tick(minute(6)).await.requeued, 2);
    comes_to_the_same_end(to_be_resumed, 6).await;
}

#[tokio::test]
async fn a_tick_that_gives_up_may_die_at_any_call() {
    let report = to_be_given_up().await.tick(minute(1_455)).await;
    assert_eq!(report.closed.len(), 1);
    comes_to_the_same_end(to_be_given_up, 1_455).await;
}

/// A suspect crawl that was accepted.
async fn to_be_released() -> Harness {
    let harness = suspect_week().await;
    harness.tick(minute(15)).await;
    harness.store.inner.accept_crawl(&harness.site, id(CRAWL), minute(20)).await.unwrap();
    harness
}

#[tokio::test]
async fn a_tick_that_doubts_a_crawl_may_die_at_any_call() {
    assert!(suspect_week().await.tick(minute(15)).await.closed[0].suspicion.is_some());
    comes_to_the_same_end(suspect_week, 15).await;
}

#[tokio::test]
async fn a_tick_that_announces_what_was_accepted_may_die_at_any_call() {
    assert_eq!(to_be_released().await.tick(minute(25)).await.announced, 2);
    comes_to_the_same_end(to_be_released, 25).await;
}

#[tokio::test]
async fn a_tick_that_confirms_an_unusual_crawl_may_die_at_any_call() {
    assert_eq!(confirming_week().await.tick(minute(A_WEEK_LATER)).await.announced, 5);
    comes_to_the_same_end(confirming_week, A_WEEK_LATER).await;
}
