//! One capture a change: redelivered, at the same time, after a crash, after a lost answer.

use std::time::Duration;

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use recrawl_archive::{ArchiveError, ArchiveOutcome, ArchiveWorker};
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::ports::ArchiveRequest;
use recrawl_testkit::contract::samples::{FIRST, SECOND};
use recrawl_testkit::save_page_now::{Fault, SavePageNow as Fake};

use crate::harness::{Harness, brief_watch, quick, request};
use recrawl_testkit::faulty_store::{Failure, FaultyStore};

async fn carry_out(
    archive_worker: &ArchiveWorker,
    request: &ArchiveRequest,
) -> Result<ArchiveOutcome, ArchiveError> {
    archive_worker.carry_out(request, Timestamp::now()).await
}

fn captured(outcome: Result<ArchiveOutcome, ArchiveError>) -> Archive {
    match outcome {
        Ok(ArchiveOutcome::Done(archive)) if archive.state == ArchiveState::Captured => archive,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_change_is_captured_and_the_capture_is_kept_with_the_record() {
    let harness = Harness::new().await;
    harness.fake.pending(3);
    let request = harness.change("/a").await;
    let archive = captured(carry_out(&harness.archive_worker(), &request).await);
    assert_eq!(harness.archive(&request).await, archive);
    let age = Timestamp::now().duration_since(archive.captured_at.unwrap());
    assert!(age < SignedDuration::from_secs(30), "{age}");
    let time = archive.captured_at.unwrap().strftime("%Y%m%d%H%M%S").to_string();
    let address = format!("https://web.archive.org/web/{time}/https://example.org/a");
    assert_eq!(archive.wayback_url, Some(address));
    assert_eq!((harness.captures(&request), harness.fake.looks()), (1, 4));
    let asked = &harness.fake.submissions()[0];
    let option = |name: &str| asked.options.get(name).map(String::as_str);
    assert!(asked.authenticated);
    assert_eq!(option("if_not_archived_within"), Some("60"));
    assert_eq!((option("skip_first_archive"), option("delay_wb_availability")), (Some("1"), Some("1")));
}

#[tokio::test]
async fn a_request_that_is_delivered_three_times_is_captured_once() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    let archive_worker = harness.archive_worker();
    let first = captured(carry_out(&archive_worker, &request).await);
    for _ in 0..2 {
        assert_eq!(captured(carry_out(&archive_worker, &request).await), first);
    }
    assert_eq!((harness.captures(&request), harness.fake.submissions().len()), (1, 1));
}

#[tokio::test]
async fn those_who_carry_out_the_same_request_at_the_same_time_join() {
    let harness = Harness::new().await;
    harness.fake.pending(5);
    let request = harness.change("/a").await;
    let archive_worker = harness.archive_worker();
    let all = join_all((0..10).map(|_| carry_out(&archive_worker, &request))).await;
    let all: Vec<Archive> = all.into_iter().map(captured).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!((harness.captures(&request), harness.fake.submissions().len()), (1, 1));
}

#[tokio::test]
async fn two_processes_that_know_nothing_of_each_other_lead_to_one_capture() {
    let harness = Harness::new().await;
    harness.fake.pending(2);
    let request = harness.change("/a").await;
    let (one, other) = (harness.archive_worker(), harness.archive_worker());
    let (one, other) = tokio::join!(carry_out(&one, &request), carry_out(&other, &request));
    captured(one);
    captured(other);
    assert_eq!(harness.captures(&request), 1);
}

#[tokio::test]
async fn a_process_that_dies_at_any_save_leads_to_one_capture() {
    for failure in [Failure::Before, Failure::After] {
        for at in 0..2 {
            let harness = Harness::new().await;
            harness.fake.pending(1);
            let request = harness.change("/a").await;
            let store = std::sync::Arc::new(FaultyStore::over(harness.store.clone()));
            store.fail_call("save_archive", at, failure);
            let dying = ArchiveWorker::with_pace(store, harness.service(Some(Fake::KEYS)), quick());
            let failed = carry_out(&dying, &request).await;
            assert!(matches!(failed, Err(ArchiveError::Store(_))), "{failure:?} at {at}: {failed:?}");
            let archive = captured(carry_out(&harness.archive_worker(), &request).await);
            assert!(archive.captured_at.is_some() && archive.wayback_url.is_some());
            assert_eq!(harness.captures(&request), 1, "{failure:?} at {at}");
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_at_any_moment_leads_to_one_capture() {
    for moment in 0..25 {
        let harness = Harness::new().await;
        harness.fake.pending(2);
        let request = harness.change("/a").await;
        let dying = harness.archive_worker();
        let _ = tokio::time::timeout(Duration::from_millis(moment), carry_out(&dying, &request)).await;
        captured(carry_out(&harness.archive_worker(), &request).await);
        assert_eq!(harness.captures(&request), 1, "after {moment} ms");
    }
}

#[tokio::test]
async fn a_lost_answer_to_a_submission_leads_to_one_capture() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    harness.fake.plan(request.page.as_str(), [Fault::DropAfterCapture]);
    let deferred = carry_out(&harness.archive_worker(), &request).await;
    assert!(matches!(deferred, Ok(ArchiveOutcome::Deferred(..))), "{deferred:?}");
    harness.come_due(&request).await;
    let archive = captured(carry_out(&harness.archive_worker(), &request).await);
    assert_eq!(harness.captures(&request), 1);
    assert!(archive.captured_at.is_some(), "found in the list of captures");
}

#[tokio::test]
async fn a_job_that_is_under_way_is_watched_and_not_submitted_again() {
    let harness = Harness::new().await;
    harness.fake.pending(1000);
    let request = harness.change("/a").await;
    let deferred = carry_out(&harness.archivist_with(brief_watch()), &request).await.unwrap();
    let ArchiveOutcome::Deferred(archive, until) = deferred else { panic!("{deferred:?}") };
    assert_eq!((archive.state, archive.attempts), (ArchiveState::Submitted, 1));
    assert!(archive.job_id.is_some() && until > Timestamp::now());
    let early = carry_out(&harness.archivist_with(brief_watch()), &request).await.unwrap();
    assert_eq!(early, ArchiveOutcome::Deferred(archive, until), "not before its time");
    harness.come_due(&request).await;
    let looks = harness.fake.looks();
    carry_out(&harness.archivist_with(brief_watch()), &request).await.unwrap();
    assert!(harness.fake.looks() > looks);
    assert_eq!(harness.fake.submissions().len(), 1);
}

#[tokio::test]
async fn every_change_has_a_capture_of_its_own() {
    let harness = Harness::new().await;
    let week = Duration::from_hours(7 * 24);
    let first = harness.change("/a").await;
    let archive_worker = harness.archive_worker();
    captured(carry_out(&archive_worker, &first).await);
    harness.fake.pass(week);
    let later = Timestamp::now() + week;
    let second = harness.change_in(SECOND, "/a", later).await;
    captured(archive_worker.carry_out(&second, later).await);
    assert_eq!(harness.captures(&second), 2);
}

#[tokio::test]
async fn a_capture_from_before_the_change_does_not_count_and_one_from_after_it_does() {
    let harness = Harness::new().await;
    let hour = Duration::from_hours(1);
    let first = harness.change("/a").await;
    captured(carry_out(&harness.archive_worker(), &first).await);
    harness.fake.pass(hour);
    // Seen before that capture, outcome out after it: what was captured is the changed page.
    let before = Timestamp::now() - SignedDuration::from_mins(30);
    let second = harness.change_in(SECOND, "/a", before).await;
    let archive = captured(harness.archive_worker().carry_out(&second, Timestamp::now() + hour).await);
    assert_eq!(harness.captures(&second), 1);
    assert!(archive.captured_at.unwrap() < Timestamp::now() + SignedDuration::from_mins(1));
}

#[tokio::test]
async fn a_request_that_comes_before_its_record_is_to_come_again() {
    let harness = Harness::new().await;
    let request = request(FIRST, "/a", Timestamp::now());
    assert_eq!(carry_out(&harness.archive_worker(), &request).await.unwrap(), ArchiveOutcome::NotRecorded);
    assert!(harness.fake.submissions().is_empty());
    harness.change("/a").await;
    captured(carry_out(&harness.archive_worker(), &request).await);
}
