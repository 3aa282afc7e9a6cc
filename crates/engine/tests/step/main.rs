//! The crawl step over memory ports and a scripted web: design section 2, line by line.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod again;
mod conduct;
mod depth;
mod harness;
mod partial;
mod stumbling;
mod traps;
mod trouble;
mod unusual;

use std::time::Duration;

use recrawl_core::model::archive::Archive;
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::record::{Found, FoundBy, Headers, Presence};
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{Priority, QueuedPage};
use recrawl_core::url::PageUrl;
use recrawl_engine::step::{Attempt, Outcome};

use self::harness::{Answer, Harness};

fn expected(verdicts: &[(&str, Verdict)]) -> Vec<(String, Verdict)> {
    verdicts.iter().map(|(path, verdict)| ((*path).to_owned(), *verdict)).collect()
}

#[tokio::test]
async fn a_second_crawl_finds_exactly_what_changed() {
    let harness = Harness::new().await;
    harness.web.page("/", "home /same /text /noise /gone /moved https://elsewhere.net/");
    for path in ["/same", "/text", "/noise", "/gone", "/moved"] {
        harness.web.page(path, &format!("page {path} ~1"));
    }
    let first = harness.crawl().await;
    assert!(harness.verdicts(&first).await.iter().all(|(_, verdict)| *verdict == Verdict::New));

    harness.web.page("/", "home /same /text /noise /gone /moved /new");
    harness.web.page("/text", "page says something else");
    harness.web.page("/noise", "page /noise ~2");
    harness.web.status("/gone", 404);
    harness.web.redirect("/moved", "/same");
    harness.web.page("/new", "fresh");
    let second = harness.crawl().await;
    let found = [
        ("/", Verdict::Changed),
        ("/gone", Verdict::Gone),
        ("/moved", Verdict::Moved),
        ("/new", Verdict::New),
        ("/noise", Verdict::Touched),
        ("/same", Verdict::Unchanged),
        ("/text", Verdict::Changed),
    ];
    assert_eq!(harness.verdicts(&second).await, expected(&found));

    let announced: Vec<(String, Change)> = harness
        .store
        .announcements()
        .into_iter()
        .map(|told| (told.page.path().to_owned(), told.change))
        .collect();
    let mut announced_paths: Vec<&str> = announced.iter().map(|(path, _)| path.as_str()).collect();
    announced_paths.sort_unstable();
    assert_eq!(announced_paths, ["/", "/gone", "/moved", "/new", "/text"]);
    let archived = harness.to_be_archived(&second).await;
    assert_eq!(archived.len(), 4, "everything but what has gone: {archived:?}");
    assert!(harness.store.archive_requests().is_empty(), "it is asked for when the crawl is closed");
}

#[tokio::test]
async fn an_unchanged_site_answers_304_and_every_page_is_still_visited() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a /b"), ("/b", "b")]).await;
    harness.crawl().await;
    harness.web.asked();
    let second = harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/", "/a", "/b"]);
    for path in ["/", "/a", "/b"] {
        let record = harness.record(second.id, path).await.unwrap();
        assert!(record.visit.not_modified && record.visit.saved_bytes > 100, "{path}");
        assert_eq!((record.visit.status, record.visit.verdict), (Some(200), Verdict::Unchanged));
    }
}

#[tokio::test]
async fn a_full_crawl_asks_unconditionally() {
    let harness = Harness::with(&[("/", "home")]).await;
    harness.crawl().await;
    *harness.mode.lock().unwrap() = Mode::Full;
    let second = harness.crawl().await;
    let record = harness.record(second.id, "/").await.unwrap();
    assert_eq!((record.visit.not_modified, record.visit.verdict), (false, Verdict::Unchanged));
}

