//! What becomes of a request when the service declines, stalls or breaks.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_archive::retry::{ATTEMPTS, tomorrow};
use recrawl_archive::{ArchiveError, ArchiveOutcome, ArchiveWorker, PaceSettings, ServiceError};
use recrawl_core::model::archive::ArchiveState;
use recrawl_testkit::save_page_now::{Fault, Limits, SavePageNow as Fake};

use crate::harness::{Harness, quick, shut_down};

/// Waits until tomorrow, or not.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    Soon,
    Tomorrow,
    Failed,
}

#[tokio::test]
async fn errors_are_told_apart_at_submission_and_at_the_end_of_a_job() {
    let cases = [
        ("error:browsing-timeout", Then::Soon, 1),
        ("error:too-many-requests", Then::Soon, 1),
        ("error:never-heard-of", Then::Soon, 1),
        ("error:user-session-limit", Then::Soon, 0),
        ("error:too-many-daily-captures", Then::Tomorrow, 1),
        ("error:max-daily-bandwidth", Then::Tomorrow, 0),
        ("error:blocked-url", Then::Failed, 0),
        ("error:not-found", Then::Failed, 0),
    ];
    for (code, expected, attempts) in cases {
        for fault in [Fault::Refusal(code), Fault::Job(code)] {
            let harness = Harness::new().await;
            let request = harness.change("/a").await;
            harness.fake.plan(request.page.as_str(), [fault]);
            let now = Timestamp::now();
            let outcome = harness.archive_worker().carry_out(&request, now).await.unwrap();
            let archive = harness.archive(&request).await;
            let then = match outcome {
                ArchiveOutcome::Done(done) => {
                    assert_eq!((&done, done.state), (&archive, ArchiveState::Failed), "{fault:?}");
                    Then::Failed
                }
                ArchiveOutcome::Deferred(deferred, until) => {
                    assert_eq!((&deferred, Some(until)), (&archive, archive.not_before), "{fault:?}");
                    assert_eq!((archive.state, &archive.job_id), (ArchiveState::Queued, &None), "{fault:?}");
                    assert!(until > now, "{fault:?}");
                    if until == tomorrow(now) { Then::Tomorrow } else { Then::Soon }
                }
                ArchiveOutcome::NotRecorded => panic!("{fault:?}"),
            };
            assert_eq!((then, archive.attempts), (expected, attempts), "{fault:?}");
            let name = code.trim_start_matches("error:");
            assert!(archive.error.as_ref().unwrap().starts_with(name), "{archive:?}");
            assert_eq!(harness.captures(&request), 0);
        }
    }
}

#[tokio::test]
async fn a_page_that_always_fails_is_given_up_after_five_attempts() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    harness.fake.plan(request.page.as_str(), [Fault::Job("error:celery"); 9]);
    for attempt in 1..=ATTEMPTS {
        let outcome = harness.archive_worker().carry_out(&request, Timestamp::now()).await.unwrap();
        let over = matches!(outcome, ArchiveOutcome::Done(_));
        assert_eq!(over, attempt == ATTEMPTS, "{attempt}");
        harness.come_due(&request).await;
    }
    let archive = harness.archive(&request).await;
    assert_eq!((archive.state, archive.attempts), (ArchiveState::Failed, ATTEMPTS));
    harness.archive_worker().carry_out(&request, Timestamp::now()).await.unwrap();
    assert_eq!(harness.fake.submissions().len(), 5, "over is over");
}

#[tokio::test]
async fn a_daily_limit_of_the_account_keeps_every_page_until_tomorrow() {
    let harness = Harness::new().await;
    let (one, other) = (harness.change("/a").await, harness.change("/b").await);
    harness.fake.plan(one.page.as_str(), [Fault::Refusal("error:max-daily-bandwidth")]);
    let archive_worker = harness.archive_worker();
    let now = Timestamp::now();
    archive_worker.carry_out(&one, now).await.unwrap();
    let outcome = archive_worker.carry_out(&other, now).await.unwrap();
    let ArchiveOutcome::Deferred(archive, until) = outcome else { panic!("{outcome:?}") };
    assert_eq!(archive, harness.archive(&other).await);
    assert!(until > now);
    assert_eq!(harness.fake.submissions().len(), 1, "the other page was not submitted");
}

