//! Measures the store without a network: a first crawl, and one in which nothing changed.
//!
//! `cargo run --profile dist -p recrawl-store-sqlite --example speed [PAGES [LINGER_MS [WORKERS]]]`

#![expect(clippy::print_stdout, reason = "the figures are what it is run for")]

use std::collections::VecDeque;
use std::fmt::Write;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::model::aspect::{Aspects, Signature, Signatures};
use recrawl_core::model::content::{Content, Directives, Extracted};
use recrawl_core::model::crawl::{Crawl, CrawlKind, Mode, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{Check, Found, FoundBy, Headers, PageRecord, PageState, Presence, Visit};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, Frontier, Priority, PullFrontier, QueuedPage, Store};
use recrawl_core::url::PageUrl;
use recrawl_store_sqlite::{Options, SqliteStore};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// Pages that a crawl takes from the frontier at once.
const TAKEN: usize = 256;
const NAVIGATION: usize = 60;
const LINKS: usize = 80;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let number = |position: usize, usual: usize| {
        std::env::args().nth(position).map_or(Ok(usual), |text| text.parse::<usize>())
    };
    let (pages, workers) = (number(1, 3_500)?, number(3, 32)?);
    let options = Options { linger: Duration::from_millis(number(2, 4)? as u64) };
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("speed.db");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    runtime.block_on(run(&path, &options, pages, workers))
}

async fn run(path: &Path, options: &Options, pages: usize, workers: usize) -> Result<(), Failure> {
    let site: SiteId = "speed".parse()?;
    let [first, second, third] = ["crawl-2026-11-02", "crawl-2026-11-09", "crawl-2026-11-16"];
    let [first, second, third] = [first.parse()?, second.parse()?, third.parse()?];
    let made: Arc<Vec<Content>> = Arc::new((0..pages).map(content).collect());
    let open = || Ok::<_, Failure>(Arc::new(SqliteStore::open(path, options)?));

    let store = open()?;
    prepare(&store, &site, &[first, second, third]).await?;
    first_crawl(path, &store, &site, first, &made, workers).await?;
    drop(store);

    // A week later the file is opened anew.
    let store = open()?;
    unchanged_recrawl(path, &store, &site, second, &made, workers).await?;
    records_alone(path, &store, &site, third, &made, workers).await?;
    alone("latest_before alone", pages, async |number| {
        store.latest_before(&site, third, &address(number)).await.map(drop)
    })
    .await?;
    alone("links alone", pages, async |number| store.links(&site, &[made[number].hash]).await.map(drop))
        .await?;
    drop(store);
    println!("database after closing: {:.1} MB", size(path));
    Ok(())
}

async fn prepare(store: &SqliteStore, site: &SiteId, crawls: &[CrawlId]) -> Result<(), Failure> {
    let created_at = Timestamp::UNIX_EPOCH;
    let scope = ScopeSettings::default();
    store.save_site(&Site { id: site.clone(), root: address(0), scope, created_at }).await?;
    for id in crawls {
        let (mode, opened_by, closed) = (Mode::Incremental, None, None);
        store
            .open_crawl(&Crawl {
                site: site.clone(),
                id: *id,
                opened_at: created_at,
                mode,
                kind: CrawlKind::Full,
                opened_by,
                closed,
            })
            .await?;
    }
    Ok(())
}

async fn first_crawl(
    path: &Path,
    store: &Arc<SqliteStore>,
    site: &SiteId,
    crawl: CrawlId,
    made: &Arc<Vec<Content>>,
    workers: usize,
) -> Result<(), Failure> {
    let (store, site, all) = (Arc::clone(store), site.clone(), Arc::clone(made));
    let step = move |number: usize| {
        let (store, site, made) = (Arc::clone(&store), site.clone(), Arc::clone(&all));
        async move {
            let page = address(number);
            store.latest_before(&site, crawl, &page).await?;
            let queued = queued(&site, crawl, number + 1);
            store.queue(&[queued]).await?;
            let content = &made[number];
            store.record(&record(&site, crawl, page, Verdict::New, content), Some(content)).await?;
            Ok(())
        }
    };
    measure(path, "first crawl: latest_before, queue, record with content", made.len(), workers, step).await
}

