//! Answers that are a part of the page: by the limit of a body, or by the wish of the server.

use recrawl_core::model::record::Headers;
use recrawl_core::model::verdict::Verdict;

use crate::harness::{Answer, Harness};

const REMARK: &str = "truncated: only the first";

/// Plants a page of which only this beginning is received.
fn plant(harness: &Harness, beginning: &str) {
    let headers = Headers { content_type: Some("text/html".to_owned()), ..Headers::default() };
    let answer = Answer { body: beginning.to_owned(), truncated: true, headers, ..Answer::default() };
    harness.web.plant("/", answer);
}

async fn visit(harness: &Harness) -> (Verdict, Option<String>) {
    let crawl = harness.crawl().await;
    let record = harness.record(crawl.id, "/").await.unwrap();
    (record.visit.verdict, record.visit.reason)
}

#[tokio::test]
async fn a_page_over_the_limit_is_compared_by_what_was_read_and_says_so() {
    let harness = Harness::with(&[("/a", "a")]).await;
    plant(&harness, "home /a | one | two | thr");
    let crawl = harness.crawl().await;
    let record = harness.record(crawl.id, "/").await.unwrap();
    assert!(record.visit.truncated);
    let reason = "truncated: only the first 25 bytes were compared";
    assert_eq!(record.visit.reason.as_deref(), Some(reason));
    assert!(record.known.content.unwrap().rules.is_of_beginning());
    assert_eq!(harness.verdicts(&crawl).await.len(), 2, "its links are followed");
    for (beginning, expected, why) in [
        ("home /a | one | two | thr", Verdict::Unchanged, "the same bytes"),
        ("home /a | one ~token | two | t", Verdict::Touched, "the limit fell within the same line"),
        ("home /a | one ~longer ~token | tw", Verdict::Touched, "the limit fell a line earlier"),
        ("home /a | one | two | three | fo", Verdict::Touched, "the limit fell a line later"),
        ("home /a | other | two | thr", Verdict::Changed, "a line that was read says something else"),
        ("home /a | other | two | @target thr", Verdict::Touched, "which links were read says nothing"),
    ] {
        plant(&harness, beginning);
        let (verdict, reason) = visit(&harness).await;
        assert_eq!(verdict, expected, "{why}");
        assert!(reason.is_some_and(|reason| reason.starts_with(REMARK)), "{why}");
    }
}

#[tokio::test]
async fn a_page_that_grows_over_the_limit_is_not_changed_by_that_alone() {
    let harness = Harness::with(&[("/", "home | one | two | three")]).await;
    visit(&harness).await;
    plant(&harness, "home ~token | one | tw");
    assert_eq!(visit(&harness).await.0, Verdict::Touched);
    harness.web.page("/", "home | one | two | three");
    assert_eq!(visit(&harness).await, (Verdict::Touched, None), "and not by being read whole again");
    plant(&harness, "home | other | tw");
    assert_eq!(visit(&harness).await.0, Verdict::Changed);
    harness.web.page("/", "home | another");
    assert_eq!(visit(&harness).await.0, Verdict::Changed);
}

#[tokio::test]
async fn a_change_of_rules_does_not_change_a_page_over_the_limit() {
    let harness = Harness::new().await;
    plant(&harness, "home 1 | one | two | thr");
    visit(&harness).await;
    *harness.rules.lock().unwrap() = "without numbers";
    plant(&harness, "home 2 | one | two | three | fo");
    assert_eq!(visit(&harness).await.0, Verdict::Touched);
    plant(&harness, "home 3 | one | two | three | four | f");
    assert_eq!(visit(&harness).await.0, Verdict::Touched);
    plant(&harness, "house 3 | one | two | three | four | f");
    assert_eq!(visit(&harness).await.0, Verdict::Changed);
}

#[tokio::test]
async fn a_success_that_is_not_the_page_is_no_evidence() {
    let harness = Harness::with(&[("/", "home")]).await;
    let first = harness.crawl().await;
    for (status, why) in [
        (202, "status 202: the answer is not ready"),
        (204, "status 204: no content"),
        (205, "status 205: no content"),
        (206, "status 206: a part of the page, and nobody asked for a part"),
        (207, "status 207: not the page itself"),
        (226, "status 226: not the page itself"),
    ] {
        harness.web.plant("/", Answer { status, body: "ho".to_owned(), ..Answer::default() });
        let crawl = harness.crawl().await;
        let record = harness.record(crawl.id, "/").await.unwrap();
        assert_eq!((record.visit.verdict, record.visit.reason.as_deref()), (Verdict::Failed, Some(why)));
        assert_eq!(record.known, harness.record(first.id, "/").await.unwrap().known, "{status}");
    }
}
