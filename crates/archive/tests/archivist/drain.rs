//! Working off what waits in a store.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use recrawl_archive::{ArchiveError, Archivist, Carried, Drained, PaceSettings, ServiceError, Work};
use recrawl_core::archive::ArchiveState;
use recrawl_core::ports::{ArchiveRequest, Archives};
use recrawl_testkit::contract::samples::{FIRST, SECOND, THIRD, crawl_id, site_id};
use recrawl_testkit::save_page_now::{Fault, Limits};

use crate::desk::{Desk, quick, shut_down};

fn everything() -> Work {
    Work { site: site_id("a"), crawls: [FIRST, SECOND, THIRD].map(crawl_id).to_vec(), limit: usize::MAX }
}

async fn drain(archivist: &Archivist, work: &Work) -> Result<Drained, ArchiveError> {
    archivist.drain(work, Timestamp::now, &|_, _| {}).await
}

/// Records changes, the later ones first.
async fn changes(desk: &Desk, crawl: &str, pages: i64) {
    for number in (0..pages).rev() {
        let at = Timestamp::now() - SignedDuration::from_mins(100 - number);
        desk.change_in(crawl, &format!("/{crawl}/{number:02}"), at).await;
    }
}

#[tokio::test]
async fn everything_that_is_due_is_captured_once_oldest_first() {
    let desk = Desk::new().await;
    desk.fake.pending(1);
    changes(&desk, SECOND, 5).await;
    changes(&desk, FIRST, 80).await;
    let seen = Mutex::new(0);
    let progress = |_: &ArchiveRequest, carried: &Carried| {
        assert!(matches!(carried, Carried::Done(_)));
        *seen.lock().unwrap() += 1;
    };
    let pace = PaceSettings { between: Duration::from_millis(5), ..quick() };
    let archivist = desk.archivist_with(pace);
    let drained = archivist.drain(&everything(), Timestamp::now, &progress).await.unwrap();
    assert_eq!((drained.taken, drained.captured, drained.failed, drained.trouble), (85, 85, 0, None));
    assert_eq!(*seen.lock().unwrap(), 85);
    let asked: Vec<String> = desk.fake.submissions().into_iter().map(|asked| asked.url).collect();
    let mut sorted = asked.clone();
    sorted.sort();
    assert_eq!(asked, sorted, "oldest first");
    assert!(desk.fake.captures().values().all(|count| *count == 1));
    let again = drain(&desk.archivist(), &everything()).await.unwrap();
    assert_eq!((again.taken, desk.fake.submissions().len()), (0, 85));
}

#[tokio::test]
async fn the_limits_of_the_service_are_not_passed() {
    let desk = Desk::new().await;
    // A minute is 2.4 s here, and the margin that of a loaded machine.
    let window = Duration::from_millis(2_400);
    let between = window / 11;
    desk.fake.limits(Limits { window, ..Limits::default() });
    desk.fake.pending(3);
    changes(&desk, FIRST, 26).await;
    let pace = PaceSettings { between, ..quick() };
    let started = Instant::now();
    let drained = drain(&desk.archivist_with(pace), &everything()).await.unwrap();
    assert_eq!(drained.captured, 26);
    assert!(started.elapsed() >= between * 26);
    let refused = desk.fake.submissions().iter().filter(|asked| asked.status == Some(429)).count();
    assert_eq!(refused, 0);
}

