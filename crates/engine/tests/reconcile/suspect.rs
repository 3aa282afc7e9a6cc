//! What a suspect crawl found is held back until somebody accepts it.

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{Store, StoreError};
use recrawl_engine::{Accepted, MaintenanceError};

use crate::harness::{CRAWL, Harness, id, minute};

const BEFORE: &str = "crawl-2026-11-09";
const NEXT: &str = "crawl-2026-11-23";
const LOST: [&str; 5] = ["/5", "/6", "/7", "/8", "/9"];

/// A week in which half of the known pages could not be read, and two others changed.
pub(crate) async fn suspect_week() -> Harness {
    let harness = Harness::new().await;
    harness.open(BEFORE).await;
    harness.find(BEFORE, Verdict::New, &["/", "/1", "/2", "/3", "/4"]).await;
    harness.find(BEFORE, Verdict::New, &LOST).await;
    harness.close(BEFORE, Ending::Complete).await;
    harness.open(CRAWL).await;
    harness.find(CRAWL, Verdict::Unchanged, &["/", "/1", "/2"]).await;
    harness.find(CRAWL, Verdict::Changed, &["/3", "/4"]).await;
    harness.find(CRAWL, Verdict::Failed, &LOST).await;
    harness
}

fn changes() -> Vec<(String, Change)> {
    vec![("/3".to_owned(), Change::Change), ("/4".to_owned(), Change::Change)]
}

#[tokio::test]
async fn a_suspect_crawl_is_closed_and_told_of_and_nothing_is_announced() {
    let harness = suspect_week().await;
    let report = harness.tick(minute(15)).await;
    let reason = report.closed[0].suspicion.clone().expect("it is suspect");
    assert!(reason.contains("5 of 10 known pages"), "{reason}");
    assert_eq!((report.announced, harness.announced(CRAWL)), (0, vec![]));
    let (_, closed) = &harness.store.summaries()[0];
    assert_eq!(closed.suspicion.as_ref().map(|suspicion| &suspicion.reason), Some(&reason));
    for now in [25, 35] {
        let report = harness.tick(minute(now)).await;
        assert_eq!((report.announced, report.closed.len()), (0, 0), "nobody has accepted it");
    }
}

#[tokio::test]
async fn what_is_accepted_in_the_store_is_announced_by_the_next_tick_once() {
    let harness = suspect_week().await;
    harness.tick(minute(15)).await;
    harness.store.accept_crawl(&harness.site, id(CRAWL), minute(20)).await.unwrap();
    assert_eq!(harness.tick(minute(25)).await.announced, 2);
    assert_eq!(harness.announced(CRAWL), changes());
    harness.store.calls();
    assert_eq!(harness.tick(minute(35)).await.announced, 0);
    assert!(!harness.store.calls().contains(&"crawls"), "nothing is held any more");
}

#[tokio::test]
async fn accepting_through_the_keeper_announces_at_once() {
    let harness = suspect_week().await;
    harness.tick(minute(15)).await;
    let accepted = harness.maintenance.accept(&harness.site, None, minute(20)).await.unwrap();
    assert_eq!(accepted, Accepted { crawl: id(CRAWL), announced: 2 });
    assert_eq!(harness.announced(CRAWL), changes());
    assert_eq!(harness.tick(minute(25)).await.announced, 0);
    let nothing = harness.maintenance.accept(&harness.site, None, minute(30)).await;
    assert!(matches!(nothing, Err(MaintenanceError::Store(StoreError::Absent(_)))), "{nothing:?}");
    let believed = harness.maintenance.accept(&harness.site, Some(id(BEFORE)), minute(30)).await;
    assert!(matches!(believed, Err(MaintenanceError::Store(StoreError::Absent(_)))), "{believed:?}");
}

#[tokio::test]
async fn the_next_whole_crawl_that_is_believed_drops_what_was_held() {
    let harness = suspect_week().await;
    harness.tick(minute(15)).await;
    harness.open(NEXT).await;
    harness.find(NEXT, Verdict::Unchanged, &["/", "/1", "/2", "/5", "/6", "/7", "/8", "/9"]).await;
    harness.find(NEXT, Verdict::Changed, &["/3", "/4"]).await;
    let report = harness.tick(minute(7 * 24 * 60 + 15)).await;
    assert_eq!((report.closed.len(), report.announced), (1, 2));
    harness.store.accept_crawl(&harness.site, id(CRAWL), minute(20_000)).await.unwrap();
    assert_eq!(harness.tick(minute(20_010)).await.announced, 0, "it was all looked at again");
    assert_eq!((harness.announced(CRAWL), harness.announced(NEXT)), (vec![], changes()));
}

#[tokio::test]
async fn many_changes_are_doubted_in_a_whole_crawl_and_not_in_a_partial_one() {
    for is_whole in [true, false] {
        let mut harness = Harness::new().await;
        harness.maintenance.settings.budget = Some(20);
        harness.open(BEFORE).await;
        harness
            .find(BEFORE, Verdict::New, &["/", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"])
            .await;
        harness.close(BEFORE, Ending::Complete).await;
        harness.open(CRAWL).await;
        harness.find(CRAWL, Verdict::Changed, &["/", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]).await;
        harness.find(CRAWL, Verdict::Unchanged, if is_whole { &["/9"] } else { &["/10"] }).await;
        let report = harness.tick(minute(15)).await;
        assert_eq!(report.closed[0].suspicion.is_some(), is_whole);
        assert_eq!(report.announced, if is_whole { 0 } else { 9 });
    }
}
