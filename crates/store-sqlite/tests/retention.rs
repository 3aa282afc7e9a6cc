//! Deleting crawls: what nothing names goes with them, and nothing else.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod database;

use std::time::Duration;

use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::{EventId, RulesVersion};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Change;
use recrawl_core::ports::{
    Announcement, AnnouncementDetails, Announcer, Contents, Deletion, Frontier, History, PullFrontier,
    Retention, Store, StoreError,
};
use recrawl_store_sqlite::{SqliteStore, Value, query};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, bare_record, closed, content, crawl_id, links_of, open, page, queued, record, record_of,
    site_id, without_body,
};

use self::database::{AT_ONCE, Database};

impl Database {
    async fn close(&self, crawl: &str) {
        let end = closed(Ending::Partial("stopped".to_owned()));
        self.store.close_crawl(&site_id("a"), crawl_id(crawl), &end).await.unwrap();
    }

    async fn delete(&self, limit: u64) -> Result<Deletion, StoreError> {
        self.store.delete_crawl(&site_id("a"), crawl_id(FIRST), limit).await
    }

    async fn write(&self, record: PageRecord, content: &Content) {
        self.store.record(&record, Some(content)).await.unwrap();
    }

    fn count(&self, table: &str) -> i64 {
        let rows = query(&self.path, &format!("SELECT count(*) FROM {table}")).unwrap().rows;
        let [Value::Integer(count)] = rows[0][..] else { panic!("{rows:?}") };
        count
    }

    fn addresses(&self) -> Vec<String> {
        let rows = query(&self.path, "SELECT url FROM url ORDER BY url").unwrap().rows;
        let text = |row: &Vec<Value>| match &row[0] {
            Value::Text(text) => text.replace("https://example.org", ""),
            other => panic!("{other:?}"),
        };
        rows.iter().map(text).collect()
    }

    fn execute(&self, sql: &str) {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        connection.execute_batch(sql).unwrap();
    }
}

/// Returns a content with one link and rules of its own.
fn linking(text: &str, target: &str) -> Content {
    let mut content = content(text);
    content.extracted.links = vec![page(target)];
    content.extracted.canonical = None;
    content.extracted.rules = RulesVersion(format!("rules of {text}"));
    content
}

#[tokio::test]
async fn what_nothing_names_any_more_goes() {
    let database = Database::new().await;
    let (old, new) = (linking("old", "/old-link"), linking("new", "/new-link"));
    database.write(record_of("a", FIRST, "/x", &old), &without_body(&old)).await;
    database.write(record_of("a", SECOND, "/x", &new), &without_body(&new)).await;
    let (crawl, gone) = (crawl_id(FIRST), page("/gone"));
    database.store.record(&record("a", FIRST, "/gone"), None).await.unwrap();
    let announcement = Announcement {
        id: EventId::new(crawl, &gone),
        site: site_id("a"),
        crawl,
        page: gone,
        change: Change::Delete,
        aspects: recrawl_core::model::aspect::Aspects::NONE,
        diff: None,
        details: AnnouncementDetails::default(),
    };
    database.store.announce(&[announcement]).await.unwrap();
    database.store.queue(&[queued("a", FIRST, "/left"), queued("a", SECOND, "/waits")]).await.unwrap();
    database.store.flush().await.unwrap();
    database.close(FIRST).await;
    assert_eq!(database.addresses(), ["/", "/gone", "/left", "/new-link", "/old-link", "/waits", "/x"]);
    assert_eq!((database.count("text"), database.count("word")), (2, 3));

    let deletion = database.delete(1_000).await.unwrap();
    assert_eq!(deletion, Deletion { deleted: 3, finished: true }, "two records and a content");
    assert_eq!(database.addresses(), ["/", "/new-link", "/waits", "/x"]);
    let counts = ["visit", "content", "text", "word", "frontier", "announcement", "archive_request"]
        .map(|table| database.count(table));
    assert_eq!(counts, [1, 1, 1, 2, 1, 0, 1]);
    assert_eq!(database.store.content(&site_id("a"), &new.hash).await.unwrap(), Some(without_body(&new)));
    assert_eq!(database.store.text(&site_id("a"), &old.extracted.semantic).await.unwrap(), None);
    assert_eq!(database.store.waiting(&site_id("a"), crawl_id(SECOND)).await.unwrap(), 1);
}

#[tokio::test]
async fn a_body_stays_while_it_stands_in_for_another_content() {
    let database = Database::new().await;
    let first = content("the same meaning");
    let mut touched = without_body(&content("other bytes"));
    touched.extracted.semantic = first.extracted.semantic;
    touched.extracted.text.clone_from(&first.extracted.text);
    database.write(record_of("a", FIRST, "/", &first), &first).await;
    database.write(record_of("a", SECOND, "/", &touched), &touched).await;
    database.close(FIRST).await;
    assert!(database.delete(1_000).await.unwrap().finished);
    assert_eq!(database.store.body(&site_id("a"), &touched.reference()).await.unwrap(), first.body);
    let text = database.store.text(&site_id("a"), &touched.extracted.semantic).await.unwrap();
    assert_eq!(text, Some(first.extracted.text));
}