#[tokio::test]
async fn the_tenth_capture_of_a_page_in_a_day_is_the_last_one_until_tomorrow() {
    let harness = Harness::new().await;
    harness.fake.limits(Limits { page_a_day: 0, ..Limits::NONE });
    let request = harness.change("/a").await;
    let now = Timestamp::now();
    let outcome = harness.archive_worker().carry_out(&request, now).await.unwrap();
    assert!(matches!(outcome, ArchiveOutcome::Deferred(_, until) if until == tomorrow(now)), "{outcome:?}");
    harness.fake.limits(Limits::NONE);
    harness.archive_worker().carry_out(&request, tomorrow(now)).await.unwrap();
    assert_eq!(harness.captures(&request), 1);
}

#[tokio::test]
async fn trouble_of_the_service_counts_against_no_page_and_is_waited_for() {
    for fault in [Fault::Status(500), Fault::Status(503), Fault::Hang, Fault::Drop, Fault::NotJson] {
        let harness = Harness::new().await;
        let request = harness.change("/a").await;
        harness.fake.plan(request.page.as_str(), [fault]);
        let archive_worker = harness.impatient_archivist(quick());
        let outcome = archive_worker.carry_out(&request, Timestamp::now()).await.unwrap();
        assert!(matches!(outcome, ArchiveOutcome::Deferred(..)), "{fault:?}: {outcome:?}");
        let archive = harness.archive(&request).await;
        assert_eq!((archive.state, archive.attempts), (ArchiveState::Queued, 0), "{fault:?}");
        assert!(archive.error.unwrap().contains("in trouble"));
        harness.come_due(&request).await;
        let outcome = archive_worker.carry_out(&request, Timestamp::now()).await.unwrap();
        assert!(matches!(outcome, ArchiveOutcome::Done(_)), "{fault:?}: {outcome:?}");
        assert_eq!(harness.captures(&request), 1);
    }
}

#[tokio::test]
async fn a_429_pauses_everybody_for_as_long_as_it_says() {
    let harness = Harness::new().await;
    let (one, other) = (harness.change("/a").await, harness.change("/b").await);
    harness.fake.plan(one.page.as_str(), [Fault::RetryAfter(1)]);
    let archive_worker = harness.archive_worker();
    let outcome = archive_worker.carry_out(&one, Timestamp::now()).await.unwrap();
    assert!(matches!(outcome, ArchiveOutcome::Deferred(..)), "{outcome:?}");
    assert_eq!(harness.archive(&one).await.attempts, 0);
    archive_worker.carry_out(&other, Timestamp::now()).await.unwrap();
    let log = harness.fake.submissions();
    let pause = log[1].arrival - log[0].arrival;
    assert!(pause >= Duration::from_millis(990), "{pause:?}");
    assert_eq!(harness.captures(&other), 1);
}

#[tokio::test]
async fn a_service_that_cannot_be_reached_changes_nothing() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    let before = harness.archive(&request).await;
    let service = harness.service(None);
    let Harness { store, fake } = harness;
    shut_down(fake).await;
    let archive_worker = ArchiveWorker::with_pace(store.clone(), service, quick());
    let failed = archive_worker.carry_out(&request, Timestamp::now()).await;
    assert!(matches!(failed, Err(ArchiveError::Service(ServiceError::Unreachable(_)))), "{failed:?}");
    let harness = Harness { store, fake: Fake::start() };
    assert_eq!(harness.archive(&request).await, before);
}

#[tokio::test]
async fn wrong_keys_are_an_error_and_blame_no_page() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    let service = harness.service(Some("WrongAccess:WrongSecret"));
    let archive_worker = ArchiveWorker::with_pace(harness.store.clone(), service, quick());
    let failed = archive_worker.carry_out(&request, Timestamp::now()).await;
    assert!(matches!(failed, Err(ArchiveError::Service(ServiceError::KeysRefused))), "{failed:?}");
    assert_eq!(harness.archive(&request).await.state, ArchiveState::Queued);
}

#[tokio::test]
async fn it_works_without_keys() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    let archive_worker = ArchiveWorker::with_pace(harness.store.clone(), harness.service(None), quick());
    archive_worker.carry_out(&request, Timestamp::now()).await.unwrap();
    assert_eq!(harness.captures(&request), 1);
    assert!(!harness.fake.submissions()[0].authenticated);
}

#[tokio::test]
async fn a_job_that_never_ends_or_is_forgotten_is_submitted_again_in_the_end() {
    for fault in [Fault::EndlessJob, Fault::ForgottenJob] {
        let harness = Harness::new().await;
        let request = harness.change("/a").await;
        harness.fake.plan(request.page.as_str(), [fault]);
        let pace = PaceSettings { watch: Duration::from_millis(50), ..quick() };
        for _ in 0..ATTEMPTS {
            harness.archivist_with(pace.clone()).carry_out(&request, Timestamp::now()).await.unwrap();
            harness.come_due(&request).await;
        }
        let archive = harness.archive(&request).await;
        assert_eq!((archive.state, harness.captures(&request)), (ArchiveState::Captured, 1), "{fault:?}");
        assert_eq!(harness.fake.submissions().len(), 2, "{fault:?}");
    }
}

