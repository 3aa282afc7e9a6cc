//! Answers that are doubted: small changes of pages that are hardly known, lost content, and lines that stand in for it.

use recrawl_core::changes::noise::LearntNoise;
use recrawl_core::model::crawl::{Crawl, CrawlKind, Ending};
use recrawl_core::model::edit::EditState;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_engine::step::{Attempt, CrawlStep, Outcome};
use recrawl_engine::{Findings, save_learnt_noise};

use crate::harness::Harness;

const STORY: &str = "the council | meets weekly | in the hall | bring papers | ring twice | the end";

fn story(line: &str) -> String {
    format!("{STORY} | {line}")
}

/// A site whose page `/a` says this in the first week.
async fn known_page(says: &str) -> Harness {
    let harness = Harness::new().await;
    harness.web.page("/", "home /a");
    harness.web.page("/a", says);
    harness.crawl().await;
    harness
}

async fn visit(harness: &Harness, step: &CrawlStep, crawl: &Crawl, path: &str) -> Outcome {
    Box::pin(step.visit(&harness.queued(crawl, path), Attempt::default(), harness.now())).await.unwrap()
}

async fn verdict(harness: &Harness, crawl: &Crawl, path: &str) -> Option<Verdict> {
    harness.record(crawl.id, path).await.map(|record| record.visit.verdict)
}

/// Visits `/a` in another week, and asks for it again once it says something else.
async fn seen_twice(harness: &Harness, first: &str, second: &str) -> PageRecord {
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    harness.web.page("/a", first);
    let outcome = visit(harness, &step, &crawl, "/a").await;
    assert!(matches!(outcome, Outcome::Recorded(_)), "{outcome:?}");
    assert_eq!(verdict(harness, &crawl, "/a").await, Some(Verdict::Changed), "as it was seen first");
    harness.web.page("/a", second);
    harness.web.requests();
    let rechecked = step.recheck(&harness.queued(&crawl, "/a"), harness.now()).await.unwrap().unwrap();
    let requests = harness.web.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].2, None, "without conditions");
    let record = harness.record(crawl.id, "/a").await.unwrap();
    assert_eq!(rechecked.after, record);
    assert_eq!((rechecked.before.visit.requests, record.visit.requests), (1, 2));
    assert!(record.visit.received_bytes > rechecked.before.visit.received_bytes);
    harness.close(&crawl).await;
    record
}

#[tokio::test]
async fn what_differs_between_two_answers_is_noise_now_and_the_next_time() {
    let harness = known_page(&story("seen by 5 people")).await;
    let record = seen_twice(&harness, &story("seen by 6 people"), &story("seen by 7 people")).await;
    assert_eq!(record.visit.verdict, Verdict::Touched);
    assert!(record.visit.edits.unwrap().list.iter().all(|edit| edit.state == EditState::Learnt));
    harness.web.page("/a", &story("seen by 8 people"));
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    visit(&harness, &step, &crawl, "/a").await;
    assert_eq!(verdict(&harness, &crawl, "/a").await, Some(Verdict::Touched));
    harness.web.requests();
    let rechecked = step.recheck(&harness.queued(&crawl, "/a"), harness.now()).await.unwrap();
    assert!(rechecked.is_none() && harness.web.requests().is_empty(), "nothing is doubted any more");
}

#[tokio::test]
async fn what_both_answers_say_is_a_change() {
    let harness = known_page(&story("open on monday")).await;
    let record = seen_twice(&harness, &story("open on friday"), &story("open on friday")).await;
    assert_eq!(record.visit.verdict, Verdict::Changed);
}

#[tokio::test]
async fn a_change_that_an_old_copy_does_not_show_yet_is_found_the_next_time() {
    let harness = known_page(&story("open on monday")).await;
    let record = seen_twice(&harness, &story("open on friday"), &story("open on monday")).await;
    assert_eq!(record.visit.verdict, Verdict::Touched);
    harness.web.page("/a", &story("open on friday"));
    let next = harness.crawl().await;
    assert_eq!(verdict(&harness, &next, "/a").await, Some(Verdict::Changed));
}

#[tokio::test]
async fn a_second_answer_that_is_not_the_page_says_nothing_of_it() {
    for (path, status) in [("busy", 503), ("gone", 404), ("captcha", 200)] {
        let harness = known_page(&story("open on monday")).await;
        let crawl = harness.open().await;
        let step = harness.step(&crawl);
        harness.web.page("/a", &story("open on friday"));
        visit(&harness, &step, &crawl, "/a").await;
        if status == 200 {
            harness.web.page("/a", path);
        } else {
            harness.web.status("/a", status);
        }
        step.recheck(&harness.queued(&crawl, "/a"), harness.now()).await.unwrap();
        let record = harness.record(crawl.id, "/a").await.unwrap();
        assert_eq!((record.visit.verdict, record.visit.requests), (Verdict::Changed, 2), "{path}");
    }
}

