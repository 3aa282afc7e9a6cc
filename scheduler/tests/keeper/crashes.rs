//! A tick may die at any call: the next ones come to the same end.

use recrawl_core::archive::Archive;
use recrawl_core::crawl::Ending;
use recrawl_core::ports::Store;

use crate::doubting::suspect_week;
use crate::watched::Failure;
use crate::world::{CRAWL, World, id, minute};

/// A crawl to be closed, with a request to be made again, and an old crawl to be deleted.
async fn to_be_closed() -> World {
    let mut world = World::new().await;
    world.keeper.settings.keep_crawls = Some(1);
    world.open("crawl-2026-11-09").await;
    for path in ["/", "/a"] {
        world.visit("crawl-2026-11-09", path, minute(-10_000), &[]).await;
    }
    world.close("crawl-2026-11-09", Ending::Complete).await;
    world.two_pages(&["/b"]).await;
    // The crawl is known to the first tick, so that requests are looked at in the second.
    world.keeper.tick(&|_, _| true, minute(5)).await.unwrap();
    world.record(CRAWL, "/b", minute(6), &[], Some(Archive::queued(minute(6)))).await;
    world
}

/// A crawl that lacks two pages.
async fn to_be_completed() -> World {
    let world = World::new().await;
    world.two_pages(&["/lost", "/lost-too"]).await;
    world
}

/// A crawl to be given up.
async fn to_be_given_up() -> World {
    let world = to_be_completed().await;
    world.tick(minute(15)).await;
    world
}

async fn comes_to_the_same_end<W: Future<Output = World>>(make: impl Fn() -> W, now: i64) {
    let undisturbed = make().await;
    undisturbed.tick(minute(now)).await;
    let expected = undisturbed.state().await;
    let calls = undisturbed.store.calls().len();
    for failure in [Failure::Before, Failure::After] {
        let mut failures = 0;
        for number in 0..=calls {
            let world = make().await;
            world.store.fail_at(number, failure);
            let died = world.try_tick(minute(now)).await.is_err();
            assert_eq!(world.store.heal(), died, "call {number} {failure:?}");
            failures += usize::from(died);
            world.tick(minute(now)).await;
            assert_eq!(world.state().await, expected, "call {number} {failure:?}");
        }
        assert!(failures > 5, "{failures} calls failed");
    }
}

#[tokio::test]
async fn a_tick_that_closes_asks_again_and_deletes_may_die_at_any_call() {
    let world = to_be_closed().await;
    let report = world.tick(minute(36)).await;
    assert_eq!((report.closed.len(), report.archives_requested, report.deleted), (1, 1, 4));
    comes_to_the_same_end(to_be_closed, 36).await;
}

#[tokio::test]
async fn a_tick_that_queues_missing_pages_may_die_at_any_call() {
    assert_eq!(to_be_completed().await.tick(minute(15)).await.requeued, 2);
    comes_to_the_same_end(to_be_completed, 15).await;
}

#[tokio::test]
async fn a_tick_that_gives_up_may_die_at_any_call() {
    let report = to_be_given_up().await.tick(minute(1_455)).await;
    assert_eq!(report.closed.len(), 1);
    comes_to_the_same_end(to_be_given_up, 1_455).await;
}

/// A suspect crawl that was accepted.
async fn to_be_released() -> World {
    let world = suspect_week().await;
    world.tick(minute(15)).await;
    world.store.inner.accept_crawl(&world.site, id(CRAWL), minute(20)).await.unwrap();
    world
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
