//! Faults of ours: what they cost, and what they do not.

use recrawl_core::model::stumble::Aside;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{RobotsError, Store, Stumbles};
use recrawl_engine::step::{Attempt, Outcome, StepError};

use crate::expected;
use crate::harness::{Harness, url};

#[tokio::test]
async fn a_page_that_cannot_be_read_fails_and_the_others_are_visited() {
    let harness = Harness::new().await;
    harness.web.page("/", "home /bad /good");
    harness.web.page("/bad", "!bad /never");
    harness.web.page("/good", "good");
    let crawl = harness.crawl().await;
    let found = [("/", Verdict::New), ("/bad", Verdict::Failed), ("/good", Verdict::New)];
    assert_eq!(harness.verdicts(&crawl).await, expected(&found));
    let visit = harness.record(crawl.id, "/bad").await.unwrap().visit;
    let reason = visit.reason.clone().unwrap();
    let begins =
        "Recrawl stumbled over this page: the reader breaks on purpose (crates/engine/tests/step/harness.rs:";
    assert!(reason.starts_with(begins) && visit.is_stumble(), "{reason}");
    assert_eq!((visit.status, visit.requests, visit.fetch_ms), (Some(200), 1, 5));
    let crawls = harness.store.crawls(&harness.site.id).await.unwrap();
    let statistics = &crawls[0].closed.as_ref().unwrap().statistics;
    assert_eq!((statistics.counts[Verdict::Failed], statistics.stumbled), (1, 1));
    let stumbles = harness.store.stumbles(&harness.site.id, crawl.id).await.unwrap();
    assert_eq!(stumbles.len(), 1);
    let stumble = &stumbles[0].stumble;
    assert_eq!((&stumble.url, stumble.content_type.as_deref()), (&url("/bad"), Some("text/html")));
    assert_eq!((stumble.at, stumble.rules.0.as_str()), (harness.now(), "1"));
    assert_eq!(stumbles[0].body, Aside::Kept { bytes: 11 });
    let body = harness.store.stumbled_body(&harness.site.id, crawl.id, &url("/bad")).await.unwrap();
    assert_eq!(body, Some(b"!bad /never".to_vec()));
}

#[tokio::test]
async fn what_was_known_stays_and_known_links_are_followed() {
    let harness = Harness::new().await;
    harness.web.page("/", "home /middle");
    harness.web.page("/middle", "middle /leaf");
    harness.web.page("/leaf", "leaf");
    let first = harness.crawl().await;
    harness.web.page("/middle", "!broken");
    let second = harness.crawl().await;
    let found = [("/", Verdict::Unchanged), ("/leaf", Verdict::Unchanged), ("/middle", Verdict::Failed)];
    assert_eq!(harness.verdicts(&second).await, expected(&found));
    let leaf = harness.record(second.id, "/leaf").await.unwrap();
    assert_eq!(leaf.found.referrer, Some(url("/middle")));
    let (before, after) = (
        harness.record(first.id, "/middle").await.unwrap(),
        harness.record(second.id, "/middle").await.unwrap(),
    );
    assert_eq!(before.known, after.known);
    harness.web.page("/middle", "middle /leaf");
    let third = harness.crawl().await;
    assert_eq!(harness.record(third.id, "/middle").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn requests_of_earlier_attempts_are_counted() {
    let harness = Harness::with(&[("/", "!home")]).await;
    let crawl = harness.open().await;
    let attempt = Attempt { number: 2, ..Attempt::default() };
    let outcome = harness.step(&crawl).visit(&harness.root(&crawl), attempt, harness.now()).await.unwrap();
    let Outcome::Recorded(record) = outcome else { panic!("{outcome:?}") };
    assert_eq!(record.visit.requests, 3);
}

#[tokio::test]
async fn a_panic_after_the_page_was_read_keeps_its_body_too() {
    let harness = Harness::with(&[("/", "home /a")]).await;
    harness.web.breaks.lock().unwrap().insert("queue");
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    let outcome = step.visit(&harness.root(&crawl), Attempt::default(), harness.now()).await.unwrap();
    let Outcome::Recorded(record) = outcome else { panic!("{outcome:?}") };
    assert_eq!(record.visit.verdict, Verdict::Failed);
    let body = harness.store.stumbled_body(&harness.site.id, crawl.id, &url("/")).await.unwrap();
    assert_eq!(body, Some(b"home /a".to_vec()));
    assert_eq!(step.seen().waiting(), 0, "what was not queued is not taken for queued");
    harness.web.breaks.lock().unwrap().clear();
    harness.web.page("/other", "other /a");
    step.visit(&harness.queued(&crawl, "/other"), Attempt::default(), harness.now()).await.unwrap();
    assert_eq!(step.seen().waiting(), 1, "the next page that links there queues it");
}

#[tokio::test]
async fn rules_of_a_host_that_cannot_be_read_allow_nothing_and_blame_no_page() {
    let harness = Harness::with(&[("/", "home")]).await;
    harness.web.breaks.lock().unwrap().insert("robots");
    let crawl = harness.open().await;
    let outcome = harness.step(&crawl).visit(&harness.root(&crawl), Attempt::default(), harness.now()).await;
    let Err(StepError::Robots(RobotsError::Unreachable { reason, .. })) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(reason.starts_with("Recrawl stumbled over it: the robots breaks on purpose ("), "{reason}");
    assert_eq!(harness.web.asked(), Vec::<String>::new());
    assert_eq!(harness.record(crawl.id, "/").await, None);
}

#[tokio::test]
async fn an_answer_for_absent_pages_that_cannot_be_read_tells_nothing() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.web.breaks.lock().unwrap().insert("absence");
    let crawl = harness.crawl().await;
    assert_eq!(harness.verdicts(&crawl).await, expected(&[("/", Verdict::New), ("/a", Verdict::New)]));
}

#[tokio::test]
async fn a_stored_body_that_cannot_be_read_any_more_leaves_the_page_without_a_report() {
    let harness = Harness::new().await;
    *harness.rules.lock().unwrap() = "lenient";
    harness.web.page("/", "!home");
    let first = harness.crawl().await;
    assert_eq!(harness.record(first.id, "/").await.unwrap().visit.verdict, Verdict::New);
    *harness.rules.lock().unwrap() = "1";
    harness.web.page("/", "home again");
    let second = harness.crawl().await;
    assert_eq!(harness.record(second.id, "/").await.unwrap().visit.verdict, Verdict::Touched);
    harness.web.page("/", "home once more");
    let third = harness.crawl().await;
    assert_eq!(harness.record(third.id, "/").await.unwrap().visit.verdict, Verdict::Changed);
}

#[tokio::test]
async fn a_body_that_takes_too_long_to_read_is_kept_aside_like_any_other() {
    let harness = Harness::with(&[("/", "hopeless")]).await;
    let crawl = harness.crawl().await;
    let visit = harness.record(crawl.id, "/").await.unwrap().visit;
    let reason = "Recrawl stumbled over this page: reading it took more than 5 s of processor time";
    assert_eq!((visit.reason.as_deref(), visit.requests), (Some(reason), 1));
    let stumbles = harness.store.stumbles(&harness.site.id, crawl.id).await.unwrap();
    assert_eq!((stumbles[0].body, stumbles[0].stumble.fault.place.clone()), (Aside::Kept { bytes: 8 }, None));
}
