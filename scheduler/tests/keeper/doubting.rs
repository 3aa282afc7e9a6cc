//! What a suspect crawl found is held back until somebody accepts it.

use recrawl_core::crawl::Ending;
use recrawl_core::ports::{Store, StoreError};
use recrawl_core::verdict::{Change, Verdict};
use scheduler::{Accepted, KeeperError};

use crate::world::{CRAWL, World, id, minute};

const BEFORE: &str = "crawl-2026-11-09";
const NEXT: &str = "crawl-2026-11-23";
const LOST: [&str; 5] = ["/5", "/6", "/7", "/8", "/9"];

/// A week in which half of the known pages could not be read, and two others changed.
pub(crate) async fn suspect_week() -> World {
    let world = World::new().await;
    world.open(BEFORE).await;
    world.find(BEFORE, Verdict::New, &["/", "/1", "/2", "/3", "/4"]).await;
    world.find(BEFORE, Verdict::New, &LOST).await;
    world.close(BEFORE, Ending::Complete).await;
    world.open(CRAWL).await;
    world.find(CRAWL, Verdict::Unchanged, &["/", "/1", "/2"]).await;
    world.find(CRAWL, Verdict::Changed, &["/3", "/4"]).await;
    world.find(CRAWL, Verdict::Failed, &LOST).await;
    world
}

fn changes() -> Vec<(String, Change)> {
    vec![("/3".to_owned(), Change::Change), ("/4".to_owned(), Change::Change)]
}

#[tokio::test]
async fn a_suspect_crawl_is_closed_and_told_of_and_nothing_is_announced() {
    let world = suspect_week().await;
    let report = world.tick(minute(15)).await;
    let reason = report.closed[0].suspicion.clone().expect("it is suspect");
    assert!(reason.contains("5 of 10 known pages"), "{reason}");
    assert_eq!((report.announced, world.announced(CRAWL)), (0, vec![]));
    let (_, closed) = &world.store.summaries()[0];
    assert_eq!(closed.suspicion.as_ref().map(|suspicion| &suspicion.reason), Some(&reason));
    for now in [25, 35] {
        let report = world.tick(minute(now)).await;
        assert_eq!((report.announced, report.closed.len()), (0, 0), "nobody has accepted it");
    }
}

#[tokio::test]
async fn what_is_accepted_in_the_store_is_announced_by_the_next_tick_once() {
    let world = suspect_week().await;
    world.tick(minute(15)).await;
    world.store.accept_crawl(&world.site, id(CRAWL), minute(20)).await.unwrap();
    assert_eq!(world.tick(minute(25)).await.announced, 2);
    assert_eq!(world.announced(CRAWL), changes());
    world.store.calls();
    assert_eq!(world.tick(minute(35)).await.announced, 0);
    assert!(!world.store.calls().contains(&"crawls"), "nothing is held any more");
}

#[tokio::test]
async fn accepting_through_the_keeper_announces_at_once() {
    let world = suspect_week().await;
    world.tick(minute(15)).await;
    let accepted = world.keeper.accept(&world.site, None, minute(20)).await.unwrap();
    assert_eq!(accepted, Accepted { crawl: id(CRAWL), announced: 2 });
    assert_eq!(world.announced(CRAWL), changes());
    assert_eq!(world.tick(minute(25)).await.announced, 0);
    let nothing = world.keeper.accept(&world.site, None, minute(30)).await;
    assert!(matches!(nothing, Err(KeeperError::Store(StoreError::Absent(_)))), "{nothing:?}");
    let believed = world.keeper.accept(&world.site, Some(id(BEFORE)), minute(30)).await;
    assert!(matches!(believed, Err(KeeperError::Store(StoreError::Absent(_)))), "{believed:?}");
}

#[tokio::test]
async fn the_next_whole_crawl_that_is_believed_drops_what_was_held() {
    let world = suspect_week().await;
    world.tick(minute(15)).await;
    world.open(NEXT).await;
    world.find(NEXT, Verdict::Unchanged, &["/", "/1", "/2", "/5", "/6", "/7", "/8", "/9"]).await;
    world.find(NEXT, Verdict::Changed, &["/3", "/4"]).await;
    let report = world.tick(minute(7 * 24 * 60 + 15)).await;
    assert_eq!((report.closed.len(), report.announced), (1, 2));
    world.store.accept_crawl(&world.site, id(CRAWL), minute(20_000)).await.unwrap();
    assert_eq!(world.tick(minute(20_010)).await.announced, 0, "it was all looked at again");
    assert_eq!((world.announced(CRAWL), world.announced(NEXT)), (vec![], changes()));
}

#[tokio::test]
async fn many_changes_are_doubted_in_a_whole_crawl_and_not_in_a_partial_one() {
    for is_whole in [true, false] {
        let mut world = World::new().await;
        world.keeper.settings.budget = Some(20);
        world.open(BEFORE).await;
        world.find(BEFORE, Verdict::New, &["/", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"]).await;
        world.close(BEFORE, Ending::Complete).await;
        world.open(CRAWL).await;
        world.find(CRAWL, Verdict::Changed, &["/", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]).await;
        world.find(CRAWL, Verdict::Unchanged, if is_whole { &["/9"] } else { &["/10"] }).await;
        let report = world.tick(minute(15)).await;
        assert_eq!(report.closed[0].suspicion.is_some(), is_whole);
        assert_eq!(report.announced, if is_whole { 0 } else { 9 });
    }
}