async fn unchanged_recrawl(
    path: &Path,
    store: &Arc<SqliteStore>,
    site: &SiteId,
    crawl: CrawlId,
    made: &Arc<Vec<Content>>,
    workers: usize,
) -> Result<(), Failure> {
    let waiting: Vec<QueuedPage> = (0..made.len()).map(|number| queued(site, crawl, number)).collect();
    store.queue(&waiting).await?;
    store.flush().await?;
    let taken: Arc<Mutex<VecDeque<QueuedPage>>> = Arc::default();
    let (store, site, all) = (Arc::clone(store), site.clone(), Arc::clone(made));
    let step = move |_| {
        let (store, site, made, taken) =
            (Arc::clone(&store), site.clone(), Arc::clone(&all), Arc::clone(&taken));
        async move {
            let page = {
                let mut taken = taken.lock().await;
                if taken.is_empty() {
                    taken.extend(store.take(&site, crawl, TAKEN).await?);
                }
                taken.pop_front().ok_or("nothing waits")?.url
            };
            let previous = store.latest_before(&site, crawl, &page).await?.ok_or("no earlier record")?;
            let hash = previous.known.content.as_ref().ok_or("no content")?.hash;
            let links = store.unqueued_links(&site, crawl, &hash).await?.ok_or("no links")?;
            assert_eq!(links.len(), LINKS);
            let number: usize = page.as_str().rsplit('-').next().unwrap_or_default().parse()?;
            store.record(&record(&site, crawl, page, Verdict::Unchanged, &made[number]), None).await?;
            Ok(())
        }
    };
    measure(path, "unchanged recrawl: take, latest_before, links, record", made.len(), workers, step).await
}

async fn records_alone(
    path: &Path,
    store: &Arc<SqliteStore>,
    site: &SiteId,
    crawl: CrawlId,
    made: &[Content],
    workers: usize,
) -> Result<(), Failure> {
    let unchanged = |number: usize| record(site, crawl, address(number), Verdict::Unchanged, &made[number]);
    let all: Arc<Vec<PageRecord>> = Arc::new((0..made.len()).map(unchanged).collect());
    let store = Arc::clone(store);
    let step = move |number: usize| {
        let (store, records) = (Arc::clone(&store), Arc::clone(&all));
        async move { Ok(store.record(&records[number], None).await.map(drop)?) }
    };
    measure(path, "record of an unchanged page alone", made.len(), workers, step).await
}

/// Runs `step` for every page with as many workers as a crawl has.
async fn measure<F, R>(path: &Path, what: &str, pages: usize, workers: usize, step: F) -> Result<(), Failure>
where
    F: Fn(usize) -> R + Clone + Send + 'static,
    R: Future<Output = Result<(), Failure>> + Send,
{
    let (started, used) = (Instant::now(), processor_time());
    let mut running = JoinSet::new();
    for worker in 0..workers {
        let step = step.clone();
        running.spawn(async move {
            for number in (worker..pages).step_by(workers) {
                step(number).await?;
            }
            Ok::<_, Failure>(())
        });
    }
    while let Some(worker) = running.join_next().await {
        worker??;
    }
    report(what, started.elapsed(), processor_time().saturating_sub(used), pages);
    println!("    database and log {:.1} MB", size(path));
    Ok(())
}

