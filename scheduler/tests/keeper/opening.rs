//! Wishes join an open crawl or open one.

use jiff::Timestamp;
use recrawl_core::crawl::{Ending, Mode};
use recrawl_core::lifecycle::Opening;
use recrawl_core::ports::{Store, StoreError};

use crate::watched::Failure;
use crate::world::{CRAWL, World, minute};

async fn wish(world: &World, message: &str, now: Timestamp) -> Result<Opening, StoreError> {
    scheduler::open(&*world.store, &world.site, Mode::Incremental, Some(message), now).await
}

#[tokio::test]
async fn joining_an_open_crawl_is_one_read() {
    let world = World::new().await;
    world.open(CRAWL).await;
    let opening = wish(&world, "message", minute(2_000)).await.unwrap();
    assert!(matches!(opening, Opening::Join(crawl) if crawl.id.to_string() == CRAWL));
    assert_eq!(world.store.calls(), ["crawl_under_way"]);
}

#[tokio::test]
async fn of_many_wishes_at_once_one_opens_the_crawl_and_the_others_join_it() {
    let world = World::new().await;
    let messages = ["a", "b", "c", "d"];
    let [a, b, c, d] = messages.map(|message| wish(&world, message, minute(0)));
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    let openings = [a, b, c, d].map(Result::unwrap);
    let opened = openings.iter().filter(|opening| matches!(opening, Opening::Open(_))).count();
    let joined = openings.iter().filter(|opening| matches!(opening, Opening::Join(_))).count();
    assert_eq!((opened, joined), (1, 3), "{openings:?}");
    assert_eq!(world.crawls().await, [CRAWL]);
    let lost = world.store.calls().iter().filter(|call| **call == "open_crawl").count();
    assert!(lost > 1, "there was a race");
}

#[tokio::test]
async fn a_redelivered_opening_message_opens_nothing_new() {
    let world = World::new().await;
    assert!(matches!(wish(&world, "first", minute(0)).await.unwrap(), Opening::Open(_)));
    assert!(matches!(wish(&world, "first", minute(1)).await.unwrap(), Opening::Join(_)));
    world.close(CRAWL, Ending::Complete).await;
    assert!(matches!(wish(&world, "first", minute(2)).await.unwrap(), Opening::Done(_)));
    assert_eq!(world.crawls().await, [CRAWL]);
    let opening = wish(&world, "second", minute(3)).await.unwrap();
    assert!(matches!(opening, Opening::Open(crawl) if crawl.id.to_string() == format!("{CRAWL}-2")));
}

#[tokio::test]
async fn a_crawl_that_was_opened_without_the_caller_learning_of_it_is_joined_by_the_redelivery() {
    let world = World::new().await;
    world.store.fail_at(2, Failure::After);
    assert!(wish(&world, "message", minute(0)).await.is_err());
    assert!(world.store.heal());
    assert!(matches!(wish(&world, "message", minute(1)).await.unwrap(), Opening::Join(_)));
    assert_eq!(world.store.crawls(&world.site).await.unwrap().len(), 1);
}
