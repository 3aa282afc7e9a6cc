//! A page that makes Recrawl itself stumble costs that page: a real server, a real SQLite file, a reader that panics.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;
#[path = "../world/mod.rs"]
mod world;

use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::stumble::Aside;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Store, Stumbles};
use recrawl_engine::{Ended, RunnerError};
use recrawl_testkit::site::Page;

use self::harness::Harness;

fn closed(ended: Result<Ended, RunnerError>) -> Closed {
    match ended {
        Ok(Ended::Closed(closed)) => *closed,
        other => panic!("{other:?}"),
    }
}

fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[tokio::test]
async fn a_page_that_makes_the_reader_panic_fails_and_the_crawl_is_complete() {
    let harness = Harness::new(&paths(&["/a", "/broken", "/z"])).await;
    let (ended, crawl) = harness.run(&["broken"]).await;
    let closed = closed(ended);
    assert_eq!(closed.ending, Ending::Complete);
    let figures = &closed.statistics;
    assert_eq!(
        (figures.total, figures.counts[Verdict::New], figures.counts[Verdict::Failed], figures.stumbled),
        (4, 3, 1, 1)
    );
    let (store, url) = (harness.world.store(), harness.world.server.at("/broken"));
    let record = store.page(&harness.world.site.id, crawl.id, &url).await.unwrap().unwrap();
    let reason = record.visit.reason.unwrap();
    let expected =
        "Recrawl stumbled over this page: on purpose, at /broken (crates/engine/tests/stumbling/harness.rs:";
    assert!(reason.starts_with(expected), "{reason}");
    assert_eq!((record.visit.verdict, record.visit.status), (Verdict::Failed, Some(200)));
    assert_eq!(record.visit.requests, 1);
    let stumbles = store.stumbles(&harness.world.site.id, crawl.id).await.unwrap();
    assert_eq!(stumbles.len(), 1);
    assert_eq!(stumbles[0].stumble.url, url);
    let body = store.stumbled_body(&harness.world.site.id, crawl.id, &url).await.unwrap().unwrap();
    assert_eq!(stumbles[0].body, Aside::Kept { bytes: body.len() as u64 });
    assert!(String::from_utf8(body).unwrap().contains("<h1>This is /broken</h1>"));
}

#[tokio::test]
async fn what_was_known_stays_and_its_links_are_followed() {
    let harness = Harness::new(&paths(&["/broken"])).await;
    harness.world.server.page("/broken", Page::html("<h1>Well</h1><a href=/behind>behind</a>"));
    harness.world.server.page("/behind", Page::html("<h1>Behind</h1>"));
    let (ended, first) = harness.run(&[]).await;
    assert_eq!(closed(ended).statistics.counts[Verdict::New], 3);
    harness.world.server.page("/broken", Page::html("<h1>Other</h1>"));
    let (ended, second) = harness.run(&["broken"]).await;
    let figures = closed(ended).statistics;
    assert_eq!((figures.total, figures.counts[Verdict::Unchanged], figures.stumbled), (3, 2, 1));
    let (ended, third) = harness.run(&[]).await;
    let figures = closed(ended).statistics;
    assert_eq!(
        (figures.counts[Verdict::Unchanged], figures.counts[Verdict::Changed]),
        (2, 1),
        "compared with what was known before"
    );
    let store = harness.world.store();
    let mut known = Vec::new();
    for crawl in [first, second, third] {
        let record = store
            .page(&harness.world.site.id, crawl.id, &harness.world.server.at("/broken"))
            .await
            .unwrap()
            .unwrap();
        known.push(record.known);
    }
    assert_eq!(known[0], known[1]);
    assert_ne!(known[1].content, known[2].content);
}

#[tokio::test]
async fn a_site_on_which_every_page_breaks_is_crawled_to_its_end() {
    let harness = Harness::new(&[]).await;
    let (ended, crawl) = harness.run(&["/"]).await;
    let closed = closed(ended);
    assert_eq!((closed.statistics.total, closed.statistics.stumbled), (1, 1));
    assert_eq!(harness.world.store().stumbles(&harness.world.site.id, crawl.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_for_absent_pages_that_cannot_be_read_blames_no_page() {
    let harness = Harness::new(&paths(&["/a", "/b"])).await;
    // Every address that nobody gave out begins so.
    harness.world.server.fallback(Page::html("<h1>Not found</h1>"));
    let (ended, _) = harness.run(&["/recrawl-"]).await;
    let figures = closed(ended).statistics;
    assert_eq!((figures.total, figures.counts[Verdict::New]), (3, 3));
    let probes =
        harness.world.server.log().iter().filter(|logged| logged.path.starts_with("/recrawl-")).count();
    assert_eq!(probes, 1, "the host is asked once");
}

#[tokio::test]
async fn a_page_that_cannot_even_be_recorded_is_left_out_and_the_crawl_ends() {
    let harness = Harness::new(&paths(&["/a", "/stubborn", "/z"])).await;
    let (ended, crawl) = harness.run(&["stubborn"]).await;
    let closed = closed(ended);
    assert_eq!(closed.ending, Ending::Partial("1 of the pages could not be recorded".to_owned()));
    assert_eq!((closed.statistics.total, closed.statistics.counts[Verdict::New]), (3, 3));
    let warnings = harness.listener.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let begins = format!(
        "{}: Recrawl stumbled over this page, and over noting that: ",
        harness.world.server.at("/stubborn")
    );
    assert!(warnings[0].starts_with(&begins), "{warnings:?}");
    let record = harness
        .world
        .store()
        .page(&harness.world.site.id, crawl.id, &harness.world.server.at("/stubborn"))
        .await
        .unwrap();
    assert_eq!(record, None);
}
