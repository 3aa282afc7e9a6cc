//! Working off what waits in a store.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use recrawl_archive::{
    ArchiveError, ArchiveOutcome, ArchiveWorker, DrainOptions, Drained, PaceSettings, ServiceError,
};
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::ports::{ArchiveRequest, ArchiveStore};
use recrawl_testkit::contract::samples::{FIRST, SECOND, THIRD, crawl_id, site_id};
use recrawl_testkit::save_page_now::{Fault, Limits};

use crate::harness::{Harness, quick, shut_down};

fn everything() -> DrainOptions {
    let crawls = [FIRST, SECOND, THIRD].map(crawl_id).to_vec();
    DrainOptions { sites: vec![(site_id("a"), crawls)], limit: usize::MAX, deadline: None }
}

async fn drain(archive_worker: &ArchiveWorker, work: &DrainOptions) -> Result<Drained, ArchiveError> {
    archive_worker.drain(work, Timestamp::now, &|_, _| {}).await
}

/// Records changes, the later ones first.
async fn changes(harness: &Harness, crawl: &str, pages: i64) {
    for number in (0..pages).rev() {
        let at = Timestamp::now() - SignedDuration::from_mins(100 - number);
        harness.change_in(crawl, &format!("/{crawl}/{number:02}"), at).await;
    }
}

#[tokio::test]
async fn everything_that_is_due_is_captured_once_oldest_first() {
    let harness = Harness::new().await;
    harness.fake.pending(1);
    changes(&harness, SECOND, 5).await;
    changes(&harness, FIRST, 80).await;
    let seen = Mutex::new(0);
    let progress = |_: &ArchiveRequest, outcome: &ArchiveOutcome| {
        assert!(matches!(outcome, ArchiveOutcome::Done(_)));
        *seen.lock().unwrap() += 1;
    };
    let pace = PaceSettings { between: Duration::from_millis(5), ..quick() };
    let archive_worker = harness.archivist_with(pace);
    let drained = archive_worker.drain(&everything(), Timestamp::now, &progress).await.unwrap();
    assert_eq!((drained.taken, drained.captured, drained.failed, drained.trouble), (85, 85, 0, None));
    assert_eq!(*seen.lock().unwrap(), 85);
    let asked: Vec<String> = harness.fake.submissions().into_iter().map(|asked| asked.url).collect();
    let mut sorted = asked.clone();
    sorted.sort();
    assert_eq!(asked, sorted, "oldest first");
    assert!(harness.fake.captures().values().all(|count| *count == 1));
    let again = drain(&harness.archive_worker(), &everything()).await.unwrap();
    assert_eq!((again.taken, harness.fake.submissions().len()), (0, 85));
}

#[tokio::test]
async fn the_limits_of_the_service_are_not_passed() {
    let harness = Harness::new().await;
    // A minute is 2.4 s here, and the margin that of a loaded machine.
    let window = Duration::from_millis(2_400);
    let between = window / 11;
    harness.fake.limits(Limits { window, ..Limits::default() });
    harness.fake.pending(3);
    changes(&harness, FIRST, 26).await;
    let pace = PaceSettings { between, ..quick() };
    let started = Instant::now();
    let drained = drain(&harness.archivist_with(pace), &everything()).await.unwrap();
    assert_eq!(drained.captured, 26);
    assert!(started.elapsed() >= between * 26);
    let refused = harness.fake.submissions().iter().filter(|asked| asked.status == Some(429)).count();
    assert_eq!(refused, 0);
}

