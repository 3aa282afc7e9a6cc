//! How pages are asked for: presumed, by headers, checked, sampled, confirmed.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::record::Check;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::priority::Weights;
use recrawl_core::plan::visit_planner::{Listing, Reliability, VisitPlanner};
use recrawl_core::ports::{Contents, Store};
use recrawl_engine::step::{Attempt, Outcome};

use crate::harness::{Answer, Harness, url};

#[tokio::test]
async fn a_page_that_is_absent_once_is_visited_again_at_the_end_and_is_not_gone() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.web.status("/a", 404);
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    let page = harness.queued(&crawl, "/a");
    let outcome = step.visit(&page, Attempt::default(), harness.now()).await.unwrap();
    assert!(matches!(outcome, Outcome::Unconfirmed { requests: 1 }), "{outcome:?}");
    assert_eq!(harness.record(crawl.id, "/a").await, None);
    harness.web.page("/a", "a");
    harness.work_off(&step, &crawl).await;
    assert_eq!(harness.record(crawl.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn an_absence_seen_in_an_earlier_crawl_confirms_nothing() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.web.status("/a", 404);
    for _ in 0..2 {
        let crawl = harness.open().await;
        let outcome = harness
            .step(&crawl)
            .visit(&harness.queued(&crawl, "/a"), Attempt::default(), harness.now())
            .await;
        assert!(matches!(outcome, Ok(Outcome::Unconfirmed { .. })), "{outcome:?}");
        harness.close(&crawl).await;
    }
}

#[tokio::test]
async fn a_false_304_is_found_out_and_its_host_is_asked_unconditionally_from_then_on() {
    let harness = Harness::with(&[("/", "home /a /b"), ("/a", "a"), ("/b", "b")]).await;
    harness.crawl().await;
    harness.settings.lock().unwrap().checked_share = 1.0;
    harness.web.page("/", "home /a /b says more");
    harness.web.lies.lock().unwrap().insert("/".to_owned());
    harness.web.asked();
    let second = harness.crawl().await;
    let root = harness.record(second.id, "/").await.unwrap();
    assert_eq!((root.visit.verdict, root.visit.check), (Verdict::Changed, Check::False304));
    assert_eq!(root.visit.requests, 2);
    let other = harness.record(second.id, "/b").await.unwrap();
    assert_eq!((other.visit.not_modified, other.visit.verdict), (false, Verdict::Unchanged));
    assert_eq!(harness.web.asked(), ["/", "/", "/a", "/b"]);
    let third = harness.crawl().await;
    let other = harness.record(third.id, "/b").await.unwrap();
    assert!(other.visit.not_modified, "trust is lost for one crawl");
    assert_eq!((other.visit.check, other.visit.saved_bytes), (Check::Confirmed, 0));
}

#[tokio::test]
async fn trust_stays_lost_when_another_process_goes_on() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.settings.lock().unwrap().checked_share = 1.0;
    harness.web.page("/", "home /a says more");
    harness.web.lies.lock().unwrap().insert("/".to_owned());
    let crawl = harness.open().await;
    harness.step(&crawl).visit(&harness.root(&crawl), Attempt::default(), harness.now()).await.unwrap();
    let step = harness.step(&crawl);
    for record in harness.store.records(&harness.site.id, crawl.id, &[], None, 10).await.unwrap() {
        step.resume(&record);
    }
    assert_eq!(step.distrusted_hosts().len(), 1);
    step.visit(&harness.queued(&crawl, "/a"), Attempt::default(), harness.now()).await.unwrap();
    assert!(!harness.record(crawl.id, "/a").await.unwrap().visit.not_modified);
}

#[tokio::test]
async fn headers_that_are_the_same_spare_the_body() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.settings.lock().unwrap().head_first = true;
    harness.web.page("/a", "b");
    harness.web.asked();
    let second = harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/", "/a", "/a"], "one question, and two where something changed");
    let verdicts = harness.verdicts(&second).await;
    assert_eq!(verdicts, [("/".to_owned(), Verdict::Unchanged), ("/a".to_owned(), Verdict::Changed)]);
    assert_eq!(harness.record(second.id, "/a").await.unwrap().visit.requests, 2);
}

#[tokio::test]
async fn a_head_that_shows_the_same_etag_is_told_as_such_and_is_no_304() {
    let harness = Harness::with(&[("/", "home")]).await;
    harness.crawl().await;
    harness.settings.lock().unwrap().head_first = true;
    *harness.web.ignores_conditions_of_head.lock().unwrap() = true;
    for checked_share in [0.0, 1.0] {
        harness.settings.lock().unwrap().checked_share = checked_share;
        let crawl = harness.crawl().await;
        let record = harness.record(crawl.id, "/").await.unwrap();
        let visit = &record.visit;
        assert_eq!((visit.verdict, visit.status, visit.not_modified), (Verdict::Unchanged, Some(200), false));
        assert_eq!(visit.reason.as_deref(), Some("a HEAD request showed the same ETag"));
        assert_eq!(
            visit.saved_bytes > 0,
            checked_share == 0.0,
            "a body that was fetched to check is not saved"
        );
        let mut statistics = Statistics::default();
        statistics.add(&record);
        assert_eq!((statistics.not_modified, statistics.same_by_head), (0, 1));
    }
}

