//! Databases of earlier versions: they are brought up to date, and nothing in them is lost.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, CrawlKind, Ending};
use recrawl_core::model::record::{Check, PageRecord, Presence};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Frontier, History, Memos, Priority, PullFrontier, QueuedPage, Search, Store};
use recrawl_core::url::PageUrl;
use recrawl_store_sqlite::{OpenError, Options, SqliteStore};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, THIRD, closed, content, crawl, crawl_id, page, queued, record, record_of, site, site_id,
};
use tempfile::TempDir;

/// A site, three open crawls and a page.
const VERSION_1: &str = include_str!("format/v1.sql");

/// A site, a complete, a partial and an open crawl; a page that changed, one that redirected first, and one that
/// was a broken link first.
const VERSION_2: &str = include_str!("format/v2.sql");

/// The same, brought up to version 3.
const VERSION_3: &str = include_str!("format/v3.sql");

fn options() -> Options {
    Options { linger: Duration::ZERO }
}

fn place(sql: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (directory, path)
}

fn upgraded(sql: &str) -> (TempDir, SqliteStore) {
    let (directory, path) = place(sql);
    let store = SqliteStore::open(path, &options()).unwrap();
    (directory, store)
}

/// Returns a sample record as one that knows nothing of what version 3 brought.
fn before_version_3(mut record: PageRecord, observations: u32) -> PageRecord {
    record.visit.aspects = Aspects::NONE;
    record.visit.check = Check::None;
    record.known.fresh_until = None;
    record.known.observations = observations;
    record.known.mean_interval = 7.0;
    if let Some(content) = &mut record.known.content {
        content.signatures = None;
    }
    record
}

fn without_signatures(mut content: Content) -> Content {
    content.extracted.signatures = None;
    content
}

#[tokio::test]
async fn a_database_of_the_first_version_is_read_and_written() {
    let (_directory, store) = upgraded(VERSION_1);
    let mut known = site("a");
    known.scope.allow_private = false;
    assert_eq!(store.sites().await.unwrap(), [known], "nobody could allow it then");
    let says = without_signatures(content("text of the first version"));
    let visits = store.visits(&site_id("a"), &page("/x")).await.unwrap();
    let as_it_was = |record| PageRecord { archive: None, ..before_version_3(record, 3) };
    let written = [record_of("a", FIRST, "/x", &says), record("a", SECOND, "/x")].map(as_it_was);
    assert_eq!(visits, written);
    assert_eq!(store.content(&site_id("a"), &says.hash).await.unwrap().as_ref(), Some(&says));
    store.open_crawl(&crawl("a", "crawl-2027-01-01")).await.unwrap();
    store.record(&record("a", "crawl-2027-01-01", "/x"), None).await.unwrap();
}

