//! The contract of [`Store`]: what settling makes of records.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::edit::Edits;
use recrawl_core::model::kind::{Kinds, Tier, WordCount};
use recrawl_core::model::record::{Found, FoundBy, PageRecord, PageSummary};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;

use super::Subject;
use super::samples::{
    FIRST, SECOND, archive, bare_record, closed, content, crawl_id, latest_before, open, page, record,
    record_of, site_id, time,
};

/// Returns a record as settling may leave it: something else in every field that settling writes.
fn settled(record: &PageRecord) -> PageRecord {
    let mut record = record.clone();
    let visit = &mut record.visit;
    (visit.verdict, visit.aspects) = (Verdict::Touched, Aspects::NONE);
    (visit.tier, visit.weight) = (Some(Tier::Noise), 5);
    (visit.words, visit.kinds) = (WordCount { changed: 1, of: 2 }, Kinds::default());
    visit.edits = Some(Box::new(Edits { lines_left: 7, ..Edits::default() }));
    visit.reason = None;
    visit.status = Some(304);
    visit.fetched_at = time(33);
    let known = &mut record.known;
    (known.last_changed, known.changes_detected, known.change_frequency) = (None, 1, 0.25);
    known.content = Some(content("what was known before").reference());
    known.headers.etag = None;
    known.memory = None;
    record.archive = None;
    record
}

async fn settle(store: &impl Store, records: &[PageRecord]) {
    store.settle(&site_id("a"), crawl_id(FIRST), records).await.unwrap();
}

pub async fn a_settled_record_is_read_everywhere<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let (one, other) = (record("a", FIRST, "/one"), record("a", FIRST, "/other"));
    let mut later = record("a", SECOND, "/one");
    for record in [&one, &other, &later] {
        store.record(record, None).await.unwrap();
    }
    let expected = settled(&one);
    let found = Found { by: FoundBy::Memory, depth: 77, referrer: None };
    settle(store, &[PageRecord { found, ..expected.clone() }]).await;
    assert_eq!(
        store.page(&site, first, &one.url).await.unwrap().as_ref(),
        Some(&expected),
        "as it was found"
    );
    let before = latest_before(store, &site, crawl_id(SECOND), &one.url).await;
    assert_eq!(before.as_ref(), Some(&expected));
    let of = async |verdict| store.records(&site, first, &[verdict], None, 9).await.unwrap();
    assert_eq!((of(Verdict::Touched).await, of(Verdict::New).await), (vec![expected], vec![other]));
    later.crawl = first;
    assert_ne!(
        store.page(&site, crawl_id(SECOND), &one.url).await.unwrap(),
        None,
        "another crawl is left alone"
    );
    settle(store, &[later.clone()]).await;
    assert_eq!(store.page(&site, first, &one.url).await.unwrap(), Some(later), "and back again");
}

pub async fn settling_again_changes_nothing<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let record = record_of("a", FIRST, "/", &content("text"));
    store.record(&record, Some(&content("text"))).await.unwrap();
    let expected = settled(&record);
    for _ in 0..2 {
        settle(store, &[expected.clone(), expected.clone()]).await;
        let read = store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap();
        assert_eq!(read, std::slice::from_ref(&expected));
    }
}

pub async fn a_page_without_a_record_is_not_settled<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let record = record("a", FIRST, "/there");
    store.record(&record, None).await.unwrap();
    let absent = ["/a", "/zzz"].map(|path| super::samples::record("a", FIRST, path));
    settle(store, &[absent[0].clone(), settled(&record), absent[1].clone()]).await;
    let read = store.records(&site_id("a"), crawl_id(FIRST), &[], None, 9).await.unwrap();
    assert_eq!(read, [settled(&record)]);
    assert_eq!(store.page(&site_id("a"), crawl_id(FIRST), &page("/a")).await.unwrap(), None);
    settle(store, &[]).await;
}

pub async fn many_records_are_settled_at_once<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let records: Vec<PageRecord> =
        (0..520).map(|number| bare_record("a", FIRST, &format!("/{number}"))).collect();
    for record in &records {
        store.record(record, None).await.unwrap();
    }
    let mut expected: Vec<PageRecord> = records.iter().map(settled).collect();
    settle(store, &expected).await;
    let mut read = store.records(&site_id("a"), crawl_id(FIRST), &[], None, 1_000).await.unwrap();
    for records in [&mut read, &mut expected] {
        records.sort_by(|one, other| one.url.cmp(&other.url));
    }
    assert_eq!(read, expected);
}

pub async fn a_settled_record_is_sighted_as_it_was_settled<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let record = record("a", FIRST, "/");
    store.record(&record, None).await.unwrap();
    assert_eq!(store.records(&site, first, &[], None, 9).await.unwrap().len(), 1);
    settle(store, &[settled(&record)]).await;
    let mut end = closed(Ending::Complete);
    end.statistics.total = 1;
    store.close_crawl(&site, first, &end).await.unwrap();
    let mut sighted = Vec::new();
    store.page_summaries(&site, Some(crawl_id(SECOND)), &mut |page| sighted.push(page)).await.unwrap();
    assert_eq!(sighted, [PageSummary::from(&settled(&record))]);
}

pub async fn a_wish_to_archive_is_settled_too<S: Subject<Port: Store>>(subject: S) {
    use recrawl_core::model::archive::ArchiveState;
    let store = subject.port();
    open(store, "a").await;
    let mut record = bare_record("a", FIRST, "/");
    store.record(&record, None).await.unwrap();
    for state in [None, Some(ArchiveState::Queued), Some(ArchiveState::Captured), None] {
        record.archive = state.map(archive);
        settle(store, std::slice::from_ref(&record)).await;
        let read = store.page(&record.site, record.crawl, &record.url).await.unwrap();
        assert_eq!(read.as_ref(), Some(&record));
    }
}
