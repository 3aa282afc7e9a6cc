//! Faults of ours: what they cost, and what they do not.

use recrawl_core::ports::{RobotsError, Store, Stumbles};
use recrawl_core::step::{Attempt, Outcome, StepError};
use recrawl_core::stumble::Aside;
use recrawl_core::verdict::Verdict;

use crate::expected;
use crate::world::{World, url};

#[tokio::test]
async fn a_page_that_cannot_be_read_fails_and_the_others_are_visited() {
    let world = World::new().await;
    world.web.page("/", "home /bad /good");
    world.web.page("/bad", "!bad /never");
    world.web.page("/good", "good");
    let crawl = world.crawl().await;
    let found = [("/", Verdict::New), ("/bad", Verdict::Failed), ("/good", Verdict::New)];
    assert_eq!(world.verdicts(&crawl).await, expected(&found));
    let visit = world.record(crawl.id, "/bad").await.unwrap().visit;
    let reason = visit.reason.clone().unwrap();
    let begins =
        "Recrawl stumbled over this page: the reader breaks on purpose (crates/core/tests/step/world.rs:";
    assert!(reason.starts_with(begins) && visit.is_stumble(), "{reason}");
    assert_eq!((visit.status, visit.requests, visit.fetch_ms), (Some(200), 1, 5));
    let crawls = world.store.crawls(&world.site.id).await.unwrap();
    let statistics = &crawls[0].closed.as_ref().unwrap().statistics;
    assert_eq!((statistics.failed, statistics.stumbled), (1, 1));
    let stumbles = world.store.stumbles(&world.site.id, crawl.id).await.unwrap();
    assert_eq!(stumbles.len(), 1);
    let stumble = &stumbles[0].stumble;
    assert_eq!((&stumble.url, stumble.content_type.as_deref()), (&url("/bad"), Some("text/html")));
    assert_eq!((stumble.at, stumble.rules.0.as_str()), (world.now(), "1"));
    assert_eq!(stumbles[0].body, Aside::Kept { bytes: 11 });
    let body = world.store.stumbled_body(&world.site.id, crawl.id, &url("/bad")).await.unwrap();
    assert_eq!(body, Some(b"!bad /never".to_vec()));
}

#[tokio::test]
async fn what_was_known_stays_and_known_links_are_followed() {
    let world = World::new().await;
    world.web.page("/", "home /middle");
    world.web.page("/middle", "middle /leaf");
    world.web.page("/leaf", "leaf");
    let first = world.crawl().await;
    world.web.page("/middle", "!broken");
    let second = world.crawl().await;
    let found = [("/", Verdict::Unchanged), ("/leaf", Verdict::Unchanged), ("/middle", Verdict::Failed)];
    assert_eq!(world.verdicts(&second).await, expected(&found));
    let leaf = world.record(second.id, "/leaf").await.unwrap();
    assert_eq!(leaf.found.referrer, Some(url("/middle")));
    let (before, after) =
        (world.record(first.id, "/middle").await.unwrap(), world.record(second.id, "/middle").await.unwrap());
    assert_eq!(before.known, after.known);
    world.web.page("/middle", "middle /leaf");
    let third = world.crawl().await;
    assert_eq!(world.record(third.id, "/middle").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn requests_of_earlier_attempts_are_counted() {
    let world = World::new().await;
    world.web.page("/", "!home");
    let crawl = world.open().await;
    let attempt = Attempt { number: 2, ..Attempt::default() };
    let outcome = world.step(&crawl).visit(&world.root(&crawl), attempt, world.now()).await.unwrap();
    let Outcome::Recorded(record) = outcome else { panic!("{outcome:?}") };
    assert_eq!(record.visit.requests, 3);
}

#[tokio::test]
async fn a_panic_after_the_page_was_read_keeps_its_body_too() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.breaks.lock().unwrap().insert("queue");
    let crawl = world.open().await;
    let step = world.step(&crawl);
    let outcome = step.visit(&world.root(&crawl), Attempt::default(), world.now()).await.unwrap();
    let Outcome::Recorded(record) = outcome else { panic!("{outcome:?}") };
    assert_eq!(record.visit.verdict, Verdict::Failed);
    let body = world.store.stumbled_body(&world.site.id, crawl.id, &url("/")).await.unwrap();
    assert_eq!(body, Some(b"home /a".to_vec()));
    assert_eq!(step.seen().waiting(), 0, "what was not queued is not taken for queued");
    world.web.breaks.lock().unwrap().clear();
    world.web.page("/other", "other /a");
    step.visit(&world.queued(&crawl, "/other"), Attempt::default(), world.now()).await.unwrap();
    assert_eq!(step.seen().waiting(), 1, "the next page that links there queues it");
}

#[tokio::test]
async fn rules_of_a_host_that_cannot_be_read_allow_nothing_and_blame_no_page() {
    let world = World::new().await;
    world.web.page("/", "home");
    world.web.breaks.lock().unwrap().insert("robots");
    let crawl = world.open().await;
    let outcome = world.step(&crawl).visit(&world.root(&crawl), Attempt::default(), world.now()).await;
    let Err(StepError::Robots(RobotsError::Unreachable { reason, .. })) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(reason.starts_with("Recrawl stumbled over it: the robots breaks on purpose ("), "{reason}");
    assert_eq!(world.web.asked(), Vec::<String>::new());
    assert_eq!(world.record(crawl.id, "/").await, None);
}

#[tokio::test]
async fn an_answer_for_absent_pages_that_cannot_be_read_tells_nothing() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.web.breaks.lock().unwrap().insert("absence");
    let crawl = world.crawl().await;
    assert_eq!(world.verdicts(&crawl).await, expected(&[("/", Verdict::New), ("/a", Verdict::New)]));
}

#[tokio::test]
async fn a_stored_body_that_cannot_be_read_any_more_leaves_the_page_without_a_report() {
    let world = World::new().await;
    *world.rules.lock().unwrap() = "lenient";
    world.web.page("/", "!home");
    let first = world.crawl().await;
    assert_eq!(world.record(first.id, "/").await.unwrap().visit.verdict, Verdict::New);
    *world.rules.lock().unwrap() = "1";
    world.web.page("/", "home again");
    let second = world.crawl().await;
    assert_eq!(world.record(second.id, "/").await.unwrap().visit.verdict, Verdict::Touched);
    world.web.page("/", "home once more");
    let third = world.crawl().await;
    assert_eq!(world.record(third.id, "/").await.unwrap().visit.verdict, Verdict::Changed);
}

#[tokio::test]
async fn a_body_that_takes_too_long_to_read_is_kept_aside_like_any_other() {
    let world = World::new().await;
    world.web.page("/", "hopeless");
    let crawl = world.crawl().await;
    let visit = world.record(crawl.id, "/").await.unwrap().visit;
    let reason = "Recrawl stumbled over this page: reading it took more than 5 s of processor time";
    assert_eq!((visit.reason.as_deref(), visit.requests), (Some(reason), 1));
    let stumbles = world.store.stumbles(&world.site.id, crawl.id).await.unwrap();
    assert_eq!((stumbles[0].body, stumbles[0].stumble.fault.place.clone()), (Aside::Kept { bytes: 8 }, None));
}
