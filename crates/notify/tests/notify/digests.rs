//! Digests are read from a store.

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{Store, StoreError};
use recrawl_notify::{Digest, DigestDetail};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, closed, content, crawl_id, open, page, record, record_of, site_id, suspect, time,
};

const SITE: &str = "example.org";

async fn keep(store: &MemoryStore, crawl: &str, path: &str, kind: Verdict, content: Option<&Content>) {
    let mut written = match content {
        Some(content) => record_of(SITE, crawl, path, content),
        None => record(SITE, crawl, path),
    };
    written.visit.verdict = kind;
    change(&mut written);
    store.record(&written, content).await.unwrap();
}

fn change(record: &mut PageRecord) {
    match record.visit.verdict.change() {
        Some(Change::Change) => record.visit.aspects = Aspects::TEXT.with(Aspect::Links),
        Some(Change::Move) => record.known.presence = Presence::Redirect,
        Some(Change::Delete) => record.visit.status = Some(404),
        Some(Change::Add) | None => record.visit.aspects = Aspects::NONE,
    }
}

/// Returns a store with two crawls, the second of which ended so.
async fn history(ending: Closed) -> MemoryStore {
    let store = MemoryStore::default();
    open(&store, SITE).await;
    let (old, new) = (content("Open until 5 pm\nCome in"), content("Open until 6 pm\nCome in"));
    keep(&store, FIRST, "/b", Verdict::New, Some(&old)).await;
    store.close_crawl(&site_id(SITE), crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    keep(&store, SECOND, "/z", Verdict::New, Some(&old)).await;
    keep(&store, SECOND, "/a", Verdict::New, None).await;
    keep(&store, SECOND, "/b", Verdict::Changed, Some(&new)).await;
    keep(&store, SECOND, "/c", Verdict::Gone, None).await;
    keep(&store, SECOND, "/d/e", Verdict::Moved, None).await;
    keep(&store, SECOND, "/f", Verdict::Unchanged, None).await;
    keep(&store, SECOND, "/g", Verdict::Failed, None).await;
    store.close_crawl(&site_id(SITE), crawl_id(SECOND), &ending).await.unwrap();
    store
}

async fn read(store: &MemoryStore, crawl: &str) -> Result<Digest, StoreError> {
    Digest::read(store, &site_id(SITE), crawl_id(crawl), DigestDetail::default()).await
}

#[tokio::test]
async fn a_digest_tells_each_change_with_its_title_and_difference() {
    let store = history(closed(Ending::Complete)).await;
    let digest = tokio::spawn(async move { read(&store, SECOND).await.unwrap() }).await.unwrap();
    let told: Vec<(&str, Verdict)> =
        digest.changes.iter().map(|change| (change.url.path(), change.kind)).collect();
    assert_eq!(
        told,
        [
            ("/a", Verdict::New),
            ("/b", Verdict::Changed),
            ("/c", Verdict::Gone),
            ("/d/e", Verdict::Moved),
            ("/z", Verdict::New),
        ],
        "they weigh the same, so they stand by address"
    );
    let [_, changed, gone, moved, new] = &digest.changes[..] else { panic!() };
    assert_eq!((new.title.as_deref(), &new.difference), (Some("A title"), &None));
    let difference = changed.difference.as_ref().unwrap();
    assert_eq!((difference.brief.as_str(), difference.size), ("-Open until 5 pm\n+Open until 6 pm", 2));
    assert_eq!(changed.aspects, Aspects::TEXT.with(Aspect::Links));
    assert_eq!(moved.location.as_deref(), Some(page("/elsewhere?a=b").as_str()));
    assert_eq!((gone.status, &gone.location), (Some(404), &None));
    assert_eq!((digest.root, digest.closed_at, digest.statistics.total), (page("/"), time(10), 55));
    assert_eq!(
        (digest.partial, digest.suspicion, digest.is_first, digest.is_test),
        (None, None, false, false)
    );
}

#[tokio::test]
async fn a_first_crawl_an_early_end_and_a_doubt_are_known() {
    let first = read(&history(closed(Ending::Complete)).await, FIRST).await.unwrap();
    assert!(first.is_first && first.changes.is_empty(), "{first:?}");
    assert_eq!(first.first_found(), first.statistics.counts[Verdict::New]);
    let partial = history(closed(Ending::Partial("stopped".to_owned()))).await;
    assert_eq!(read(&partial, SECOND).await.unwrap().partial.as_deref(), Some("stopped"));
    let doubted = history(suspect()).await;
    let reason = Some("half of the pages have gone".to_owned());
    assert_eq!(read(&doubted, SECOND).await.unwrap().suspicion, reason);
    doubted.accept_crawl(&site_id(SITE), crawl_id(SECOND), time(20)).await.unwrap();
    assert_eq!(read(&doubted, SECOND).await.unwrap().suspicion, None);
}

#[tokio::test]
async fn a_crawl_that_is_open_or_unknown_has_no_digest() {
    let store = history(closed(Ending::Complete)).await;
    let third = recrawl_testkit::contract::samples::THIRD;
    for crawl in [third, "crawl-2020-01-01"] {
        assert!(matches!(read(&store, crawl).await, Err(StoreError::Absent(_))), "{crawl}");
    }
}