#[tokio::test]
async fn a_change_of_the_second_version_was_one_of_the_text() {
    let (_directory, store) = upgraded(VERSION_2);
    let visits = async |path: &str| {
        let visits = store.visits(&site_id("a"), &page(path)).await.unwrap();
        visits.iter().map(|record| record.visit.aspects.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(visits("/x").await, ["", "text", ""]);
    assert_eq!(visits("/r").await, ["", ""], "a redirect that became a page was compared with nothing");
    let announced = store.announcements().await.unwrap();
    let aspects: Vec<_> = announced.iter().map(|told| (told.page.path(), told.aspects)).collect();
    assert_eq!(aspects, [("/x", Aspects::TEXT), ("/r", Aspects::NONE)]);
}

#[tokio::test]
async fn the_visits_of_the_second_version_are_observations() {
    let (_directory, store) = upgraded(VERSION_2);
    let observations = async |path: &str| {
        let visits = store.visits(&site_id("a"), &page(path)).await.unwrap();
        visits.iter().map(|record| record.known.observations).collect::<Vec<_>>()
    };
    assert_eq!(observations("/x").await, [0, 1, 2]);
    assert_eq!(observations("/b").await, [0, 0, 0], "a broken link and a failure show nothing");
    let mut changed = record_of("a", SECOND, "/x", &content("after"));
    changed.visit.verdict = Verdict::Changed;
    changed.known.presence = Presence::Present;
    changed.known.changes_detected = 1;
    let mut changed = before_version_3(changed, 1);
    changed.visit.aspects = Aspects::TEXT;
    assert_eq!(store.page(&site_id("a"), crawl_id(SECOND), &page("/x")).await.unwrap(), Some(changed));
}

#[tokio::test]
async fn the_crawls_of_the_second_version_are_trusted_and_keep_their_figures() {
    let (_directory, store) = upgraded(VERSION_2);
    let crawls = store.crawls(&site_id("a")).await.unwrap();
    let without_new_figures = |ending| {
        let Closed { at, ending, suspicion, statistics } = closed(ending);
        let statistics = Statistics {
            failed_known: 0,
            stumbled: 0,
            presumed: 0,
            same_by_head: 0,
            checked: 0,
            refuted: 0,
            watched: 0,
            ..statistics
        };
        Closed { at, ending, suspicion, statistics }
    };
    let ends = [
        Some(without_new_figures(Ending::Complete)),
        Some(without_new_figures(Ending::Partial("stopped".to_owned()))),
        None,
    ];
    assert_eq!(crawls.iter().map(|crawl| crawl.closed.clone()).collect::<Vec<_>>(), ends);
    let latest = store.latest_before(&site_id("a"), crawl_id(THIRD), &page("/x")).await.unwrap();
    assert_eq!(latest.map(|record| record.crawl), Some(crawl_id(SECOND)));
}

#[tokio::test]
async fn pages_that_waited_in_the_second_version_wait_in_their_order() {
    let (_directory, store) = upgraded(VERSION_2);
    let taken = store.take(&site_id("a"), crawl_id(THIRD), 9).await.unwrap();
    assert_eq!(taken, [queued("a", THIRD, "/waits"), queued("a", THIRD, "/waits-longer")]);
}

#[tokio::test]
async fn pages_that_waited_in_the_fourth_version_wait_by_their_priority() {
    let changes = "UPDATE frontier SET priority = id; PRAGMA user_version = 4;";
    let version_4 = [VERSION_3, include_str!("../src/schema/v4.sql"), changes].concat();
    let (_directory, store) = upgraded(&version_4);
    let expected = [(2, "/waits-longer"), (1, "/waits")]
        .map(|(priority, path)| QueuedPage { priority: Priority(priority), ..queued("a", THIRD, path) });
    store.queue(&[queued("a", THIRD, "/waits"), queued("a", THIRD, "/new")]).await.unwrap();
    assert_eq!(store.waiting(&site_id("a"), crawl_id(THIRD)).await.unwrap(), 3);
    assert_eq!(store.take(&site_id("a"), crawl_id(THIRD), 2).await.unwrap(), expected);
    assert_eq!(store.take(&site_id("a"), crawl_id(THIRD), 9).await.unwrap(), [queued("a", THIRD, "/new")]);
}

#[tokio::test]
async fn a_crawl_that_is_opened_after_an_upgrade_comes_after_those_that_are_there() {
    // One of them was made while the clock was years ahead.
    let ahead = "INSERT INTO crawl (site, number, name, opened_at, mode, closed_at, statistics)
        VALUES (1, 21915 * 4294967296 + 1, 'crawl-2030-01-01', 1893456000000000, 'full', 1893456000000000, '{}');";
    for older in [VERSION_1, VERSION_2, VERSION_3] {
        let (_directory, store) = upgraded(&[older, ahead].concat());
        let names = async || {
            let crawls = store.crawls(&site_id("a")).await.unwrap();
            crawls.iter().map(|crawl| crawl.id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names().await, [FIRST, SECOND, THIRD, "crawl-2030-01-01"]);
        for id in ["crawl-2026-11-18", "crawl-2026-11-17"] {
            store.open_crawl(&crawl("a", id)).await.unwrap();
        }
        let expected = [FIRST, SECOND, THIRD, "crawl-2030-01-01", "crawl-2026-11-18", "crawl-2026-11-17"];
        assert_eq!(names().await, expected);
    }
}

#[tokio::test]
async fn pages_of_earlier_versions_are_found_by_what_they_say() {
    for (older, text) in [(VERSION_1, "/x"), (VERSION_2, "after"), (VERSION_3, "after")] {
        let (_directory, store) = upgraded(older);
        let found = store.search(None, text, 9).await.unwrap();
        let pages: Vec<&PageUrl> = found.hits.iter().map(|hit| &hit.url).collect();
        assert_eq!(pages, [&page("/x")], "{text}");
    }
}

#[test]
fn an_older_database_is_not_changed_by_reading() {
    for (sql, version) in [(VERSION_1, 1), (VERSION_2, 2), (VERSION_3, 3)] {
        let (_directory, path) = place(sql);
        let refused = SqliteStore::open_read_only(&path).unwrap_err();
        assert!(matches!(refused, OpenError::Older { found, .. } if found == version), "{refused:?}");
    }
}

#[test]
fn an_upgraded_database_has_the_same_tables_as_a_new_one() {
    let schema = |path: &Path| {
        drop(SqliteStore::open(path, &options()).unwrap());
        let sql = "SELECT name, sql FROM sqlite_schema ORDER BY name";
        recrawl_store_sqlite::query(path, sql).unwrap().rows
    };
    for older in [VERSION_1, VERSION_2, VERSION_3] {
        let (_directory, path) = place(older);
        assert_eq!(schema(&path), schema(&path.with_file_name("fresh.db")));
    }
}

#[tokio::test]
async fn a_crawl_of_due_pages_is_known_by_the_note_of_the_eighth_version() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    let store = SqliteStore::open(&path, &options()).unwrap();
    store.save_site(&site("a")).await.unwrap();
    for id in [FIRST, SECOND] {
        store.open_crawl(&crawl("a", id)).await.unwrap();
    }
    drop(store);
    let older = format!(
        "ALTER TABLE crawl DROP COLUMN kind; PRAGMA user_version = 8;
        INSERT INTO memo (key, saved_at, value) VALUES ('due a', 0, '{SECOND}'), ('due b', 0, '{FIRST}');"
    );
    rusqlite::Connection::open(&path).unwrap().execute_batch(&older).unwrap();
    let refused = SqliteStore::open_read_only(&path).unwrap_err();
    assert!(matches!(refused, OpenError::Older { found: 8, .. }), "{refused:?}");
    let store = SqliteStore::open(&path, &options()).unwrap();
    let kinds: Vec<CrawlKind> =
        store.crawls(&site_id("a")).await.unwrap().iter().map(|crawl| crawl.kind).collect();
    assert_eq!(kinds, [CrawlKind::Full, CrawlKind::Due]);
    assert_eq!(store.memo("due a").await.unwrap(), None);
}
