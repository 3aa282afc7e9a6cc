//! How much of Firestore's storage a crawl takes, by Google's rules.

use emulator_tests::documents::Documents;
use emulator_tests::sizes::{Exemptions, Size, size_of};
use emulator_tests::{Emulator, fresh_project};
use recrawl_core::model::aspect::{Signature, Signatures};
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::edit::{EditSide, Edits, LineId};
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::page_memory::{LinesOfVersion, PageMemory};
use recrawl_core::model::record::{ContentRef, Found, FoundBy, Headers, PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_testkit::contract::samples::{self, FIRST, bare_record, closed, crawl_id, open, site_id};

use super::store_in;

/// The site that it is about.
const SITE_PAGES: u64 = 3_500;
/// How many of them are written.
const WRITTEN: u64 = 100;

/// Returns a number that looks like any other.
fn number(page: u64, of: u64) -> u64 {
    let hash = ContentHash::of(format!("{page} {of}").as_bytes()).to_string();
    u64::from_str_radix(&hash[..16], 16).unwrap()
}

/// Returns half a fingerprint that looks like any other.
fn half(page: u64, of: u64) -> u32 {
    u32::try_from(number(page, of) >> 32).unwrap()
}

/// Returns a page as a year of crawls leaves it: with what it remembers of lines that went and came.
fn page(number_of_page: u64) -> PageRecord {
    let n = number_of_page;
    let path = format!("/transportation/permitting/street-closure-{}", half(n, 0));
    let mut record = bare_record("default", FIRST, &path);
    record.url = format!("https://www.portland.gov{path}").parse().unwrap();
    let referrer = format!("https://www.portland.gov/transportation/permitting-{}", n % 7);
    record.found = Found { by: FoundBy::Link, depth: 3, referrer: Some(referrer.parse().unwrap()) };
    let visit = &mut record.visit;
    (visit.verdict, visit.status, visit.not_modified) = (Verdict::Unchanged, Some(200), true);
    (visit.fetch_ms, visit.requests, visit.received_bytes) = (half(n, 1) % 900, 1, number(n, 2) % 500);
    visit.saved_bytes = 20_000 + number(n, 3) % 50_000;
    let known = &mut record.known;
    known.presence = Presence::Present;
    known.headers = Headers {
        etag: Some(format!("\"{}\"", half(n, 4))),
        last_modified: Some("Mon, 02 Nov 2026 03:04:05 GMT".to_owned()),
        content_type: Some("text/html; charset=UTF-8".to_owned()),
        ..Headers::default()
    };
    known.content = Some(ContentRef {
        hash: ContentHash::of(&n.to_le_bytes()),
        semantic: SemanticHash::of(&n.to_be_bytes()),
        rules: RulesVersion("4-0a1b2c3d".to_owned()),
        signatures: Some(Signatures {
            links: Signature(number(n, 5)),
            media: Signature(number(n, 6)),
            meta: Some(Signature(number(n, 7))),
        }),
    });
    known.transfer_bytes = visit.saved_bytes;
    known.first_seen = samples::time(-500_000 + i64::from(half(n, 8) % 1_000));
    known.last_changed = Some(samples::time(-i64::from(half(n, 9) % 500_000)));
    (known.changes_detected, known.observations) = (1 + half(n, 10) % 9, 52);
    (known.mean_interval, known.change_frequency) =
        (7.0 + 1.0 / f64::from(half(n, 11)), 1.0 / f64::from(half(n, 12)));
    let version =
        |of| LinesOfVersion { went: vec![half(n, of), half(n, of + 1)], came: vec![half(n, of + 2)] };
    known.memory = Some(Box::new(PageMemory {
        versions: vec![version(20), version(30)],
        shapes: vec![vec![half(n, 40)], vec![half(n, 41)]],
        noise: vec![half(n, 42)],
        ..PageMemory::default()
    }));
    record
}

/// Returns the same page as it changed, with five edits.
fn changed(mut record: PageRecord) -> PageRecord {
    let sample = samples::record("default", FIRST, "/");
    let heaviest = samples::edits().list.remove(0);
    let edit = |of: u64| {
        let mut edit = heaviest.clone();
        let text = format!("Lane {of} of the bridge is closed until {of} March");
        edit.texts = Some((text.clone(), text.replace("March", "April, ten days later than announced")));
        edit.went = Some(EditSide { line: LineId(number(of, 1)), shape: LineId(number(of, 2)), words: 9 });
        edit.came = Some(EditSide { line: LineId(number(of, 3)), shape: LineId(number(of, 4)), words: 14 });
        edit
    };
    record.visit.edits = Some(Box::new(Edits { list: (0..5).map(edit).collect(), ..samples::edits() }));
    record.visit.verdict = Verdict::Changed;
    (record.visit.tier, record.visit.weight, record.visit.kinds) =
        (sample.visit.tier, 300, sample.visit.kinds);
    record.archive = sample.archive;
    record
}

async fn size_of_all(project: &str, collections: &[&str]) -> Size {
    let documents = Documents::new(&Emulator::firestore().url(), project);
    let exemptions = Exemptions::of_infra();
    let mut size = Size::default();
    for collection in collections {
        for document in documents.typed(collection).await.unwrap() {
            size += size_of(&document, &exemptions);
        }
    }
    size
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_counted_as_google_counts_it() {
    let project = fresh_project();
    let store = store_in(&project).await;
    open(&store, "default").await;
    let before = store.counted().stored_bytes;
    for n in 0..5 {
        let content = samples::content(&format!("text {n}"));
        let record = samples::record_of("default", FIRST, &format!("/{n}"), &content);
        store.record(&record, Some(&content)).await.unwrap();
    }
    store.record(&changed(page(7)), None).await.unwrap();
    let counted = store.counted().stored_bytes - before;
    assert_eq!(counted, size_of_all(&project, &[FIRST, "content"]).await.total());
    let first = crawl_id(FIRST);
    store.settle(&site_id("default"), first, &[page(7)]).await.unwrap();
    assert_eq!(
        store.counted().stored_bytes - before,
        counted,
        "what is written over is not stored once more"
    );
    store.close_crawl(&site_id("default"), first, &closed(Ending::Complete)).await.unwrap();
    let index = size_of_all(&project, &[&format!("crawls/{FIRST}/roll")]).await;
    assert_eq!(store.counted().stored_bytes - before, counted + index.total());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_of_3500_pages_takes_at_most_19_megabytes_with_edits_and_page_memory() {
    let project = fresh_project();
    let store = store_in(&project).await;
    open(&store, "default").await;
    for n in 0..WRITTEN {
        // Two in a hundred changed.
        let record = if n % 50 == 0 { changed(page(n)) } else { page(n) };
        store.record(&record, None).await.unwrap();
    }
    store.close_crawl(&site_id("default"), crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    let pages = size_of_all(&project, &[FIRST]).await;
    let index = size_of_all(&project, &[&format!("crawls/{FIRST}/roll")]).await;
    let crawl = size_of_all(&project, &["crawls"]).await;
    let all = (pages.total() + index.total()) * SITE_PAGES / WRITTEN + crawl.total();
    println!("pages {pages:?}, index {index:?}, crawl {crawl:?}: {all} bytes a crawl");
    assert!(all <= 19_000_000, "{all} bytes: {pages:?} for {WRITTEN} pages");
}