async fn alone<E>(what: &str, pages: usize, step: impl AsyncFn(usize) -> Result<(), E>) -> Result<(), E> {
    let (started, used) = (Instant::now(), processor_time());
    for number in 0..pages {
        step(number).await?;
    }
    report(what, started.elapsed(), processor_time().saturating_sub(used), pages);
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a rounded figure is wanted")]
fn report(what: &str, elapsed: Duration, processor: Duration, pages: usize) {
    let a_page = |time: Duration| time.as_secs_f64() * 1e6 / pages as f64;
    println!("{what}: {:.1} µs a page, of which {:.1} processor", a_page(elapsed), a_page(processor));
}

/// Returns the processor time of this process, all threads together.
fn processor_time() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = threads.filter_map(|thread| {
        let statistics = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        statistics.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

#[expect(clippy::cast_precision_loss, reason = "a rounded figure is wanted")]
fn size(path: &Path) -> f64 {
    let log = path.with_extension("db-wal");
    let bytes: u64 = [path, &log].iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    bytes as f64 / 1e6
}

fn address(number: usize) -> PageUrl {
    let address =
        format!("https://www.example.org/transportation/section-{}/page-number-{number}", number % 17);
    address.parse().expect("the address is in normal form")
}

fn found() -> Found {
    Found { by: FoundBy::Link, depth: 2, referrer: Some(address(0)) }
}

fn queued(site: &SiteId, crawl: CrawlId, number: usize) -> QueuedPage {
    QueuedPage {
        site: site.clone(),
        crawl,
        url: address(number),
        found: found(),
        priority: Priority::default(),
    }
}

/// Returns 55 KB of prose in markup, with navigation that all pages share.
fn content(number: usize) -> Content {
    let words = [
        "street", "bicycle", "the", "of", "project", "crossing", "and", "public", "meeting", "bridge", "a",
        "plan",
    ];
    let links: Vec<PageUrl> = (0..LINKS)
        .map(|link| address(if link < NAVIGATION { link } else { (number * 31 + link * 7) % 3_500 }))
        .collect();
    let mut body = format!("<!doctype html><html lang=en><title>Page {number}</title><body><nav>");
    for link in &links {
        let _ = write!(body, "<li class=\"menu-item\"><a href=\"{link}\">To {}</a></li>", link.path());
    }
    let mut state = number as u64 + 1;
    let mut text = String::new();
    while body.len() + text.len() * 6 / 5 < 55_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = words[(state >> 33) as usize % words.len()];
        let _ = write!(
            text,
            "{word}{} ",
            if state >> 60 == 0 { format!(" {}.", state >> 40) } else { String::new() }
        );
    }
    for paragraph in text.as_bytes().chunks(600) {
        let _ = writeln!(
            body,
            "<p class=\"text-block text-block--wide\">{}</p>",
            String::from_utf8_lossy(paragraph)
        );
    }
    Content {
        hash: ContentHash::of(body.as_bytes()),
        size: body.len() as u64,
        media_type: "text/html".to_owned(),
        extracted: Extracted {
            semantic: SemanticHash::of(text.as_bytes()),
            rules: RulesVersion("1-default".to_owned()),
            signatures: Some(Signatures { links: Signature(number as u64), media: Signature(1), meta: None }),
            title: Some(format!("Page {number}")),
            language: Some("en".to_owned()),
            canonical: None,
            links,
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

fn record(site: &SiteId, crawl: CrawlId, url: PageUrl, verdict: Verdict, content: &Content) -> PageRecord {
    let now = Timestamp::from_microsecond(1_793_000_000_123_456).unwrap_or_default();
    PageRecord {
        site: site.clone(),
        crawl,
        url,
        found: found(),
        visit: Visit {
            verdict,
            aspects: Aspects::NONE,
            tier: None,
            weight: 0,
            words: WordCount::default(),
            kinds: Kinds::default(),
            edits: None,
            status: Some(200),
            not_modified: verdict == Verdict::Unchanged,
            check: Check::None,
            reason: None,
            fetched_at: now,
            fetch_ms: 43,
            requests: 1,
            received_bytes: 12_345,
            saved_bytes: 0,
            truncated: false,
        },
        known: PageState {
            presence: Presence::Present,
            headers: Headers {
                etag: Some(format!("W/\"{}\"", &content.hash.to_string()[..32])),
                last_modified: Some("Mon, 02 Nov 2026 03:04:05 GMT".to_owned()),
                content_type: Some("text/html; charset=UTF-8".to_owned()),
                ..Headers::default()
            },
            content: Some(content.reference()),
            transfer_bytes: 12_345,
            first_seen: now,
            last_changed: None,
            last_seen: now,
            fresh_until: None,
            changes_detected: 0,
            observations: 1,
            mean_interval: 7.0,
            change_frequency: 0.05,
            memory: None,
        },
        archive: None,
    }
}
