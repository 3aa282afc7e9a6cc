//! The index of words: who writes it, when it is right, and what is searched while it is not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod database;

use std::sync::Arc;

use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::ports::{Found, Retention, Search, SearchedBy, Store};
use recrawl_store_sqlite::{Indexing, SqliteStore, Value, query};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, closed, content, crawl_id, page, record_of, site_id,
};

use self::database::{AT_ONCE, Database};

impl Database {
    /// Makes a store with so many pages, each of which says its number and `tram`.
    async fn with_pages(count: usize) -> Self {
        let database = Self::new().await;
        for number in 0..count {
            database.write(FIRST, &format!("/{number}"), &format!("the tram number{number}")).await;
        }
        database
    }

    async fn write(&self, crawl: &str, path: &str, text: &str) {
        let says = content(text);
        self.store.record(&record_of("a", crawl, path, &says), Some(&says)).await.unwrap();
    }

    async fn close(&self, crawl: &str) {
        let end = Closed { suspicion: None, ..closed(Ending::Partial("stopped".to_owned())) };
        self.store.close_crawl(&site_id("a"), crawl_id(crawl), &end).await.unwrap();
    }

    fn another(&self) -> SqliteStore {
        SqliteStore::open(&self.path, &AT_ONCE).unwrap()
    }

    fn read_only(&self) -> SqliteStore {
        SqliteStore::open_read_only(&self.path).unwrap()
    }

    fn count(&self, table: &str) -> i64 {
        let rows = query(&self.path, &format!("SELECT count(*) FROM {table}")).unwrap().rows;
        let [Value::Integer(count)] = rows[0][..] else { panic!("{rows:?}") };
        count
    }

    /// Fails where words and pages of the index do not fit together.
    fn check_index(&self) {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        connection.execute("INSERT INTO search_word (search_word) VALUES ('integrity-check')", []).unwrap();
        assert_eq!(self.count("search_page"), self.count("search_word_docsize"));
        let lost = "search_page WHERE id NOT IN (SELECT id FROM search_word_docsize)";
        assert_eq!(self.count(lost), 0);
    }
}

async fn find(store: &SqliteStore, query: &str) -> Found {
    store.search(None, query, 1_000).await.unwrap()
}

fn paths(found: &Found) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.url.path()).collect()
}

#[tokio::test]
async fn crawls_write_nothing_into_the_index() {
    let database = Database::with_pages(3).await;
    database.close(FIRST).await;
    assert_eq!([database.count("search_page"), database.count("search_site")], [0, 0]);
    assert_eq!(database.count("search_word_docsize"), 0);
}

#[tokio::test]
async fn the_index_is_made_a_part_at_a_time_and_taken_up_again() {
    let mut database = Database::with_pages(150).await;
    for (limit, indexed) in [(0, 0), (70, 70), (30, 100)] {
        let indexing = database.store.index_for_search(None, limit).await.unwrap();
        assert_eq!(indexing, Indexing { indexed, waiting: 150 - indexed });
        database.store = database.another();
    }
    let site = site_id("a");
    let indexing = database.store.index_for_search(Some(&site), usize::MAX).await.unwrap();
    assert_eq!(indexing, Indexing { indexed: 150, waiting: 0 });
    assert_eq!(paths(&find(&database.store, "number149").await), ["/149"]);
    database.check_index();
}

#[tokio::test]
async fn an_index_that_is_right_is_not_written_again() {
    let database = Database::with_pages(3).await;
    find(&database.store, "tram").await;
    let state = || query(&database.path, "SELECT * FROM search_site").unwrap();
    let before = state();
    find(&database.store, "tram").await;
    assert_eq!(state(), before);
    database.write(SECOND, "/0", "the bus").await;
    find(&database.store, "tram").await;
    assert_ne!(state(), before);
}

#[tokio::test]
async fn only_what_changed_is_written_anew() {
    let database = Database::with_pages(5).await;
    find(&database.store, "tram").await;
    let rows = |found: &str| query(&database.path, found).unwrap().rows;
    let before = rows("SELECT id, page FROM search_page ORDER BY page");
    for number in 1..5 {
        database.write(SECOND, &format!("/{number}"), &format!("the tram number{number}")).await;
    }
    database.write(SECOND, "/0", "the bus").await;
    assert_eq!(find(&database.store, "tram").await.hits.len(), 4);
    let after = rows("SELECT id, page FROM search_page ORDER BY page");
    assert_eq!(before[1..], after[1..]);
    assert_ne!(before[0], after[0]);
    database.check_index();
}

