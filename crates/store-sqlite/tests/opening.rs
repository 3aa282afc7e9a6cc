//! Which files are opened, which are refused, and who may crawl.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use recrawl_core::ports::{
    Frontier, History, QueueError, StateEntry, StateKey, StateStore, Store, StoreError,
};
use recrawl_store_sqlite::{OpenError, Options, SqliteStore};
use recrawl_testkit::contract::samples::{FIRST, open, queued, record, site, site_id, time};
use tempfile::TempDir;

fn options() -> Options {
    Options { linger: Duration::ZERO }
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    (directory, path)
}

fn files(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_closed_store_is_one_file() {
    let (_directory, path) = place();
    let store = SqliteStore::open(&path, &options()).unwrap();
    open(&store, "a").await;
    store.record(&record("a", FIRST, "/"), None).await.unwrap();
    store.queue(&[queued("a", FIRST, "/x")]).await.unwrap();
    drop(store);
    assert_eq!(files(&path), ["recrawl.db"]);
    drop(SqliteStore::open_read_only(&path).unwrap());
    assert_eq!(files(&path), ["recrawl.db"]);
}

#[test]
fn a_missing_file_is_not_made_by_reading() {
    let (_directory, path) = place();
    assert!(matches!(SqliteStore::open_read_only(&path), Err(OpenError::Missing(_))));
    assert!(!path.exists());
}

#[test]
fn a_missing_directory_is_an_error() {
    let (_directory, path) = place();
    let refused = SqliteStore::open(path.join("deeper.db"), &options());
    assert!(matches!(refused, Err(OpenError::Failed { .. })), "{refused:?}");
}

#[test]
fn what_is_not_ours_is_refused_and_not_touched() {
    let (_directory, path) = place();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE recipes (x); INSERT INTO recipes VALUES ('soup');").unwrap();
    drop(other);
    let database_of_another = fs::read(&path).unwrap();
    let texts: [&[u8]; 3] = [&database_of_another, b"Dear diary, this is not a database at all.\n", b"x"];
    for text in texts {
        fs::write(&path, text).unwrap();
        for opened in [SqliteStore::open(&path, &options()), SqliteStore::open_read_only(&path)] {
            let error = opened.unwrap_err();
            assert!(matches!(error, OpenError::Foreign(_)), "{error:?}");
            assert!(error.to_string().ends_with("recrawl.db is not a Recrawl database"), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), text);
        assert_eq!(files(&path), ["recrawl.db"]);
    }
}

#[test]
fn an_empty_file_becomes_a_database() {
    let (_directory, path) = place();
    fs::write(&path, b"").unwrap();
    assert!(matches!(SqliteStore::open_read_only(&path), Err(OpenError::Foreign(_))));
    drop(SqliteStore::open(&path, &options()).unwrap());
    SqliteStore::open_read_only(&path).unwrap();
}

#[test]
fn a_newer_format_is_refused() {
    let (_directory, path) = place();
    drop(SqliteStore::open(&path, &options()).unwrap());
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 1000").unwrap();
    let before = fs::read(&path).unwrap();
    for opened in [SqliteStore::open(&path, &options()), SqliteStore::open_read_only(&path)] {
        let error = opened.unwrap_err();
        assert!(matches!(error, OpenError::Newer { found: 1000, .. }), "{error:?}");
        assert!(error.to_string().contains("a newer recrawl is needed"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_damaged_file_is_reported_as_such() {
    let (_directory, path) = place();
    let store = SqliteStore::open(&path, &options()).unwrap();
    open(&store, "a").await;
    for number in 0..300 {
        store.record(&record("a", FIRST, &format!("/{number}")), None).await.unwrap();
    }
    drop(store);
    let whole = fs::read(&path).unwrap();
    let overwrite = |from: usize| {
        let mut bytes = whole.clone();
        bytes[from..].fill(0x5a);
        fs::write(&path, bytes).unwrap();
    };

    overwrite(100);
    for opened in [SqliteStore::open(&path, &options()), SqliteStore::open_read_only(&path)] {
        let error = opened.unwrap_err();
        assert!(matches!(error, OpenError::Damaged(_)), "{error:?}");
    }
    // The schema is whole, the rows are not.
    overwrite(whole.len() - 8 * 4_096);
    let store = SqliteStore::open_read_only(&path).unwrap();
    let error = store.records(&site_id("a"), FIRST.parse().unwrap(), &[], None, 999).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    assert!(error.source().unwrap().to_string().contains("malformed"), "{error:?}");
}

#[tokio::test]
async fn a_store_opened_for_reading_refuses_writes() {
    let (_directory, path) = place();
    open(&SqliteStore::open(&path, &options()).unwrap(), "a").await;
    let store = SqliteStore::open_read_only(&path).unwrap();
    let refused = store.record(&record("a", FIRST, "/"), None).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unavailable(_)), "{refused:?}");
    assert!(refused.source().unwrap().to_string().contains("reading only"), "{refused:?}");
    let refused = store.queue(&[queued("a", FIRST, "/")]).await.unwrap_err();
    assert!(matches!(refused, QueueError::Unavailable(_)), "{refused:?}");
    store.flush().await.unwrap();
}

#[tokio::test]
async fn readers_see_what_a_crawler_wrote_while_it_crawls() {
    let (_directory, path) = place();
    let crawler = SqliteStore::open(&path, &options()).unwrap();
    crawler.lock_for_crawling().unwrap();
    open(&crawler, "a").await;
    let reader = SqliteStore::open_read_only(&path).unwrap();
    for number in 1..5 {
        crawler.record(&record("a", FIRST, &format!("/{number}")), None).await.unwrap();
        let seen = reader.records(&site_id("a"), FIRST.parse().unwrap(), &[], None, 99).await.unwrap();
        assert_eq!(seen.len(), number);
    }
}

#[test]
fn one_crawler_at_a_time() {
    let (_directory, path) = place();
    let first = SqliteStore::open(&path, &options()).unwrap();
    let second = SqliteStore::open(&path, &options()).unwrap();
    first.lock_for_crawling().unwrap();
    first.lock_for_crawling().unwrap();
    let error = second.lock_for_crawling().unwrap_err();
    let expected =
        format!("another recrawl (pid {}) is crawling into {}", std::process::id(), path.display());
    assert_eq!(error.to_string(), expected);
    drop(first);
    second.lock_for_crawling().unwrap();
}

#[tokio::test]
async fn two_processes_can_write_small_things_at_once() {
    let (_directory, path) = place();
    let stores =
        [SqliteStore::open(&path, &options()).unwrap(), SqliteStore::open(&path, &options()).unwrap()];
    for round in 0..50 {
        for (number, store) in stores.iter().enumerate() {
            let memo = StateEntry { saved_at: time(round), value: number.to_string() };
            store.save_state(&StateKey::job(&site_id(&format!("{number}-{round}"))), &memo).await.unwrap();
            store.save_site(&site(&format!("site-{number}-{round}"))).await.unwrap();
        }
    }
    for store in &stores {
        assert_eq!(store.sites().await.unwrap().len(), 100);
    }
}

#[cfg(unix)]
#[test]
fn one_crawls_into_a_file_by_whatever_name_it_is_opened() {
    let (directory, path) = place();
    let elsewhere = directory.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    // Whole in one file, as a crawl leaves it: a log has the name of its database.
    drop(SqliteStore::open(&path, &options()).unwrap());
    let first = SqliteStore::open(&path, &options()).unwrap();
    let links = [elsewhere.join("symbolic.db"), elsewhere.join("hard.db")];
    std::os::unix::fs::symlink(&path, &links[0]).unwrap();
    fs::hard_link(&path, &links[1]).unwrap();
    let roundabout = elsewhere.join("..").join("recrawl.db");
    let names = [&path, &links[0], &links[1], &roundabout];
    first.lock_for_crawling().unwrap();
    assert!(path.with_file_name("recrawl.db.lock").exists(), "it stays where older versions look for it");
    for name in names {
        let error = SqliteStore::open_read_only(name).unwrap().lock_for_crawling().unwrap_err();
        assert!(matches!(error, OpenError::Crawling { .. }), "{}: {error}", name.display());
    }
    drop(first);
    for name in names {
        SqliteStore::open_read_only(name).unwrap().lock_for_crawling().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_hard_link_that_is_made_while_a_crawl_is_going_on_leads_nobody_in() {
    let (directory, path) = place();
    drop(SqliteStore::open(&path, &options()).unwrap());
    let crawler = SqliteStore::open(&path, &options()).unwrap();
    crawler.lock_for_crawling().unwrap();
    let link = directory.path().join("link.db");
    fs::hard_link(&path, &link).unwrap();
    let error = SqliteStore::open_read_only(&link).unwrap().lock_for_crawling().unwrap_err();
    assert!(matches!(error, OpenError::Crawling { .. }), "{error}");
}
