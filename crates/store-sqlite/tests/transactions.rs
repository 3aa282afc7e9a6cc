//! A transaction that fails is told to everyone in it, and loses nothing that was accepted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod database;

use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use recrawl_core::decide::told_singly;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{ContentHash, EventId};
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{
    Announcement, AnnouncementDetails, Announcer, Contents, Frontier, PullFrontier, QueueError, Recorded,
    Store, StoreError,
};
use recrawl_engine::announce;
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, content, crawl_id, links_of, page, queued, record, record_of, site_id, without_body,
};

use self::database::Database;

impl Database {
    /// Makes every insert into a table fail.
    fn break_table(&self, table: &str) {
        self.execute(&format!("CREATE TRIGGER broken BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END"));
    }

    fn mend(&self) {
        self.execute("DROP TRIGGER broken");
    }

    fn execute(&self, sql: &str) {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        connection.execute_batch(sql).unwrap();
    }
}

fn assert_broken(error: &StoreError) {
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(error.source().unwrap().to_string().contains("broken on purpose"), "{error:?}");
}

#[tokio::test]
async fn a_record_that_fails_can_be_written_again() {
    let database = Database::new().await;
    let store = &database.store;
    let says = content("text");
    let record = record_of("a", FIRST, "/x", &says);
    database.break_table("body");
    assert_broken(&store.record(&record, Some(&says)).await.unwrap_err());
    let seen = store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap();
    assert_eq!(seen, [], "there is no record without its content");
    database.mend();
    assert_eq!(store.record(&record, Some(&says)).await.unwrap(), Recorded::First);
    assert_eq!(
        store.latest_before(&site_id("a"), crawl_id(SECOND), &page("/x")).await.unwrap(),
        Some(record)
    );
    assert_eq!(links_of(store, "a", &says.hash).await, Some(says.extracted.links));
}

#[tokio::test]
async fn a_content_that_was_taken_for_a_new_one_gains_what_it_lacks() {
    let database = Database::new().await;
    let store = &database.store;
    store.record(&record("a", FIRST, "/0"), None).await.unwrap();
    let first = content("text");
    // The look-up for this one begins the view in which the next one is looked up, too.
    store.record(&record_of("a", FIRST, "/1", &first), Some(&without_body(&first))).await.unwrap();
    let mut second = first.clone();
    second.extracted.semantic = content("another meaning").extracted.semantic;
    second.extracted.text = "another meaning".to_owned();
    store.record(&record_of("a", FIRST, "/2", &second), Some(&second)).await.unwrap();
    for written in [&first, &second] {
        let text = store.text(&site_id("a"), &written.extracted.semantic).await.unwrap();
        assert_eq!(text.as_ref(), Some(&written.extracted.text));
    }
    assert_eq!(store.body(&site_id("a"), &first.reference()).await.unwrap(), first.body);
}

#[tokio::test]
async fn a_page_that_could_not_be_queued_fails_the_next_record_and_is_not_lost() {
    let database = Database::new().await;
    let store = &database.store;
    database.break_table("frontier");
    store.queue(&[queued("a", FIRST, "/x")]).await.unwrap();
    // Whether or not the record shares the transaction, it must not survive without the queued page.
    tokio::time::sleep(Duration::from_millis(50)).await;
    for _ in 0..2 {
        assert_broken(&store.record(&record("a", FIRST, "/"), None).await.unwrap_err());
    }
    let refused = store.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap_err();
    assert!(matches!(refused, QueueError::Unavailable(_)), "{refused:?}");
    assert!(store.flush().await.is_err());
    database.mend();
    assert_eq!(store.record(&record("a", FIRST, "/"), None).await.unwrap(), Recorded::First);
    assert_eq!(store.take(&site_id("a"), crawl_id(FIRST), 9).await.unwrap(), [queued("a", FIRST, "/x")]);
}

#[tokio::test]
async fn what_was_announced_and_queued_is_seen_by_others() {
    let database = Database::new().await;
    let store = &database.store;
    let (crawl, page) = (crawl_id(FIRST), page("/x"));
    let announcement = Announcement {
        id: EventId::new(crawl, &page),
        site: site_id("a"),
        crawl,
        page,
        change: Change::Add,
        aspects: Aspects::NONE,
        diff: None,
        details: AnnouncementDetails::default(),
    };
    store.announce(std::slice::from_ref(&announcement)).await.unwrap();
    // Another process sees it as soon as the call has returned, and what was queued with the next record.
    let other = SqliteStore::open_read_only(&database.path).unwrap();
    assert_eq!(other.announcements().await.unwrap(), [announcement]);
    store.queue(&[queued("a", FIRST, "/y")]).await.unwrap();
    store.record(&record("a", FIRST, "/x"), None).await.unwrap();
    assert_eq!(other.waiting(&site_id("a"), crawl).await.unwrap(), 1);
}

