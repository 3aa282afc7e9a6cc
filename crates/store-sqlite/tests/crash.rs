//! Kills a crawling process at random moments: everything that it was told is written is there.
//!
//! Not run by the usual harness: the program starts itself as the process to be killed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "the child tells its parent what was acknowledged")]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use recrawl_core::ports::{Frontier, History, PullFrontier, QueuedPage, Store};
use recrawl_core::url::PageUrl;
use recrawl_store_sqlite::{Options, SqliteStore, Value, query};
use recrawl_testkit::contract::samples::{FIRST, content, crawl_id, open, page, queued, record_of, site_id};

const DATABASE: &str = "RECRAWL_CRASH_DATABASE";
const ROUNDS: u64 = 12;
/// Pages that each page links to.
const FAN: usize = 3;

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    match std::env::var_os(DATABASE) {
        Some(path) => runtime.block_on(crawl(Path::new(&path))),
        None => runtime.block_on(kill_and_check()),
    }
}

/// Returns the pages that page `number` links to.
fn children(number: usize) -> Vec<QueuedPage> {
    (1..=FAN).map(|child| queued("a", FIRST, &format!("/{}", number * FAN + child))).collect()
}

fn number_of(url: &PageUrl) -> usize {
    url.path().trim_start_matches('/').parse().unwrap()
}

/// Visits pages without end, and names each on a line once it is recorded.
async fn crawl(path: &Path) {
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    store.lock_for_crawling().unwrap();
    let (site, crawl) = (site_id("a"), crawl_id(FIRST));
    loop {
        let taken = store.take(&site, crawl, 16).await.unwrap();
        let visits = taken.iter().map(|page| visit(&store, page));
        join_all(visits.collect()).await;
    }
}

async fn visit(store: &SqliteStore, taken: &QueuedPage) {
    let number = number_of(&taken.url);
    store.queue(&children(number)).await.unwrap();
    let content = content(&format!("text of {number} ").repeat(50));
    let record = record_of("a", FIRST, taken.url.path(), &content);
    store.record(&record, Some(&content)).await.unwrap();
    let mut output = std::io::stdout().lock();
    writeln!(output, "{number}").unwrap();
    output.flush().unwrap();
}

async fn join_all(futures: Vec<impl Future<Output = ()>>) {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    std::future::poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

async fn kill_and_check() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    let store = SqliteStore::open(&path, &Options::default()).unwrap();
    open(&store, "a").await;
    store.queue(&[queued("a", FIRST, "/0")]).await.unwrap();
    drop(store);
    let mut acknowledged: HashSet<usize> = HashSet::new();
    for round in 0..ROUNDS {
        let before = acknowledged.len();
        for number in run_and_kill(&path, random_wait(round)) {
            assert!(acknowledged.insert(number), "page {number} is recorded twice");
        }
        check(&path, &acknowledged).await;
        println!("round {round}: {} pages acknowledged", acknowledged.len() - before);
    }
    println!("test result: ok. {} pages survived {ROUNDS} kills", acknowledged.len());
}

fn run_and_kill(path: &Path, wait: Duration) -> Vec<usize> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(DATABASE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The clock starts when the child works, so that every round kills it at work.
    let first = lines.next().unwrap().unwrap();
    let reader = thread::spawn(move || {
        lines.map_while(Result::ok).filter_map(|line| line.parse().ok()).collect::<Vec<usize>>()
    });
    thread::sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut numbers = vec![first.parse().unwrap()];
    numbers.extend(reader.join().unwrap());
    numbers
}

fn random_wait(round: u64) -> Duration {
    use std::hash::{BuildHasher, RandomState};

    Duration::from_millis(RandomState::new().hash_one(round) % 250 + 20)
}

async fn check(path: &Path, acknowledged: &HashSet<usize>) {
    let healthy = query(path, "PRAGMA integrity_check").unwrap();
    assert_eq!(healthy.rows, [[Value::Text("ok".to_owned())]]);
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    let (site, crawl) = (site_id("a"), crawl_id(FIRST));
    let records = store.records(&site, crawl, &[], None, usize::MAX).await.unwrap();
    let recorded: HashSet<usize> = records.iter().map(|record| number_of(&record.url)).collect();
    assert!(recorded.is_superset(acknowledged), "an acknowledged record is missing");
    let waiting: HashSet<PageUrl> = store.waiting_pages(&site, crawl).await.unwrap().into_iter().collect();
    for record in records {
        let hash = record.known.content.unwrap().hash;
        let stored = store.content(&site_id("a"), &hash).await.unwrap().expect("a record has its content");
        assert!(stored.body.is_some());
        assert!(!waiting.contains(&record.url), "a recorded page waits");
        for child in children(number_of(&record.url)) {
            let known = waiting.contains(&child.url) || recorded.contains(&number_of(&child.url));
            assert!(known, "{} was recorded, but not its link {}", record.url, child.url);
        }
    }
    assert!(waiting.contains(&page("/0")) || recorded.contains(&0));
}