#[tokio::test]
async fn lost_content_is_recorded_only_if_a_second_answer_confirms_it() {
    let whole = story("open");
    for (case, first, second, expected) in [
        ("lost for good", "all new", Some("all new"), Verdict::Changed),
        ("a passing fault", "we are busy", Some(whole.as_str()), Verdict::Unchanged),
        ("a passing fault behind a change", "we are busy", Some(&*story("shut")), Verdict::Changed),
        ("gone after that", "we are busy", None, Verdict::Failed),
    ] {
        let harness = known_page(&whole).await;
        let crawl = harness.open().await;
        let step = harness.step(&crawl);
        harness.web.page("/a", first);
        let outcome = visit(&harness, &step, &crawl, "/a").await;
        assert!(matches!(outcome, Outcome::Unconfirmed { requests: 1 }), "{case}: {outcome:?}");
        assert_eq!(verdict(&harness, &crawl, "/a").await, None, "{case}");
        match second {
            Some(second) => harness.web.page("/a", second),
            None => harness.web.status("/a", 404),
        }
        // Another process: what was noted is not in its memory.
        visit(&harness, &harness.step(&crawl), &crawl, "/a").await;
        assert_eq!(verdict(&harness, &crawl, "/a").await, Some(expected), "{case}");
    }
}

#[tokio::test]
async fn a_page_that_lost_its_content_and_is_not_asked_again_is_failed_when_the_crawl_ends() {
    let harness = known_page(&story("open")).await;
    let crawl = harness.open().await;
    harness.web.page("/a", "we are busy");
    visit(&harness, &harness.step(&crawl), &crawl, "/a").await;
    let ending = Ending::Partial("it was stopped by hand".to_owned());
    let findings = Findings { ending, statistics: Statistics::default(), root: None, silence: None };
    let closing = harness.closing();
    let (closed, _) = closing.close(&harness.site, &crawl, findings, harness.now()).await.unwrap();
    assert_eq!((closed.statistics.total, closed.statistics.failed_known), (1, 1));
    let record = harness.record(crawl.id, "/a").await.unwrap();
    assert_eq!(record.visit.verdict, Verdict::Failed);
    assert!(record.visit.reason.unwrap().contains("not asked for again"));
    harness.web.page("/a", &story("open"));
    let next = harness.crawl().await;
    assert_eq!(verdict(&harness, &next, "/a").await, Some(Verdict::Unchanged), "what was known stays");
}

#[tokio::test]
async fn a_crawl_of_due_pages_asks_nothing_twice_and_believes_no_lost_content() {
    let harness = known_page(&story("open")).await;
    let crawl = Crawl { kind: CrawlKind::Due, ..harness.open().await };
    harness.web.page("/a", "we are busy");
    visit(&harness, &harness.step(&crawl), &crawl, "/a").await;
    assert_eq!(verdict(&harness, &crawl, "/a").await, Some(Verdict::Failed));
}

#[tokio::test]
async fn an_outage_does_not_double_the_requests_of_a_crawl() {
    let harness = Harness::new().await;
    let pages: Vec<String> = (0..30).map(|page| format!("/news/{page}")).collect();
    harness.web.page("/", &format!("home {}", pages.join(" ")));
    for page in &pages {
        harness.web.page(page, &story(page));
    }
    harness.crawl().await;
    for page in &pages {
        harness.web.page(page, "we are busy");
    }
    let crawl = harness.open().await;
    let (step, mut unconfirmed) = (harness.step(&crawl), 0);
    for page in &pages {
        match visit(&harness, &step, &crawl, page).await {
            Outcome::Unconfirmed { .. } => unconfirmed += 1,
            outcome => assert!(matches!(outcome, Outcome::Recorded(_)), "{outcome:?}"),
        }
    }
    assert_eq!(unconfirmed, 10, "half of the twenty places are for other sections");
}

#[tokio::test]
async fn a_line_that_stands_in_for_lost_content_says_nothing_of_the_page() {
    let harness = known_page(&story("open")).await;
    let known = harness.latest("/a").await.known;
    let noise =
        LearntNoise { stand_ins: vec!["we are busy, incident 17".to_owned()], ..LearntNoise::default() };
    save_learnt_noise(&*harness.store, &harness.site.id, &noise, harness.now()).await.unwrap();
    for (says, expected) in [
        ("sorry | we are busy, incident 2345", Verdict::Failed),
        (&*story("we are busy, incident 2345"), Verdict::Changed),
    ] {
        harness.web.page("/a", says);
        let crawl = harness.open().await;
        visit(&harness, &harness.step(&crawl), &crawl, "/a").await;
        let record = harness.record(crawl.id, "/a").await.unwrap();
        assert_eq!(record.visit.verdict, expected, "{says}");
        if expected == Verdict::Failed {
            let reason = record.visit.reason.unwrap();
            assert_eq!(reason, "shows \"we are busy, incident 17\" instead of its content");
            assert_eq!(record.known, known, "what was known stays");
        }
        harness.close(&crawl).await;
    }
}
