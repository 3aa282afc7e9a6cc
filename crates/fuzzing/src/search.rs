//! Queries: every text is one, and stores find the same pages by it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::time::Duration;

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::content::Content;
use recrawl_core::ports::{Found, Search, Store};
use recrawl_core::search::{Query, address_prefix, excerpt, for_each_word, marked, word_list};
use recrawl_store_sqlite::{Options, SqliteStore};
use recrawl_testkit::contract::samples::{FIRST, closed, content, crawl_id, open, page, record_of, site_id};
use tempfile::TempDir;

use crate::first_line;

/// What the pages say that are searched.
const TEXTS: [(&str, &str); 8] = [
    ("/", "The old bridge is closed until the new one opens."),
    ("/news/bridge-closed", "Bridge closed: re-opened 24/7, the tram goes on"),
    ("/stra%C3%9Fe", "Straße nach Köln, Überführung Nr. 7"),
    ("/ja", "東京タワー tower 한국어"),
    ("/a/b?page=2", "a b c a b a"),
    ("/near", "NEAR AND OR NOT title:x ^y {z} 'quoted' \"twice\""),
    ("/empty", ""),
    ("/plan.pdf", "e\u{301}té ΠΌΛΗ हिन्दी Việt Nam"),
];

thread_local! {
    /// The stores are filled once, because searching takes far less time than writing.
    static STORES: OnceCell<Stores> = const { OnceCell::new() };
}

struct Stores {
    memory: MemoryStore,
    sqlite: SqliteStore,
    _folder: TempDir,
}

/// Reads the first line as a query, and the rest as a text in which it is looked for.
pub fn search_pages(data: &[u8]) {
    let (line, rest) = first_line(data);
    let (text, searched) = (String::from_utf8_lossy(line), String::from_utf8_lossy(rest));
    let query = Query::read(&text);
    let pieces = marked(&searched, &query);
    assert_eq!(pieces.iter().map(|piece| &*piece.text).collect::<String>(), searched);
    let shown: usize = excerpt(&searched, &query).iter().map(|piece| piece.text.len()).sum();
    assert!(shown <= 400, "an excerpt of {shown} bytes");
    let mut end = 0;
    for_each_word(&searched, |place, word| {
        assert!(end <= place.start && place.start < place.end && !word.is_empty());
        end = place.end;
    });
    let words = word_list(&searched);
    assert!(!words.contains("  ") && words.trim() == words);
    let _ = address_prefix(&page("/town"), &text);
    STORES.with(|stores| {
        let Stores { memory, sqlite, .. } = stores.get_or_init(Stores::new);
        let (expected, found) = block_on(async { (find(memory, &text).await, find(sqlite, &text).await) });
        assert_eq!(found, expected, "{text:?}");
    });
}

impl Stores {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a small file");
        let options = Options { linger: Duration::ZERO };
        let sqlite = SqliteStore::open(folder.path().join("recrawl.db"), &options).expect("it is new");
        let memory = MemoryStore::default();
        block_on(async {
            fill(&memory).await;
            fill(&sqlite).await;
        });
        Self { memory, sqlite, _folder: folder }
    }
}

async fn fill(store: &impl Store) {
    open(store, "a").await;
    for (path, text) in TEXTS {
        let says: Content = content(text);
        store.record(&record_of("a", FIRST, path, &says), Some(&says)).await.expect("it can be written");
    }
    let end = closed(recrawl_core::model::crawl::Ending::Complete);
    store.close_crawl(&site_id("a"), crawl_id(FIRST), &end).await.expect("it can be closed");
}

async fn find(store: &impl Search, query: &str) -> BTreeSet<String> {
    let Found { hits, .. } = store.search(None, query, 100).await.expect("every text is a query");
    hits.into_iter().map(|hit| hit.url.to_string()).collect()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a thread can be had").block_on(future)
}
