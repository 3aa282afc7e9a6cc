//! Answers that look like pages and are none, and sites in trouble.

use recrawl_core::model::record::{Headers, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{NotFoundAnswer, Store};

use crate::harness::{Answer, Harness, url};

fn html(body: &str) -> Answer {
    let headers = Headers { content_type: Some("text/html".to_owned()), ..Headers::default() };
    Answer { body: body.to_owned(), headers, ..Answer::default() }
}

#[tokio::test]
async fn what_is_not_the_page_is_failed_with_the_reason_and_changes_nothing() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "one two three")]).await;
    harness.crawl().await;
    let not_found = || NotFoundAnswer::Page { asked: url("/recrawl-17"), text: "no such page".to_owned() };
    let login = Headers { location: Some("/user/login?to=a".to_owned()), ..Headers::default() };
    let home = Headers { location: Some("/".to_owned()), ..Headers::default() };
    let redirect = |headers| Answer { status: 302, headers, ..Answer::default() };
    for (answer, absence, reason) in [
        (html(""), None, "an empty body"),
        (html("solve this captcha"), None, "a block page"),
        (html("~1"), None, "a page without any text"),
        (html("one two …"), None, "the page breaks off"),
        (
            html("one hopeless page"),
            None,
            "Recrawl stumbled over this page: reading it took more than 5 s of processor time",
        ),
        (html("no such page"), Some(not_found()), "a soft 404"),
        (redirect(login), None, "asks for a login at https://example.org/user/login?to=a"),
        (redirect(home), Some(NotFoundAnswer::Redirect(url("/"))), "a soft 404: redirects to"),
    ] {
        harness.web.plant("/a", answer);
        *harness.web.absence.lock().unwrap() = absence;
        let crawl = harness.crawl().await;
        let record = harness.record(crawl.id, "/a").await.unwrap();
        assert_eq!(record.visit.verdict, Verdict::Failed, "{reason}");
        let found = record.visit.reason.unwrap();
        assert!(found.starts_with(reason), "{found}");
        assert_eq!(record.known.presence, Presence::Present);
    }
    *harness.web.absence.lock().unwrap() = Some(not_found());
    harness.web.page("/a", "one two three");
    let crawl = harness.crawl().await;
    assert_eq!(harness.record(crawl.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_page_that_is_read_in_part_is_compared_by_that_part_and_says_so() {
    let harness = Harness::with(&[("/", "home /a"), ("/a", "one vast page /b"), ("/b", "two")]).await;
    for verdict in [Verdict::New, Verdict::Changed] {
        let crawl = harness.crawl().await;
        let record = harness.record(crawl.id, "/a").await.unwrap();
        assert_eq!(record.visit.verdict, verdict);
        assert!(record.visit.truncated);
        assert_eq!(record.visit.reason.as_deref(), Some("too many elements"));
        assert!(harness.record(crawl.id, "/b").await.is_some(), "its links are followed");
        harness.web.page("/a", "another vast page /b");
    }
}

#[tokio::test]
async fn a_page_that_always_was_like_that_is_believed() {
    let harness = Harness::with(&[("/", "home /a /b /old")]).await;
    harness.web.plant("/a", html("one …"));
    harness.web.page("/b", "no such page");
    harness.web.redirect("/old", "/login");
    let first = harness.crawl().await;
    assert_eq!(harness.record(first.id, "/a").await.unwrap().visit.verdict, Verdict::New);
    assert_eq!(harness.record(first.id, "/old").await.unwrap().visit.verdict, Verdict::Failed);
    let text = "no such page".to_owned();
    *harness.web.absence.lock().unwrap() = Some(NotFoundAnswer::Page { asked: url("/x"), text });
    harness.web.plant("/a", html("one two …"));
    let second = harness.crawl().await;
    assert_eq!(harness.record(second.id, "/a").await.unwrap().visit.verdict, Verdict::Changed, "it grew");
    assert_eq!(harness.record(second.id, "/b").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_crawl_that_lost_half_its_pages_is_suspect_and_the_next_is_compared_with_the_one_before() {
    let harness = Harness::new().await;
    let paths: Vec<String> = (0..10).map(|number| format!("/{number}")).collect();
    harness.web.page("/", &format!("home {}", paths.join(" ")));
    for path in &paths {
        harness.web.page(path, path);
    }
    harness.crawl().await;
    for path in &paths[..6] {
        harness.web.status(path, 404);
    }
    harness.web.page("/9", "really new");
    let before = harness.store.announcements().len();
    let second = harness.crawl().await;
    let stored = harness.store.crawls(&harness.site.id).await.unwrap();
    let closed = stored.last().unwrap().closed.clone().unwrap();
    assert!(closed.suspicion.unwrap().reason.starts_with("6 of 11 pages are gone"));
    assert_eq!(harness.store.announcements().len(), before, "nothing is announced");
    assert_eq!(harness.record(second.id, "/0").await.unwrap().visit.verdict, Verdict::Gone);

    for path in &paths[1..6] {
        harness.web.page(path, path);
    }
    let third = harness.crawl().await;
    let gone = harness.record(third.id, "/0").await.unwrap().visit.verdict;
    assert_eq!(gone, Verdict::Gone, "told once, by a crawl that can be believed");
    assert_eq!(harness.record(third.id, "/1").await.unwrap().visit.verdict, Verdict::Unchanged);
    assert_eq!(harness.record(third.id, "/9").await.unwrap().visit.verdict, Verdict::Changed);
    let told: Vec<String> =
        harness.store.announcements()[before..].iter().map(|told| told.page.path().to_owned()).collect();
    assert_eq!(told, ["/0", "/9"]);
}

#[tokio::test]
async fn an_accepted_crawl_is_what_the_next_one_is_compared_with() {
    let harness = Harness::new().await;
    let paths: Vec<String> = (0..6).map(|number| format!("/{number}")).collect();
    harness.web.page("/", &format!("home {}", paths.join(" ")));
    for path in &paths {
        harness.web.page(path, path);
    }
    harness.crawl().await;
    for path in &paths {
        harness.web.status(path, 404);
    }
    let second = harness.crawl().await;
    harness.store.accept_crawl(&harness.site.id, second.id, harness.now()).await.unwrap();
    let third = harness.crawl().await;
    for (path, verdict) in harness.verdicts(&third).await {
        assert_eq!(verdict, if path == "/" { Verdict::Unchanged } else { Verdict::Missing }, "{path}");
    }
}
