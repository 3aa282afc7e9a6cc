//! How pages are asked for: presumed, by headers, checked, sampled, confirmed.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use recrawl_core::aspect::{Aspect, Aspects};
use recrawl_core::crawl::Mode;
use recrawl_core::outlook::{Listing, Outlook, Reliability};
use recrawl_core::ports::Store;
use recrawl_core::priority::Weights;
use recrawl_core::record::Check;
use recrawl_core::statistics::Statistics;
use recrawl_core::step::{Attempt, Outcome};
use recrawl_core::verdict::Verdict;

use crate::world::{Answer, World, url};

#[tokio::test]
async fn a_page_that_is_absent_once_is_visited_again_at_the_end_and_is_not_gone() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    world.web.status("/a", 404);
    let crawl = world.open().await;
    let step = world.step(&crawl);
    let page = world.queued(&crawl, "/a");
    let outcome = step.visit(&page, Attempt::default(), world.now()).await.unwrap();
    assert!(matches!(outcome, Outcome::Unconfirmed { requests: 1 }), "{outcome:?}");
    assert_eq!(world.record(crawl.id, "/a").await, None);
    world.web.page("/a", "a");
    world.work_off(&step, &crawl).await;
    assert_eq!(world.record(crawl.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn an_absence_seen_in_an_earlier_crawl_confirms_nothing() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    world.web.status("/a", 404);
    for _ in 0..2 {
        let crawl = world.open().await;
        let outcome =
            world.step(&crawl).visit(&world.queued(&crawl, "/a"), Attempt::default(), world.now()).await;
        assert!(matches!(outcome, Ok(Outcome::Unconfirmed { .. })), "{outcome:?}");
        world.close(&crawl).await;
    }
}

#[tokio::test]
async fn a_false_304_is_found_out_and_its_host_is_asked_unconditionally_from_then_on() {
    let world = World::new().await;
    world.web.page("/", "home /a /b");
    world.web.page("/a", "a");
    world.web.page("/b", "b");
    world.crawl().await;
    world.settings.lock().unwrap().checked_share = 1.0;
    world.web.page("/", "home /a /b says more");
    world.web.lies.lock().unwrap().insert("/".to_owned());
    world.web.asked();
    let second = world.crawl().await;
    let root = world.record(second.id, "/").await.unwrap();
    assert_eq!((root.visit.verdict, root.visit.check), (Verdict::Changed, Check::Refuted));
    assert_eq!(root.visit.requests, 2);
    let other = world.record(second.id, "/b").await.unwrap();
    assert_eq!((other.visit.not_modified, other.visit.verdict), (false, Verdict::Unchanged));
    assert_eq!(world.web.asked(), ["/", "/", "/a", "/b"]);
    let third = world.crawl().await;
    let other = world.record(third.id, "/b").await.unwrap();
    assert!(other.visit.not_modified, "trust is lost for one crawl");
    assert_eq!((other.visit.check, other.visit.saved_bytes), (Check::Confirmed, 0));
}

#[tokio::test]
async fn trust_stays_lost_when_another_process_goes_on() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    world.settings.lock().unwrap().checked_share = 1.0;
    world.web.page("/", "home /a says more");
    world.web.lies.lock().unwrap().insert("/".to_owned());
    let crawl = world.open().await;
    world.step(&crawl).visit(&world.root(&crawl), Attempt::default(), world.now()).await.unwrap();
    let step = world.step(&crawl);
    for record in world.store.records(&world.site.id, crawl.id, &[], None, 10).await.unwrap() {
        step.recall(&record);
    }
    assert_eq!(step.liars().len(), 1);
    step.visit(&world.queued(&crawl, "/a"), Attempt::default(), world.now()).await.unwrap();
    assert!(!world.record(crawl.id, "/a").await.unwrap().visit.not_modified);
}

#[tokio::test]
async fn headers_that_are_the_same_spare_the_body() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a");
    world.crawl().await;
    world.settings.lock().unwrap().head_first = true;
    world.web.page("/a", "b");
    world.web.asked();
    let second = world.crawl().await;
    assert_eq!(world.web.asked(), ["/", "/a", "/a"], "one question, and two where something changed");
    let verdicts = world.verdicts(&second).await;
    assert_eq!(verdicts, [("/".to_owned(), Verdict::Unchanged), ("/a".to_owned(), Verdict::Changed)]);
    assert_eq!(world.record(second.id, "/a").await.unwrap().visit.requests, 2);
}