#[tokio::test]
async fn a_deletion_that_was_cut_short_is_finished_by_the_next() {
    let database = Database::new().await;
    for number in 0..5 {
        let says = linking(&format!("old {number}"), &format!("/link/{number}"));
        database.write(record_of("a", FIRST, &format!("/{number}"), &says), &says).await;
    }
    let kept = linking("kept", "/kept-link");
    database.write(record_of("a", SECOND, "/1", &kept), &kept).await;
    database.close(FIRST).await;
    for table in ["visit", "content", "url", "crawl"] {
        database.execute(&format!(
            "CREATE TRIGGER broken BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END"
        ));
        let broken = database.delete(1_000).await.unwrap_err();
        assert!(matches!(broken, StoreError::Unavailable(_)), "{table}: {broken:?}");
        let crawls = database.store.crawls(&site_id("a")).await.unwrap();
        assert_eq!(crawls[0].id, crawl_id(FIRST), "the crawl goes last");
        database.execute("DROP TRIGGER broken");
    }
    let deletion = database.delete(1_000).await.unwrap();
    assert_eq!(deletion, Deletion { deleted: 0, finished: true }, "all but the crawl was deleted before");
    assert_eq!(database.store.crawls(&site_id("a")).await.unwrap()[0].id, crawl_id(SECOND));
    assert_eq!(database.addresses(), ["/", "/1", "/kept-link"]);
    assert_eq!(database.store.content(&site_id("a"), &kept.hash).await.unwrap(), Some(kept));
}

#[tokio::test]
async fn records_and_contents_count_towards_the_limit() {
    let database = Database::new().await;
    for number in 0..4 {
        let says = linking(&number.to_string(), "/link");
        database.write(record_of("a", FIRST, &format!("/{number}"), &says), &says).await;
    }
    database.close(FIRST).await;
    let mut calls = Vec::new();
    loop {
        let deletion = database.delete(3).await.unwrap();
        calls.push(deletion.deleted);
        if deletion.finished {
            break;
        }
    }
    assert_eq!(calls, [3, 3, 2]);
}

#[tokio::test]
async fn a_page_whose_address_was_deleted_can_be_recorded_again() {
    for by_another_process in [false, true] {
        let database = Database::new().await;
        let says = linking("old", "/link");
        database.write(record_of("a", FIRST, "/x", &says), &says).await;
        // The last address stays, so that its number is not used again.
        database.store.record(&bare_record("a", SECOND, "/last"), None).await.unwrap();
        database.close(FIRST).await;
        if by_another_process {
            let other = SqliteStore::open(&database.path, &AT_ONCE).unwrap();
            other.delete_crawl(&site_id("a"), crawl_id(FIRST), 1_000).await.unwrap();
        } else {
            database.delete(1_000).await.unwrap();
        }
        assert_eq!(database.addresses(), ["/last"]);
        let again = record_of("a", SECOND, "/x", &says);
        database.write(again.clone(), &says).await;
        assert_eq!(database.store.page(&again.site, again.crawl, &again.url).await.unwrap(), Some(again));
        assert_eq!(links_of(&database.store, "a", &says.hash).await, Some(vec![page("/link")]));
    }
}

#[tokio::test]
async fn a_deleted_crawl_can_be_opened_again() {
    let database = Database::new().await;
    database.store.queue(&[queued("a", FIRST, "/x")]).await.unwrap();
    database.store.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap();
    database.close(FIRST).await;
    database.delete(1_000).await.unwrap();
    let refused = database.store.record(&record("a", FIRST, "/x"), None).await.unwrap_err();
    assert!(matches!(refused, StoreError::Absent(_)), "{refused:?}");
    open(&database.store, "a").await;
    database.store.record(&record("a", FIRST, "/x"), None).await.unwrap();
    database.store.queue(&[queued("a", FIRST, "/y")]).await.unwrap();
    let taken = database.store.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap();
    assert_eq!(taken, [queued("a", FIRST, "/y")]);
}

#[tokio::test]
async fn what_was_deleted_can_be_given_back() {
    let database = Database::new().await;
    let mut noise = 1_u64;
    let mut word = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{noise:x} ")
    };
    for number in 0..50 {
        let says = content(&(0..1_000).map(|_| word()).collect::<String>());
        database.write(record_of("a", FIRST, &format!("/{number}"), &says), &says).await;
    }
    let kept = content("kept");
    database.write(record_of("a", SECOND, "/kept", &kept), &kept).await;
    database.close(FIRST).await;
    let whole = database.store.size().await.unwrap().unwrap();
    assert!(whole > 200_000, "{whole}");
    database.delete(1_000).await.unwrap();
    assert!(database.store.size().await.unwrap().unwrap() < whole / 2);
    database.store.reclaim().await.unwrap();
    assert!(database.path.metadata().unwrap().len() < whole / 2);
    assert_eq!(database.store.content(&site_id("a"), &kept.hash).await.unwrap(), Some(kept));
    database.store.record(&record("a", SECOND, "/after"), None).await.unwrap();
}