#[tokio::test]
async fn somebody_who_is_too_fast_is_slowed_down_and_loses_nothing() {
    let harness = Harness::new().await;
    harness.fake.limits(Limits { authenticated: 3, window: Duration::from_hours(1), ..Limits::default() });
    changes(&harness, FIRST, 12).await;
    let mut captured = drain(&harness.archive_worker(), &everything()).await.unwrap().captured;
    assert_eq!(captured, 3);
    assert!(harness.fake.submissions().iter().any(|asked| asked.status == Some(429)));
    // An hour has gone by.
    harness.fake.limits(Limits::NONE);
    let begun = Instant::now();
    while captured < 12 {
        assert!(begun.elapsed() < Duration::from_mins(1), "{captured} of 12 were captured");
        captured += drain(&harness.archive_worker(), &everything()).await.unwrap().captured;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(harness.fake.captures().values().all(|count| *count == 1));
}

#[tokio::test]
async fn no_more_are_taken_than_wanted() {
    let harness = Harness::new().await;
    changes(&harness, FIRST, 9).await;
    let drained = drain(&harness.archive_worker(), &DrainOptions { limit: 4, ..everything() }).await.unwrap();
    assert_eq!((drained.taken, harness.fake.submissions().len()), (4, 4));
}

#[tokio::test]
async fn a_service_in_trouble_is_left_alone_soon_and_the_rest_stays_queued() {
    for fault in [Fault::Status(503), Fault::Hang, Fault::Drop, Fault::Status(429), Fault::RetryAfter(9_999)]
    {
        let harness = Harness::new().await;
        changes(&harness, FIRST, 50).await;
        harness.fake.everywhere(Some(fault));
        let archive_worker = harness.impatient_archivist(PaceSettings { at_once: 2, ..quick() });
        let drained = drain(&archive_worker, &everything()).await.unwrap();
        assert_eq!((drained.captured, drained.failed), (0, 0), "{fault:?}");
        assert!(drained.trouble.is_some(), "{fault:?}");
        let asked = harness.fake.submissions().len();
        assert!((1..=6).contains(&asked), "{fault:?}: {asked}");
        harness.fake.everywhere(None);
        let later = Timestamp::now() + SignedDuration::from_hours(48);
        let due = harness.store.unarchived(&site_id("a"), crawl_id(FIRST), later, 100).await.unwrap();
        assert_eq!(due.len(), 50, "{fault:?}");
    }
}

#[tokio::test]
async fn a_service_that_is_gone_is_named_as_the_trouble() {
    let harness = Harness::new().await;
    changes(&harness, FIRST, 3).await;
    let archive_worker = ArchiveWorker::with_pace(harness.store.clone(), harness.service(None), quick());
    shut_down(harness.fake).await;
    let drained = drain(&archive_worker, &everything()).await.unwrap();
    assert!(drained.trouble.unwrap().contains("cannot be reached"));
}

#[tokio::test]
async fn a_daily_limit_ends_the_run() {
    let harness = Harness::new().await;
    changes(&harness, FIRST, 30).await;
    harness.fake.everywhere(Some(Fault::Refusal("error:max-daily-bandwidth-from-ip")));
    let pace = PaceSettings { at_once: 2, between: Duration::from_millis(30), ..quick() };
    let drained = drain(&harness.archivist_with(pace), &everything()).await.unwrap();
    assert!(drained.trouble.unwrap().contains("max-daily-bandwidth"));
    assert!(harness.fake.submissions().len() <= 2, "{}", harness.fake.submissions().len());
}

#[tokio::test]
async fn failures_of_pages_hold_nobody_up() {
    let harness = Harness::new().await;
    changes(&harness, FIRST, 10).await;
    for number in 0..5 {
        let url = format!("https://example.org/{FIRST}/{number:02}");
        harness.fake.plan(&url, [Fault::Job("error:no-access")]);
    }
    let drained = drain(&harness.archive_worker(), &everything()).await.unwrap();
    assert_eq!((drained.captured, drained.failed, drained.trouble), (5, 5, None));
}

#[tokio::test]
async fn wrong_keys_end_the_run() {
    let harness = Harness::new().await;
    changes(&harness, FIRST, 20).await;
    let service = harness.service(Some("WrongAccess:WrongSecret"));
    let archive_worker =
        ArchiveWorker::with_pace(harness.store.clone(), service, PaceSettings { at_once: 2, ..quick() });
    let failed = drain(&archive_worker, &everything()).await;
    assert!(matches!(failed, Err(ArchiveError::Service(ServiceError::KeysRefused))), "{failed:?}");
    assert!(harness.fake.submissions().len() <= 3);
}

#[tokio::test]
async fn sites_take_turns() {
    let harness = Harness::new().await;
    recrawl_testkit::contract::samples::open(&*harness.store, "b").await;
    changes(&harness, FIRST, 4).await;
    for path in ["/of-b/1", "/of-b/2"] {
        harness.change_of("b", FIRST, path, Timestamp::now()).await;
    }
    let sites = ["a", "b"].map(|site| (site_id(site), vec![crawl_id(FIRST)])).to_vec();
    let work = DrainOptions { sites, ..everything() };
    let pace = PaceSettings { at_once: 1, ..quick() };
    let drained = drain(&harness.archivist_with(pace), &work).await.unwrap();
    let is_of_b: Vec<bool> =
        harness.fake.submissions().iter().map(|asked| asked.url.contains("/of-b/")).collect();
    assert_eq!((drained.captured, is_of_b), (6, vec![false, true, false, true, false, false]));
}

#[tokio::test]
async fn what_is_under_way_at_the_deadline_is_the_next_drains() {
    let harness = Harness::new().await;
    harness.fake.pending(u32::MAX);
    changes(&harness, FIRST, 3).await;
    let deadline = Some(tokio::time::Instant::now() + Duration::from_secs(1));
    let work = DrainOptions { deadline, ..everything() };
    let drained = drain(&harness.archive_worker(), &work).await.unwrap();
    assert_eq!((drained.captured, drained.is_cut_short, drained.trouble), (0, true, None));
    harness.fake.end_jobs();
    let drained = drain(&harness.archive_worker(), &everything()).await.unwrap();
    assert_eq!((drained.captured, drained.is_cut_short), (3, false));
    let (captures, asked) = (harness.fake.captures(), harness.fake.submissions().len());
    assert_eq!((captures.len(), captures.values().max(), asked), (3, Some(&1), 3));
}

#[tokio::test]
async fn a_drain_with_a_deadline_waits_for_what_is_to_be_tried_again_soon() {
    let harness = Harness::new().await;
    changes(&harness, FIRST, 1).await;
    harness.fake.plan(&format!("https://example.org/{FIRST}/00"), [Fault::RetryAfter(1)]);
    let deadline = Some(tokio::time::Instant::now() + Duration::from_mins(5));
    let drained = drain(&harness.archive_worker(), &DrainOptions { deadline, ..everything() }).await.unwrap();
    assert_eq!((drained.captured, drained.is_cut_short), (1, false));
}

#[tokio::test]
async fn a_run_that_is_stopped_ends_soon_and_the_next_one_goes_on() {
    let harness = Harness::new().await;
    harness.fake.pending(4);
    changes(&harness, FIRST, 20).await;
    // Jobs are looked at long after this test was given up: the run ends because it is stopped.
    let (first_look, watch) = (Duration::from_hours(1), Duration::from_hours(2));
    let archive_worker = harness.archivist_with(PaceSettings { first_look, watch, ..quick() });
    let work = everything();
    let (drained, ()) = tokio::join!(drain(&archive_worker, &work), async {
        while harness.fake.submissions().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        archive_worker.stop();
    });
    let drained = drained.unwrap();
    assert!(drained.captured < 20 && drained.trouble.is_none());
    drain(&harness.archive_worker(), &work).await.unwrap();
    let captures = harness.fake.captures();
    assert_eq!((captures.len(), captures.values().max()), (20, Some(&1)));
    let page = format!("/{FIRST}/07");
    let archive = harness.archive(&crate::harness::request(FIRST, &page, Timestamp::now())).await;
    assert_eq!(archive.state, ArchiveState::Captured);
}