#[tokio::test]
async fn a_page_that_was_visited_lately_is_not_asked_for_and_its_links_are_followed() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a /b"), ("/b", "b")]).await;
    harness.crawl().await;
    harness.web.asked();
    for (days, asked) in [(7, vec!["/", "/a", "/b"]), (8, vec!["/"])] {
        harness.settings.lock().unwrap().skip_if_visited_days = days;
        let crawl = harness.crawl().await;
        assert_eq!(harness.web.asked(), asked, "{days} days");
        assert_eq!(harness.verdicts(&crawl).await.len(), 3);
    }
    let last = harness.crawl().await;
    let record = harness.record(last.id, "/b").await.unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Unchanged, 1), "14 days later");
}

#[tokio::test]
async fn a_page_that_its_server_calls_fresh_is_not_asked_for_if_that_is_trusted() {
    let harness = Harness::with(&[("/", "home /a")]).await;
    let fresh_until = Some(Timestamp::UNIX_EPOCH + (24 * 18).hours());
    harness.web.plant("/a", Answer { body: "a".to_owned(), fresh_until, ..Answer::default() });
    harness.crawl().await;
    harness.web.asked();
    harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/", "/a"], "nobody said to trust it");
    harness.settings.lock().unwrap().trust_freshness = true;
    let third = harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/", "/a"], "three weeks are more than 18 days");
    assert_eq!(harness.record(third.id, "/a").await.unwrap().visit.requests, 1);
    let fresh_until = Some(Timestamp::UNIX_EPOCH + (24 * 100).hours());
    harness.web.plant("/a", Answer { body: "a".to_owned(), fresh_until, ..Answer::default() });
    harness.crawl().await;
    harness.web.asked();
    let fifth = harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/"]);
    let record = harness.record(fifth.id, "/a").await.unwrap();
    assert!(record.visit.reason.unwrap().starts_with("not asked: fresh until 1970-04-11"));
}

#[tokio::test]
async fn in_mode_smart_a_page_that_a_reliable_sitemap_calls_unchanged_is_not_asked_for() {
    let harness = Harness::with(&[("/", "home /a /b"), ("/a", "a"), ("/b", "b")]).await;
    harness.crawl().await;
    let planner = VisitPlanner::new(Weights::default(), harness.now());
    let changed_by = |hours: i64| Listing {
        changed_by: Some(Timestamp::UNIX_EPOCH + hours.hours()),
        ..Listing::default()
    };
    for (path, hours) in [("/a", 24), ("/b", 24 * 20)] {
        planner.list(&url(path), changed_by(hours), harness.now());
    }
    let reliable = Reliability { same_and_unchanged: 100, ..Reliability::default() };
    planner.trust(harness.site.root.host_key(), reliable);
    *harness.planner.lock().unwrap() = Arc::new(planner);
    harness.web.asked();
    harness.crawl().await;
    assert_eq!(harness.web.asked().len(), 3, "only mode smart believes it");
    *harness.mode.lock().unwrap() = Mode::Smart;
    let third = harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/", "/b"]);
    assert_eq!(harness.record(third.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn links_and_images_are_changes_of_their_own_kind_and_can_be_switched_off() {
    let harness = Harness::new().await;
    let links: Aspects = [Aspect::Links].into_iter().collect();
    let media: Aspects = [Aspect::Media].into_iter().collect();
    let mut expected = Vec::new();
    for (compare, body, verdict, aspects) in [
        (Aspects::ALL, "home @1 #1", Verdict::New, Aspects::NONE),
        (Aspects::ALL, "home @2 #1", Verdict::Changed, links),
        (Aspects::ALL, "home @2 #2", Verdict::Changed, media),
        (Aspects::TEXT, "home @3 #3", Verdict::Touched, Aspects::NONE),
        (links, "house @3 #3", Verdict::Touched, Aspects::NONE),
        (Aspects::ALL, "hall @4 #4", Verdict::Changed, links.with(Aspect::Text).with(Aspect::Media)),
    ] {
        harness.settings.lock().unwrap().compare = compare;
        harness.web.page("/", body);
        let crawl = harness.crawl().await;
        let visit = harness.record(crawl.id, "/").await.unwrap().visit;
        expected.push((body, (visit.verdict, visit.aspects), (verdict, aspects)));
    }
    for (body, found, expected) in expected {
        assert_eq!(found, expected, "{body}");
    }
}

#[tokio::test]
async fn a_media_type_with_full_history_has_a_version_for_other_bytes() {
    let harness = Harness::new().await;
    harness.settings.lock().unwrap().full_history = vec!["text/html".to_owned()];
    harness.web.page("/", "home ~1");
    harness.crawl().await;
    harness.web.page("/", "home ~2");
    let second = harness.crawl().await;
    let record = harness.record(second.id, "/").await.unwrap();
    assert_eq!(record.visit.verdict, Verdict::Changed);
    let body = harness.store.body(&harness.site.id, &record.known.content.unwrap()).await.unwrap();
    assert_eq!(body.as_deref(), Some(&b"home ~2"[..]));
}
