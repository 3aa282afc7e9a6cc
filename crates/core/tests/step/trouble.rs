//! Answers that look like pages and are none, and sites in trouble.

use recrawl_core::ports::{Absence, Store};
use recrawl_core::record::{Headers, Presence};
use recrawl_core::verdict::Verdict;

use crate::world::{Answer, World, url};

fn html(body: &str) -> Answer {
    let headers = Headers { content_type: Some("text/html".to_owned()), ..Headers::default() };
    Answer { body: body.to_owned(), headers, ..Answer::default() }
}

#[tokio::test]
async fn what_is_not_the_page_is_failed_with_the_reason_and_changes_nothing() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "one two three");
    world.crawl().await;
    let not_found = || Absence::Page { asked: url("/recrawl-17"), text: "no such page".to_owned() };
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
        (redirect(home), Some(Absence::Redirect(url("/"))), "a soft 404: redirects to"),
    ] {
        world.web.plant("/a", answer);
        *world.web.absence.lock().unwrap() = absence;
        let crawl = world.crawl().await;
        let record = world.record(crawl.id, "/a").await.unwrap();
        assert_eq!(record.visit.verdict, Verdict::Failed, "{reason}");
        let found = record.visit.reason.unwrap();
        assert!(found.starts_with(reason), "{found}");
        assert_eq!(record.known.presence, Presence::Present);
    }
    *world.web.absence.lock().unwrap() = Some(not_found());
    world.web.page("/a", "one two three");
    let crawl = world.crawl().await;
    assert_eq!(world.record(crawl.id, "/a").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_page_that_is_read_in_part_is_compared_by_that_part_and_says_so() {
    let world = World::new().await;
    world.web.page("/", "home /a");
    world.web.page("/a", "one vast page /b");
    world.web.page("/b", "two");
    for verdict in [Verdict::New, Verdict::Changed] {
        let crawl = world.crawl().await;
        let record = world.record(crawl.id, "/a").await.unwrap();
        assert_eq!(record.visit.verdict, verdict);
        assert!(record.visit.truncated);
        assert_eq!(record.visit.reason.as_deref(), Some("too many elements"));
        assert!(world.record(crawl.id, "/b").await.is_some(), "its links are followed");
        world.web.page("/a", "another vast page /b");
    }
}

#[tokio::test]
async fn a_page_that_always_was_like_that_is_believed() {
    let world = World::new().await;
    world.web.page("/", "home /a /b /old");
    world.web.plant("/a", html("one …"));
    world.web.page("/b", "no such page");
    world.web.redirect("/old", "/login");
    let first = world.crawl().await;
    assert_eq!(world.record(first.id, "/a").await.unwrap().visit.verdict, Verdict::New);
    assert_eq!(world.record(first.id, "/old").await.unwrap().visit.verdict, Verdict::Failed);
    let text = "no such page".to_owned();
    *world.web.absence.lock().unwrap() = Some(Absence::Page { asked: url("/x"), text });
    world.web.plant("/a", html("one two …"));
    let second = world.crawl().await;
    assert_eq!(world.record(second.id, "/a").await.unwrap().visit.verdict, Verdict::Changed, "it grew");
    assert_eq!(world.record(second.id, "/b").await.unwrap().visit.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn a_crawl_that_lost_half_its_pages_is_suspect_and_the_next_is_compared_with_the_one_before() {
    let world = World::new().await;
    let paths: Vec<String> = (0..10).map(|number| format!("/{number}")).collect();
    world.web.page("/", &format!("home {}", paths.join(" ")));
    for path in &paths {
        world.web.page(path, path);
    }
    world.crawl().await;
    for path in &paths[..6] {
        world.web.status(path, 404);
    }
    world.web.page("/9", "really new");
    let before = world.store.announcements().len();
    let second = world.crawl().await;
    let stored = world.store.crawls(&world.site.id).await.unwrap();
    let closed = stored.last().unwrap().closed.clone().unwrap();
    assert!(closed.suspicion.unwrap().reason.starts_with("6 of 11 known pages are gone"));
    assert_eq!(world.store.announcements().len(), before, "nothing is announced");
    assert_eq!(world.record(second.id, "/0").await.unwrap().visit.verdict, Verdict::Gone);

    for path in &paths[1..6] {
        world.web.page(path, path);
    }
    let third = world.crawl().await;
    let gone = world.record(third.id, "/0").await.unwrap().visit.verdict;
    assert_eq!(gone, Verdict::Gone, "told once, by a crawl that can be believed");
    assert_eq!(world.record(third.id, "/1").await.unwrap().visit.verdict, Verdict::Unchanged);
    assert_eq!(world.record(third.id, "/9").await.unwrap().visit.verdict, Verdict::Changed);
    let told: Vec<String> =
        world.store.announcements()[before..].iter().map(|told| told.page.path().to_owned()).collect();
    assert_eq!(told, ["/0", "/9"]);
}

#[tokio::test]
async fn an_accepted_crawl_is_what_the_next_one_is_compared_with() {
    let world = World::new().await;
    let paths: Vec<String> = (0..6).map(|number| format!("/{number}")).collect();
    world.web.page("/", &format!("home {}", paths.join(" ")));
    for path in &paths {
        world.web.page(path, path);
    }
    world.crawl().await;
    for path in &paths {
        world.web.page(path, &format!("{path} in a new dress"));
    }
    let second = world.crawl().await;
    world.store.accept_crawl(&world.site.id, second.id, world.now()).await.unwrap();
    let third = world.crawl().await;
    assert!(world.verdicts(&third).await.iter().all(|(_, verdict)| *verdict == Verdict::Unchanged));
}
