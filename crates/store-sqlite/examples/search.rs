//! Measures the index and searches of it: `cargo run --profile dist -p recrawl-store-sqlite --example search [PAGES]`.
//!
//! Pages are of 55 kB, with 8 kB of text made of words as rare and as common as those of a language.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example shows figures, or why there are none"
)]

use std::fs;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::model::content::{Content, Directives, Extracted};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{
    Check, ContentRef, Found, FoundBy, Headers, PageRecord, PageState, Presence, Visit,
};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Search, Store};
use recrawl_core::url::PageUrl;
use recrawl_store_sqlite::{Options, SqliteStore};

const TEXT_BYTES: usize = 8_000;
const BODY_BYTES: usize = 55_000;
const VOCABULARY: u64 = 30_000;
const SEARCHES: usize = 200;

#[tokio::main]
async fn main() {
    let pages: u64 = std::env::args().nth(1).map_or(3_500, |count| count.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    let store = SqliteStore::open(&path, &Options { linger: Duration::ZERO }).unwrap();
    fill(&store, pages).await;
    let size = || {
        fs::metadata(&path).unwrap().len()
            + fs::metadata(path.with_extension("db-wal")).map_or(0, |log| log.len())
    };
    let before = size();

    let began = Instant::now();
    let indexing = store.index_for_search(None, usize::MAX).await.unwrap();
    let took = began.elapsed();
    assert_eq!((indexing.indexed, indexing.waiting), (pages, 0));
    drop(store);
    let store = SqliteStore::open(&path, &Options { linger: Duration::ZERO }).unwrap();
    println!("index of {pages} pages: {took:.2?}; the file grew from {before} to {} bytes", size());

    let began = Instant::now();
    store.index_for_search(None, usize::MAX).await.unwrap();
    println!("nothing to do: {:.2?}", began.elapsed());

    for query in ["wka", "wka wkb", "\"wka wkb\"", "w", "wzzz -wka", "page/77", "zeppelin"] {
        let mut times = Vec::new();
        let mut hits = 0;
        for _ in 0..SEARCHES {
            let began = Instant::now();
            hits = store.search(None, query, 50).await.unwrap().hits.len();
            times.push(began.elapsed());
        }
        times.sort_unstable();
        println!("{query:12} {hits:3} hits, median {:.2?}", times[SEARCHES / 2]);
    }
}

async fn fill(store: &SqliteStore, pages: u64) {
    let now = Timestamp::UNIX_EPOCH;
    let root: PageUrl = "https://example.org/".parse().unwrap();
    let site =
        Site { id: "example".parse().unwrap(), root, scope: ScopeSettings::default(), created_at: now };
    let crawl = Crawl::new(site.id.clone(), "crawl-2026-11-16".parse().unwrap(), now);
    store.save_site(&site).await.unwrap();
    store.open_crawl(&crawl).await.unwrap();
    let mut random = Random(1);
    for number in 0..pages {
        let content = content(&mut random, number);
        store.record(&record(&crawl, number, content.reference()), Some(&content)).await.unwrap();
    }
}

fn content(random: &mut Random, number: u64) -> Content {
    let mut text = String::with_capacity(TEXT_BYTES + 20);
    while text.len() < TEXT_BYTES {
        text.push_str(&random.word());
        text.push(if random.below(12) == 0 { '\n' } else { ' ' });
    }
    let mut body = format!("<title>{number}</title><p>{text}");
    while body.len() < BODY_BYTES {
        body.push_str("<div class=\"view-content\"><a href=\"/page/");
        body.push_str(&random.below(3_500).to_string());
        body.push_str("\">more</a></div>\n");
    }
    Content {
        hash: ContentHash::of(body.as_bytes()),
        size: body.len() as u64,
        media_type: "text/html".to_owned(),
        extracted: Extracted {
            semantic: SemanticHash::of(text.as_bytes()),
            rules: RulesVersion("1".to_owned()),
            signatures: None,
            title: Some(format!("Page {} {}", random.word(), random.word())),
            language: None,
            canonical: None,
            links: Vec::new(),
            text,
            outline: None,
            directives: Directives::default(),
            block_page: None,
            needs_scripts: false,
            breaks_off: false,
            cut: None,
            document: None,
        },
        body: Some(body.into_bytes()),
    }
}

fn record(crawl: &Crawl, number: u64, content: ContentRef) -> PageRecord {
    let at = crawl.opened_at;
    PageRecord {
        site: crawl.site.clone(),
        crawl: crawl.id,
        url: format!("https://example.org/page/{number}").parse().unwrap(),
        found: Found { by: FoundBy::Link, depth: 1, referrer: None },
        visit: Visit {
            verdict: Verdict::New,
            aspects: recrawl_core::model::aspect::Aspects::NONE,
            tier: None,
            weight: 0,
            words: WordCount::default(),
            kinds: Kinds::default(),
            edits: None,
            status: Some(200),
            not_modified: false,
            check: Check::None,
            reason: None,
            fetched_at: at,
            fetch_ms: 1,
            requests: 1,
            received_bytes: 1,
            saved_bytes: 0,
            truncated: false,
        },
        known: PageState {
            presence: Presence::Present,
            headers: Headers::default(),
            content: Some(content),
            transfer_bytes: 1,
            first_seen: at,
            last_changed: None,
            last_seen: at,
            fresh_until: None,
            changes_detected: 0,
            observations: 0,
            mean_interval: 7.0,
            change_frequency: 0.0,
            memory: None,
        },
        archive: None,
    }
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Returns a word; the first of the vocabulary are the most common.
    fn word(&mut self) -> String {
        let bound = 1 + self.below(VOCABULARY);
        let bound = 1 + self.below(bound);
        let mut rank = self.below(bound);
        let mut word = "w".to_owned();
        loop {
            word.push(char::from(b'a' + u8::try_from(rank % 26).unwrap_or_default()));
            rank /= 26;
            if rank == 0 {
                return word;
            }
        }
    }
}
