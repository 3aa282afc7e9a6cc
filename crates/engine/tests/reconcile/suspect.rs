//! What an unusual crawl found is held back until somebody accepts it, or the next whole crawl is told.

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{Store, StoreError};
use recrawl_engine::{Accepted, MaintenanceError};

use crate::harness::{CRAWL, Harness, id, minute};

const BEFORE: &str = "crawl-2026-11-09";
const NEXT: &str = "crawl-2026-11-23";
/// In minutes, as [`minute`] counts them.
pub(crate) const A_WEEK_LATER: i64 = 7 * 24 * 60 + 15;
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
    assert!(reason.starts_with("5 of 10 pages failed or were refused"), "{reason}");
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
    let accepted = harness.maintenance.accept(&harness.site, None, false, minute(20)).await.unwrap();
    assert_eq!(accepted, Accepted { crawl: id(CRAWL), announced: 2 });
    assert_eq!(harness.announced(CRAWL), changes());
    assert_eq!(harness.tick(minute(25)).await.announced, 0);
    let again = harness.maintenance.accept(&harness.site, None, false, minute(30)).await.unwrap();
    assert_eq!(again, Accepted { crawl: id(CRAWL), announced: 0 }, "twice is once");
    let believed = harness.maintenance.accept(&harness.site, Some(id(BEFORE)), false, minute(30)).await;
    assert!(matches!(believed, Err(MaintenanceError::NotAccepted(_))), "{believed:?}");
    let quiet = Harness::new().await;
    let nothing = quiet.maintenance.accept(&quiet.site, None, false, minute(30)).await;
    assert!(matches!(nothing, Err(MaintenanceError::Store(StoreError::Absent(_)))), "{nothing:?}");
}

#[tokio::test]
async fn the_next_whole_crawl_that_is_believed_drops_what_was_held() {
    let harness = suspect_week().await;
    harness.tick(minute(15)).await;
    harness.open(NEXT).await;
    harness.find(NEXT, Verdict::Unchanged, &["/", "/1", "/2", "/5", "/6", "/7", "/8", "/9"]).await;
    harness.find(NEXT, Verdict::Changed, &["/3", "/4"]).await;
    let report = harness.tick(minute(A_WEEK_LATER)).await;
    assert_eq!((report.closed.len(), report.announced), (1, 2));
    let accept = |force| harness.maintenance.accept(&harness.site, None, force, minute(20_000));
    let refused = accept(false).await;
    assert!(matches!(&refused, Err(MaintenanceError::NotAccepted(why)) if why.contains(NEXT)), "{refused:?}");
    assert_eq!(harness.tick(minute(20_010)).await.announced, 0, "it was all looked at again");
    assert_eq!((harness.announced(CRAWL), harness.announced(NEXT)), (vec![], changes()));
    assert_eq!(accept(true).await.unwrap(), Accepted { crawl: id(CRAWL), announced: 2 }, "unless by force");
}

/// A week in which half of the known pages are gone, and the next, in which they are still.
pub(crate) async fn confirming_week() -> Harness {
    let harness = Harness::new().await;
    harness.open(BEFORE).await;
    harness.find(BEFORE, Verdict::New, &["/", "/1", "/2", "/3", "/4"]).await;
    harness.find(BEFORE, Verdict::New, &LOST).await;
    harness.close(BEFORE, Ending::Complete).await;
    for (crawl, now) in [(CRAWL, Some(minute(15))), (NEXT, None)] {
        harness.open(crawl).await;
        harness.find(crawl, Verdict::Unchanged, &["/", "/1", "/2", "/3", "/4"]).await;
        harness.find(crawl, Verdict::Gone, &LOST).await;
        if let Some(now) = now {
            assert_eq!(harness.tick(now).await.announced, 0);
        }
    }
    harness
}

#[tokio::test]
async fn what_the_next_whole_crawl_finds_again_is_announced_by_itself() {
    let harness = confirming_week().await;
    let report = harness.tick(minute(A_WEEK_LATER)).await;
    assert_eq!((report.announced, report.closed[0].suspicion.clone()), (5, None));
    assert_eq!(harness.announced(CRAWL), [], "only the one that confirms it tells it");
    let crawls = harness.store.crawls(&harness.site).await.unwrap();
    let suspicion = crawls[1].closed.as_ref().unwrap().suspicion.clone().unwrap();
    assert_eq!((suspicion.confirmed_by, suspicion.accepted_at), (Some(id(NEXT)), None));
    let accepted =
        harness.maintenance.accept(&harness.site, Some(id(CRAWL)), false, minute(A_WEEK_LATER)).await;
    assert_eq!(accepted.unwrap(), Accepted { crawl: id(CRAWL), announced: 0 }, "nothing is left to do");
    harness.tick(minute(A_WEEK_LATER + 10)).await;
    harness.store.calls();
    harness.tick(minute(A_WEEK_LATER + 20)).await;
    assert!(!harness.store.calls().contains(&"crawls"), "nothing is held any more");
}

#[tokio::test]
async fn an_ordinary_week_reads_no_more_to_know_that_none_was_unusual() {
    let harness = Harness::new().await;
    harness.two_pages(&[]).await;
    harness.store.calls();
    assert_eq!(harness.tick(minute(15)).await.closed.len(), 1);
    let calls = harness.store.calls();
    assert_eq!(
        calls.iter().filter(|call| **call == "records").count(),
        3,
        "two of the audit, one to announce"
    );
    assert_eq!(calls.iter().filter(|call| **call == "crawls").count(), 1, "to announce: {calls:?}");
}

#[tokio::test]
async fn many_changes_of_a_small_site_are_told_in_a_whole_crawl_and_in_a_partial_one() {
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
        assert_eq!(report.closed[0].suspicion, None);
        let announced = harness.store.inner.announcements();
        let (shared, pages): (Vec<_>, Vec<_>) =
            announced.iter().partition(|told| told.details.shared_by.is_some());
        assert_eq!((pages.len(), shared.len(), report.announced), (9, 1, 10));
        assert_eq!(shared[0].details.shared_by, Some(9), "all of them have the same words");
    }
}