#[tokio::test]
async fn somebody_who_is_too_fast_is_slowed_down_and_loses_nothing() {
    let desk = Desk::new().await;
    desk.fake.limits(Limits { authenticated: 3, window: Duration::from_hours(1), ..Limits::default() });
    changes(&desk, FIRST, 12).await;
    let mut captured = drain(&desk.archivist(), &everything()).await.unwrap().captured;
    assert_eq!(captured, 3);
    assert!(desk.fake.submissions().iter().any(|asked| asked.status == Some(429)));
    // An hour has gone by.
    desk.fake.limits(Limits::NONE);
    let begun = Instant::now();
    while captured < 12 {
        assert!(begun.elapsed() < Duration::from_mins(1), "{captured} of 12 were captured");
        captured += drain(&desk.archivist(), &everything()).await.unwrap().captured;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(desk.fake.captures().values().all(|count| *count == 1));
}

#[tokio::test]
async fn no_more_are_taken_than_wanted() {
    let desk = Desk::new().await;
    changes(&desk, FIRST, 9).await;
    let drained = drain(&desk.archivist(), &Work { limit: 4, ..everything() }).await.unwrap();
    assert_eq!((drained.taken, desk.fake.submissions().len()), (4, 4));
}

#[tokio::test]
async fn a_service_in_trouble_is_left_alone_soon_and_the_rest_stays_queued() {
    for fault in [Fault::Status(503), Fault::Hang, Fault::Drop, Fault::Status(429), Fault::RetryAfter(9_999)]
    {
        let desk = Desk::new().await;
        changes(&desk, FIRST, 50).await;
        desk.fake.everywhere(Some(fault));
        let archivist = desk.impatient_archivist(PaceSettings { at_once: 2, ..quick() });
        let drained = drain(&archivist, &everything()).await.unwrap();
        assert_eq!((drained.captured, drained.failed), (0, 0), "{fault:?}");
        assert!(drained.trouble.is_some(), "{fault:?}");
        let asked = desk.fake.submissions().len();
        assert!((1..=6).contains(&asked), "{fault:?}: {asked}");
        desk.fake.everywhere(None);
        let later = Timestamp::now() + SignedDuration::from_hours(48);
        let due = desk.store.unarchived(&site_id("a"), crawl_id(FIRST), later, 100).await.unwrap();
        assert_eq!(due.len(), 50, "{fault:?}");
    }
}

#[tokio::test]
async fn a_service_that_is_gone_is_named_as_the_trouble() {
    let desk = Desk::new().await;
    changes(&desk, FIRST, 3).await;
    let archivist = Archivist::with_pace(desk.store.clone(), desk.service(None), quick());
    shut_down(desk.fake).await;
    let drained = drain(&archivist, &everything()).await.unwrap();
    assert!(drained.trouble.unwrap().contains("cannot be reached"));
}

#[tokio::test]
async fn a_daily_limit_ends_the_run() {
    let desk = Desk::new().await;
    changes(&desk, FIRST, 30).await;
    desk.fake.everywhere(Some(Fault::Refusal("error:max-daily-bandwidth-from-ip")));
    let pace = PaceSettings { at_once: 2, between: Duration::from_millis(30), ..quick() };
    let drained = drain(&desk.archivist_with(pace), &everything()).await.unwrap();
    assert!(drained.trouble.unwrap().contains("max-daily-bandwidth"));
    assert!(desk.fake.submissions().len() <= 2, "{}", desk.fake.submissions().len());
}

#[tokio::test]
async fn failures_of_pages_hold_nobody_up() {
    let desk = Desk::new().await;
    changes(&desk, FIRST, 10).await;
    for number in 0..5 {
        let url = format!("https://example.org/{FIRST}/{number:02}");
        desk.fake.plan(&url, [Fault::Job("error:no-access")]);
    }
    let drained = drain(&desk.archivist(), &everything()).await.unwrap();
    assert_eq!((drained.captured, drained.failed, drained.trouble), (5, 5, None));
}

#[tokio::test]
async fn wrong_keys_end_the_run() {
    let desk = Desk::new().await;
    changes(&desk, FIRST, 20).await;
    let service = desk.service(Some("WrongAccess:WrongSecret"));
    let archivist = Archivist::with_pace(desk.store.clone(), service, PaceSettings { at_once: 2, ..quick() });
    let failed = drain(&archivist, &everything()).await;
    assert!(matches!(failed, Err(ArchiveError::Service(ServiceError::KeysRefused))), "{failed:?}");
    assert!(desk.fake.submissions().len() <= 3);
}

#[tokio::test]
async fn a_run_that_is_stopped_ends_soon_and_the_next_one_goes_on() {
    let desk = Desk::new().await;
    desk.fake.pending(4);
    changes(&desk, FIRST, 20).await;
    // Jobs are looked at long after this test was given up: the run ends because it is stopped.
    let (first_look, watch) = (Duration::from_hours(1), Duration::from_hours(2));
    let archivist = desk.archivist_with(PaceSettings { first_look, watch, ..quick() });
    let work = everything();
    let (drained, ()) = tokio::join!(drain(&archivist, &work), async {
        while desk.fake.submissions().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        archivist.stop();
    });
    let drained = drained.unwrap();
    assert!(drained.captured < 20 && drained.trouble.is_none());
    drain(&desk.archivist(), &work).await.unwrap();
    let captures = desk.fake.captures();
    assert_eq!((captures.len(), captures.values().max()), (20, Some(&1)));
    let page = format!("/{FIRST}/07");
    let archive = desk.archive(&crate::desk::request(FIRST, &page, Timestamp::now())).await;
    assert_eq!(archive.state, ArchiveState::Captured);
}