#[tokio::test]
async fn a_reader_searches_the_index_as_it_is_and_tells_what_waits() {
    let database = Database::with_pages(2).await;
    database.store.index_for_search(None, usize::MAX).await.unwrap();
    database.write(SECOND, "/1", "the bus").await;
    database.write(SECOND, "/tram-2", "the boat").await;
    let reader = database.read_only();
    let found = find(&reader, "tram").await;
    assert_eq!(found.by, SearchedBy::TextAndAddress { indexed: 1, waiting: 2 });
    assert_eq!(paths(&found), ["/0", "/tram-2"], "the text of one, the address of the other");
    assert_eq!(paths(&find(&reader, "bus").await), [""; 0], "that text is not in the index yet");
    assert_eq!(paths(&find(&reader, "/tram").await), ["/tram-2"], "a path is looked for in addresses alone");
    assert_eq!(find(&reader, "\"a title\"").await.hits.len(), 3, "titles are known without the index");
    assert!(reader.index_for_search(None, 1).await.is_err());
    drop(reader);
    assert_eq!(paths(&find(&database.store, "bus").await), ["/1"]);
    assert_eq!(paths(&find(&database.read_only(), "bus").await), ["/1"]);
}

#[tokio::test]
async fn a_reader_of_an_index_that_was_never_made_compares_titles_and_addresses() {
    let database = Database::with_pages(3).await;
    let found = find(&database.read_only(), "title 2").await;
    assert_eq!(found.by, SearchedBy::TextAndAddress { indexed: 0, waiting: 3 });
    assert_eq!(paths(&found), ["/2"]);
}

#[tokio::test]
async fn what_was_deleted_is_not_found() {
    let database = Database::with_pages(4).await;
    // The one that is deleted is not the newest visit of its crawl, by which a change is usually seen.
    database.write(SECOND, "/0", "the bus").await;
    database.write(SECOND, "/1", "the tram number1").await;
    assert_eq!(find(&database.store, "tram").await.hits.len(), 3);
    for crawl in [FIRST, SECOND] {
        database.close(crawl).await;
    }
    find(&database.store, "tram").await;
    let site = site_id("a");
    database.store.delete_records(&site, crawl_id(SECOND), &[page("/0")]).await.unwrap();
    assert_eq!(find(&database.store, "tram").await.hits.len(), 4, "what the page said before is known again");
    assert_eq!(paths(&find(&database.store, "bus").await), [""; 0]);
    for crawl in [FIRST, SECOND] {
        while !database.store.delete_crawl(&site, crawl_id(crawl), 3).await.unwrap().finished {}
    }
    let reader = database.read_only();
    assert_eq!(
        paths(&find(&reader, "tram").await),
        [""; 0],
        "also where the index was not brought up to date"
    );
    drop(reader);
    assert_eq!(paths(&find(&database.store, "tram").await), [""; 0]);
    assert_eq!(database.count("search_page"), 0);
    database.store.reclaim().await.unwrap();
    database.check_index();
}

#[tokio::test]
async fn the_index_survives_reclaiming() {
    let database = Database::with_pages(5).await;
    find(&database.store, "tram").await;
    database.close(FIRST).await;
    let pages = ["/1", "/3"].map(page);
    database.store.delete_records(&site_id("a"), crawl_id(FIRST), &pages).await.unwrap();
    database.store.reclaim().await.unwrap();
    for path in ["/0", "/2", "/4"] {
        let number = path.replace('/', "number");
        assert_eq!(paths(&find(&database.read_only(), &number).await), [path]);
    }
    assert_eq!(find(&database.store, "tram").await.hits.len(), 3);
    database.check_index();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_processes_may_make_the_index_at_once() {
    let database = Database::with_pages(300).await;
    let stores: Vec<Arc<SqliteStore>> = (0..3).map(|_| Arc::new(database.another())).collect();
    let mut tasks = Vec::new();
    for store in &stores {
        for _ in 0..2 {
            let store = Arc::clone(store);
            tasks.push(tokio::spawn(async move { store.index_for_search(None, usize::MAX).await.unwrap() }));
        }
    }
    for number in 0..50 {
        database.write(SECOND, &format!("/{number}"), &format!("the bus number{number}")).await;
    }
    for task in tasks {
        task.await.unwrap();
    }
    let found = find(&database.store, "tram").await;
    assert_eq!(found.by, SearchedBy::TextAndAddress { indexed: 300, waiting: 0 });
    assert_eq!(found.hits.len(), 250);
    assert_eq!(find(&database.store, "bus").await.hits.len(), 50);
    assert_eq!(database.count("search_page"), 300);
    database.check_index();
}

#[tokio::test]
async fn long_texts_are_searched_and_shown_in_brief() {
    let database = Database::new().await;
    let long = format!("{} needle {}", "straw ".repeat(100_000), "straw ".repeat(100_000));
    database.write(FIRST, "/stack", &long).await;
    let found = find(&database.store, "needle").await;
    let excerpt: String = found.hits[0].excerpt.iter().map(|piece| piece.text.as_str()).collect();
    assert!(excerpt.contains("straw needle straw") && excerpt.len() < 300, "{excerpt}");
}