#[tokio::test]
async fn a_head_that_shows_the_same_etag_is_told_as_such_and_is_no_304() {
    let world = World::new().await;
    world.web.page("/", "home");
    world.crawl().await;
    world.settings.lock().unwrap().head_first = true;
    *world.web.ignores_conditions_of_head.lock().unwrap() = true;
    for checked_share in [0.0, 1.0] {
        world.settings.lock().unwrap().checked_share = checked_share;
        let crawl = world.crawl().await;
        let record = world.record(crawl.id, "/").await.unwrap();
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
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "a /b");
    world.web.page("/b", "b");
    world.crawl().await;
    world.web.asked();
    for (days, asked) in [(7, vec!["/", "/a", "/b"]), (8, vec!["/"])] {
        world.settings.lock().unwrap().skip_if_visited_days = days;
        let crawl = world.crawl().await;
        assert_eq!(world.web.asked(), asked, "{days} days");
        assert_eq!(world.verdicts(&crawl).await.len(), 3);
    }
    let last = world.crawl().await;
    let record = world.record(last.id, "/b").await.unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Unchanged, 1), "14 days later");
}

#[tokio::test]
async fn a_page_that_its_server_calls_fresh_is_not_asked_for_if_that_is_trusted() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    let fresh_until = Some(Timestamp::UNIX_EPOCH + (24 * 18).hours());
    world.web.plant("/a", Answer { body: "a".to_owned(), fresh_until, ..Answer::default() });
    world.crawl().await;
    world.web.asked();
    world.crawl().await;
    assert_eq!(world.web.asked(), ["/", "/a"], "nobody said to trust it");
    world.settings.lock().unwrap().trust_freshness = true;
    let third = world.crawl().await;
    assert_eq!(world.web.asked(), ["/", "/a"], "three weeks are more than 18 days");
    assert_eq!(world.record(third.id, "/a").await.unwrap().visit.requests, 1);
    let fresh_until = Some(Timestamp::UNIX_EPOCH + (24 * 100).hours());
    world.web.plant("/a", Answer { body: "a".to_owned(), fresh_until, ..Answer::default() });
    world.crawl().await;
    world.web.asked();
    let fifth = world.crawl().await;
    assert_eq!(world.web.asked(), ["/"]);
    let record = world.record(fifth.id, "/a").await.unwrap();
    assert!(record.visit.reason.unwrap().starts_with("not asked: fresh until 1970-04-11"));
}

#[tokio::test]
async fn in_mode_smart_a_page_that_a_reliable_sitemap_calls_unchanged_is_not_asked_for() {
    let world = World::new().await;
    world.web.page("/", "home /a /b");
    world.web.page("/a", "a");
    world.web.page("/b", "b");
    world.crawl().await;
    let outlook = Outlook::new(Weights::default(), world.now());
    let changed_by = |hours: i64| Listing {
        changed_by: Some(Timestamp::UNIX_EPOCH + hours.hours()),
        ..Listing::default()
    };
    for (path, hours) in [("/a", 24), ("/b", 24 * 20)] {
        outlook.list(&url(path), changed_by(hours), world.now());
    }
    let reliable = Reliability { same_and_unchanged: 100, ..Reliability::default() };
    outlook.trust(world.site.root.host_key(), reliable);
    *world.outlook.lock().unwrap() = Arc::new(outlook);
    world.web.asked();
    world.crawl().await;
    assert_eq!(world.web.asked().len(), 3, "only mode smart believes it");
    *world.mode.lock().unwrap() = Mode::Smart;
    let third = world.crawl().await;
    assert_eq!(world.web.asked(), ["/", "/b"]);
    assert_eq!(world.record(third.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn links_and_images_are_changes_of_their_own_kind_and_can_be_switched_off() {
    let world = World::new().await;
    let links: Aspects = [Aspect::Links].into_iter().collect();
    let media: Aspects = [Aspect::Media].into_iter().collect();
    let mut expected = Vec::new();
    for (compare, body, verdict, aspects) in [
        (Aspects::ALL, "home @1 #1", Verdict::New, Aspects::NONE),
        (Aspects::ALL, "home @2 #1", Verdict::Changed, links),
        (Aspects::ALL, "home @2 #2", Verdict::Changed, media),
        (Aspects::TEXT, "home @3 #3", Verdict::Touched, Aspects::NONE),
        (links, "house @3 #3", Verdict::Touched, Aspects::NONE),
        (Aspects::ALL, "hall @4 #4", Verdict::Changed, Aspects::ALL),
    ] {
        world.settings.lock().unwrap().compare = compare;
        world.web.page("/", body);
        let crawl = world.crawl().await;
        let visit = world.record(crawl.id, "/").await.unwrap().visit;
        expected.push((body, (visit.verdict, visit.aspects), (verdict, aspects)));
    }
    for (body, found, expected) in expected {
        assert_eq!(found, expected, "{body}");
    }
}

#[tokio::test]
async fn a_media_type_with_full_history_has_a_version_for_other_bytes() {
    let world = World::new().await;
    world.settings.lock().unwrap().full_history = vec!["text/html".to_owned()];
    world.web.page("/", "home ~1");
    world.crawl().await;
    world.web.page("/", "home ~2");
    let second = world.crawl().await;
    let record = world.record(second.id, "/").await.unwrap();
    assert_eq!(record.visit.verdict, Verdict::Changed);
    let body = world.store.body(&record.known.content.unwrap()).await.unwrap();
    assert_eq!(body.as_deref(), Some(&b"home ~2"[..]));
}