#[tokio::test]
async fn what_a_crawl_recorded_is_announced_once_and_as_if_it_were_handed_over() {
    let database = Database::new().await;
    let store = &database.store;
    for (number, verdict) in Verdict::ALL.into_iter().enumerate() {
        let mut seen = record("a", FIRST, &format!("/{number}"));
        seen.visit.verdict = verdict;
        seen.visit.aspects = if verdict == Verdict::Changed { Aspects::TEXT } else { Aspects::NONE };
        store.record(&seen, None).await.unwrap();
    }
    store.record(&record("a", SECOND, "/of-another-crawl"), None).await.unwrap();
    let (site, crawl) = (site_id("a"), crawl_id(FIRST));
    for _ in 0..2 {
        let told = store.announce_recorded(&site, crawl, told_singly(true)).await.unwrap();
        assert_eq!(told, Some(3), "what is new to a first crawl is not told one by one");
    }
    let handed_over = Heard::default();
    assert_eq!(announce(store, &handed_over, &site, crawl, None).await.unwrap(), 3);
    assert_eq!(store.announcements().await.unwrap(), handed_over.0.into_inner().unwrap());
}

/// Hears what is announced, and keeps no records.
#[derive(Default)]
struct Heard(Mutex<Vec<Announcement>>);

#[async_trait::async_trait]
impl Announcer for Heard {
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError> {
        self.0.lock().unwrap().extend_from_slice(announcements);
        Ok(())
    }
}

#[tokio::test]
async fn what_waits_is_written_when_the_store_is_dropped() {
    let database = Database::new().await;
    let Database { store, path, _directory } = database;
    let pages: Vec<_> = (0..2_000).map(|number| queued("a", FIRST, &format!("/{number}"))).collect();
    for chunk in pages.chunks(10) {
        store.queue(chunk).await.unwrap();
    }
    drop(store);
    let store = SqliteStore::open(&path, &Options::default()).unwrap();
    assert_eq!(store.take(&site_id("a"), crawl_id(FIRST), 9_999).await.unwrap(), pages);
}

#[tokio::test]
async fn pages_that_a_closed_crawl_left_waiting_go_when_the_next_is_opened() {
    use recrawl_core::model::crawl::Ending;
    use recrawl_testkit::contract::samples::{closed, crawl};

    let database = Database::new().await;
    let store = &database.store;
    store.queue(&[queued("a", FIRST, "/x"), queued("a", SECOND, "/x")]).await.unwrap();
    let end = closed(Ending::Partial("stopped".to_owned()));
    store.close_crawl(&site_id("a"), crawl_id(FIRST), &end).await.unwrap();
    assert_eq!(store.waiting(&site_id("a"), crawl_id(FIRST)).await.unwrap(), 1);
    store.open_crawl(&crawl("a", "crawl-2027-01-01")).await.unwrap();
    assert_eq!(store.waiting(&site_id("a"), crawl_id(FIRST)).await.unwrap(), 0);
    assert_eq!(store.waiting(&site_id("a"), crawl_id(SECOND)).await.unwrap(), 1);
}

#[tokio::test]
async fn the_log_is_folded_into_the_file_while_much_is_written() {
    let database = Database::new().await;
    let mut random = 1_u64;
    for number in 0..80 {
        let mut says = content(&format!("text {number}"));
        let mut body = Vec::with_capacity(1 << 20);
        while body.len() < 1 << 20 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            body.extend_from_slice(&random.rotate_left(32).to_le_bytes());
        }
        (says.hash, says.size, says.body) = (ContentHash::of(&body), body.len() as u64, Some(body));
        let record = record_of("a", FIRST, &format!("/{number}"), &says);
        database.store.record(&record, Some(&says)).await.unwrap();
    }
    let length = |path: &Path| std::fs::metadata(path).unwrap().len();
    let log = length(&database.path.with_extension("db-wal"));
    assert!(log < 40 << 20, "{log} bytes are in the log");
    assert!(length(&database.path) > 40 << 20, "what is not there any more must be in the file");
}