#[tokio::test]
async fn a_server_in_trouble_never_looks_like_a_removed_page() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    for status in [429, 500, 502, 503, 504, 401, 403, 418] {
        harness.web.status("/a", status);
        let crawl = harness.crawl().await;
        let record = harness.record(crawl.id, "/a").await.unwrap();
        assert_eq!((record.visit.verdict, record.visit.status), (Verdict::Failed, Some(status)));
        assert_eq!(record.known.presence, Presence::Present);
    }
    harness.web.answers.lock().unwrap().remove("https://example.org/a");
    let crawl = harness.crawl().await;
    let record = harness.record(crawl.id, "/a").await.unwrap();
    assert_eq!(
        (record.visit.verdict, record.visit.status, record.visit.requests),
        (Verdict::Failed, None, 3)
    );
    harness.web.page("/a", "a");
    let crawl = harness.crawl().await;
    assert_eq!(harness.record(crawl.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_page_that_is_gone_is_told_once_and_comes_back_as_new() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.web.status("/a", 404);
    let mut verdicts = Vec::new();
    for _ in 0..2 {
        let crawl = harness.crawl().await;
        verdicts.push(harness.record(crawl.id, "/a").await.unwrap().visit.verdict);
    }
    harness.web.page("/a", "a");
    let crawl = harness.crawl().await;
    verdicts.push(harness.record(crawl.id, "/a").await.unwrap().visit.verdict);
    assert_eq!(verdicts, [Verdict::Gone, Verdict::Missing, Verdict::New]);
}

#[tokio::test]
async fn a_410_leaves_future_crawls() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.web.status("/a", 410);
    harness.crawl().await;
    harness.web.asked();
    let third = harness.crawl().await;
    assert_eq!(harness.web.asked(), ["/"]);
    assert_eq!(harness.record(third.id, "/a").await.unwrap().visit.verdict, Verdict::Excluded);
}

#[tokio::test]
async fn a_page_that_answered_410_is_asked_again_in_every_eighth_crawl() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    harness.crawl().await;
    harness.web.status("/a", 410);
    harness.crawl().await;
    harness.web.asked();
    let mut asked = Vec::new();
    for crawl in 1..=16 {
        if crawl == 16 {
            harness.web.page("/a", "a");
        }
        harness.crawl().await;
        if harness.web.asked().contains(&"/a".to_owned()) {
            asked.push(crawl);
        }
    }
    assert_eq!(asked, [8, 16]);
    let last = harness.crawl().await;
    assert_eq!(harness.record(last.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged, "it is back");
}

#[tokio::test]
async fn a_broken_link_is_recorded_with_its_referrer_and_not_announced() {
    let harness = Harness::with(&[("/", "home /nothing")]).await;
    harness.web.status("/nothing", 404);
    let crawl = harness.crawl().await;
    let record = harness.record(crawl.id, "/nothing").await.unwrap();
    assert_eq!(record.visit.verdict, Verdict::Missing);
    assert_eq!(record.found.referrer.as_ref(), Some(&harness.site.root));
    let second = harness.crawl().await;
    assert_eq!(harness.record(second.id, "/nothing").await.unwrap().visit.verdict, Verdict::Missing);
    assert_eq!(harness.store.announcements().len(), 0);
}

#[tokio::test]
async fn a_known_page_that_nobody_links_to_is_visited_from_memory() {
    let harness = Harness::with(&[("/", "home /a /b"), ("/a", "a"), ("/b", "b")]).await;
    harness.crawl().await;
    harness.web.page("/", "home");
    harness.web.status("/b", 404);
    let second = harness.crawl().await;
    let orphan = harness.record(second.id, "/a").await.unwrap();
    assert_eq!((orphan.found.by, orphan.visit.verdict), (FoundBy::Memory, Verdict::Unchanged));
    assert_eq!(harness.record(second.id, "/b").await.unwrap().visit.verdict, Verdict::Gone);
}

#[tokio::test]
async fn what_robots_disallow_is_recorded_and_never_fetched() {
    let harness = Harness::with(&[("/", "home /x")]).await;
    harness.web.disallowed.lock().unwrap().insert("/x".to_owned());
    let crawl = harness.crawl().await;
    let record = harness.record(crawl.id, "/x").await.unwrap();
    assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Excluded, 0));
    assert_eq!(record.visit.reason.as_deref(), Some("robots.txt: Disallow: /x"));
    assert_eq!(harness.web.asked(), ["/"]);
}

#[tokio::test]
async fn a_page_outside_the_scope_that_is_asked_for_is_recorded_with_the_reason() {
    let harness = Harness::new().await;
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    let url: PageUrl = "https://elsewhere.net/".parse().unwrap();
    let found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    let page = QueuedPage {
        site: harness.site.id.clone(),
        crawl: crawl.id,
        url,
        found,
        priority: Priority::default(),
    };
    let Outcome::Recorded(record) = step.visit(&page, Attempt::default(), harness.now()).await.unwrap()
    else {
        panic!("recorded")
    };
    assert_eq!(record.visit.verdict, Verdict::Excluded);
    assert!(record.visit.reason.unwrap().contains("elsewhere.net"));
    assert!(harness.web.asked().is_empty());
}

#[tokio::test]
async fn nofollow_is_obeyed_in_markup_and_header() {
    let harness = Harness::with(&[("/", "nofollow /a")]).await;
    let crawl = harness.crawl().await;
    assert_eq!(harness.verdicts(&crawl).await.len(), 1);
    let headers = Headers { robots_tag: Some("nofollow".to_owned()), ..Headers::default() };
    harness.web.plant("/", Answer { body: "home /b".to_owned(), headers, ..Answer::default() });
    let crawl = harness.crawl().await;
    assert_eq!(harness.verdicts(&crawl).await.len(), 1);
}