#[tokio::test]
async fn a_service_that_breaks_while_a_job_is_watched_loses_nothing() {
    for fault in [Fault::Status(502), Fault::Hang, Fault::Drop] {
        let harness = Harness::new().await;
        harness.fake.pending(1);
        let request = harness.change("/a").await;
        // The job is known, and then the service breaks.
        let archive_worker = harness.archivist_with(PaceSettings { watch: Duration::ZERO, ..quick() });
        archive_worker.carry_out(&request, Timestamp::now()).await.unwrap();
        harness.come_due(&request).await;
        harness.fake.everywhere(Some(fault));
        let pace = PaceSettings { watch: Duration::from_mins(5), ..quick() };
        let failed = harness.impatient_archivist(pace).carry_out(&request, Timestamp::now()).await;
        assert!(
            matches!(failed, Err(ArchiveError::Service(ServiceError::Trouble(_)))),
            "{fault:?}: {failed:?}"
        );
        harness.fake.everywhere(None);
        harness.come_due(&request).await;
        harness.archive_worker().carry_out(&request, Timestamp::now()).await.unwrap();
        assert_eq!(harness.archive(&request).await.state, ArchiveState::Captured, "{fault:?}");
        assert_eq!((harness.captures(&request), harness.fake.submissions().len()), (1, 1), "{fault:?}");
    }
}

#[tokio::test]
async fn a_status_address_that_answers_nonsense_is_asked_for_a_day_and_then_the_page_is_given_up() {
    let harness = Harness::new().await;
    let request = harness.change("/a").await;
    harness.fake.nonsense_of_jobs(true);
    let begun = Timestamp::now();
    let mut now = begun;
    let archive = loop {
        match harness.archive_worker().carry_out(&request, now).await {
            Ok(ArchiveOutcome::Done(archive)) => break archive,
            Ok(outcome) => panic!("{outcome:?}"),
            Err(error) => assert!(error.to_string().contains("not JSON"), "{error}"),
        }
        now = harness.archive(&request).await.not_before.unwrap();
    };
    assert_eq!((archive.state, harness.fake.submissions().len()), (ArchiveState::Failed, 1));
    assert_eq!(now.duration_since(begun).as_hours(), 24);
}

#[tokio::test]
async fn a_service_that_wants_to_be_left_alone_is_by_the_next_process_too() {
    let harness = Harness::new().await;
    let (one, other) = (harness.change("/a").await, harness.change("/b").await);
    harness.fake.plan(one.page.as_str(), [Fault::RetryAfter(3_000)]);
    let worker = || harness.archive_worker().remember_in(harness.store.clone());
    let now = Timestamp::now();
    worker().carry_out(&one, now).await.unwrap();
    let outcome = worker().carry_out(&other, now).await.unwrap();
    assert!(matches!(outcome, ArchiveOutcome::Deferred(_, until) if until > now), "{outcome:?}");
    assert_eq!(harness.fake.submissions().len(), 1);
    let later = now + jiff::SignedDuration::from_secs(3_001);
    worker().carry_out(&other, later).await.unwrap();
    assert_eq!(harness.captures(&other), 1);
}

#[tokio::test]
async fn one_who_is_told_to_stop_leaves_a_job_to_the_next() {
    let harness = Harness::new().await;
    harness.fake.pending(10);
    let request = harness.change("/a").await;
    let pace = PaceSettings { first_look: Duration::from_mins(1), watch: Duration::from_mins(10), ..quick() };
    let archive_worker = harness.archivist_with(pace);
    let (outcome, ()) = tokio::join!(archive_worker.carry_out(&request, Timestamp::now()), async {
        let started = Instant::now();
        while harness.archive(&request).await.state != ArchiveState::Submitted {
            assert!(started.elapsed() < Duration::from_secs(20), "the job is saved before it is watched");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        archive_worker.stop();
    });
    assert!(matches!(outcome, Ok(ArchiveOutcome::Deferred(..))), "{outcome:?}");
    let outcome = archive_worker.carry_out(&harness.change("/b").await, Timestamp::now()).await;
    assert!(matches!(outcome, Ok(ArchiveOutcome::Deferred(..))), "{outcome:?}");
    assert_eq!(harness.fake.submissions().len(), 1, "nothing is submitted any more");
}