#[tokio::test]
async fn a_redirect_without_a_target_is_recorded() {
    let harness = Harness::new().await;
    harness.web.status("/", 302);
    let crawl = harness.crawl().await;
    let record = harness.record(crawl.id, "/").await.unwrap();
    assert_eq!((record.visit.verdict, record.visit.status), (Verdict::New, Some(302)));
}

#[tokio::test]
async fn a_redelivered_page_is_a_duplicate_and_is_not_fetched_again() {
    let harness = Harness::with(&[("/", "home")]).await;
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    let page = harness.root(&crawl);
    assert!(matches!(
        step.visit(&page, Attempt::default(), harness.now()).await.unwrap(),
        Outcome::Recorded(_)
    ));
    assert!(matches!(
        step.visit(&page, Attempt::default(), harness.now()).await.unwrap(),
        Outcome::Duplicate
    ));
    assert_eq!(harness.web.asked().len(), 1);
    // Another process does not know, and the store decides.
    let outcome = harness.step(&crawl).visit(&page, Attempt::default(), harness.now()).await.unwrap();
    assert!(matches!(outcome, Outcome::Duplicate));
    assert_eq!(harness.to_be_archived(&crawl).await.len(), 1);
}

#[tokio::test]
async fn a_change_of_rules_is_judged_on_the_stored_body() {
    let harness = Harness::with(&[("/", "count 1 /a /b"), ("/a", "visitors 17"), ("/b", "price 17")]).await;
    harness.crawl().await;
    *harness.rules.lock().unwrap() = "without numbers";
    harness.web.page("/a", "visitors 18");
    harness.web.page("/b", "cost 17");
    let second = harness.crawl().await;
    let found = [("/", Verdict::Unchanged), ("/a", Verdict::Touched), ("/b", Verdict::Changed)];
    assert_eq!(harness.verdicts(&second).await, expected(&found));
}

#[tokio::test]
async fn the_audit_finds_a_lost_message() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "a")]).await;
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    let page = harness.root(&crawl);
    step.visit(&page, Attempt::default(), harness.now()).await.unwrap();
    // Nobody takes /a from the queue: as if the message were lost.
    let found = harness.audit(&step, &crawl).await;
    let missing: Vec<&str> = found.missing.iter().map(|page| page.url.path()).collect();
    assert_eq!(missing, ["/a"]);
    assert_eq!(found.statistics.total, 1);
}

#[tokio::test]
async fn the_audit_wants_nothing_that_has_a_record_in_whatever_order_it_is_read() {
    let harness = Harness::with(&[("/", "home /z /a"), ("/a", "a /z / /a"), ("/z", "z / /a")]).await;
    let crawl = harness.crawl().await;
    let found = harness.audit(&harness.step(&crawl), &crawl).await;
    assert_eq!((found.missing.len(), found.statistics.total), (0, 3));
}

#[tokio::test]
async fn an_announced_change_says_what_changed_and_its_record_waits_for_a_capture() {
    let harness = Harness::with(&[("/", "old words")]).await;
    harness.crawl().await;
    harness.web.page("/", "new words");
    let second = harness.crawl().await;
    let told: Vec<Option<String>> = harness.store.announcements().into_iter().map(|told| told.diff).collect();
    assert_eq!(told, [Some("-old words\n+new words".to_owned())], "a first crawl announces nothing new");
    let record = harness.record(second.id, "/").await.unwrap();
    assert_eq!(record.archive, Some(Archive::queued(record.visit.fetched_at)));
    let third = harness.crawl().await;
    assert_eq!(harness.record(third.id, "/").await.unwrap().archive, None, "nothing changed");
}

#[tokio::test]
async fn a_page_that_used_up_its_time_is_not_asked_for_again() {
    let harness = Harness::new().await;
    harness.web.status("/", 503);
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    let page = harness.root(&crawl);
    let late = Attempt { number: 1, spent: Duration::from_secs(59) };
    let Outcome::Retry { next, .. } = step.visit(&page, late, harness.now()).await.unwrap() else {
        panic!("time is left")
    };
    assert_eq!(next, Attempt { number: 2, spent: Duration::from_millis(59_005) });
    let late = Attempt { number: 1, spent: Duration::from_mins(1) };
    assert!(matches!(step.visit(&page, late, harness.now()).await.unwrap(), Outcome::Recorded(_)));
}
