//! Nothing that a web page does makes a write fail.

use std::sync::Arc;

use emulator_tests::{Emulator, fresh_project};
use object_store::ObjectStoreExt;
use object_store::memory::InMemory;
use recrawl_core::model::content::Content;
use recrawl_core::model::ids::{ContentHash, SemanticHash};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{Contents, History, Recorded, Store};
use recrawl_core::url::PageUrl;
use recrawl_store_firestore::{BucketUse, FirestoreSettings, FirestoreStore};
use recrawl_testkit::contract::samples::{
    FIRST, content, crawl_id, links_of, open, page, record_of, site_id,
};

use super::store_in;

fn noise(bytes: usize) -> Vec<u8> {
    let numbers = 0..u32::try_from(bytes / 32).unwrap();
    numbers.flat_map(|number| *SemanticHash::of(&number.to_le_bytes()).as_bytes()).collect()
}

fn noisy_text(bytes: usize) -> String {
    noise(bytes / 2).chunks(32).map(|chunk| ContentHash::of(chunk).to_string()).collect()
}

fn with_body(body: Vec<u8>) -> Content {
    let hash = ContentHash::of(&body);
    Content { hash, size: body.len() as u64, body: Some(body), ..content("short text") }
}

async fn recorded(store: &FirestoreStore, content: &Content) -> PageRecord {
    open(store, "default").await;
    let record = record_of("default", FIRST, "/", content);
    assert_eq!(store.record(&record, Some(content)).await.unwrap(), Recorded::First);
    record
}

#[tokio::test]
async fn a_body_that_fits_nowhere_is_dropped_and_the_rest_is_kept() {
    let store = store_in(&fresh_project()).await;
    let large = with_body(noise(1_500_000));
    recorded(&store, &large).await;
    assert_eq!(store.body(&site_id("default"), &large.reference()).await.unwrap(), None);
    let read = store.content(&site_id("default"), &large.hash).await.unwrap().unwrap();
    assert_eq!(read, Content { body: None, ..large });
}

#[tokio::test]
async fn a_body_that_is_too_large_goes_into_the_bucket() {
    let bucket = Arc::new(InMemory::new());
    let settings = FirestoreSettings {
        emulator: Some(Emulator::firestore().address().to_owned()),
        bodies: Some(Arc::<InMemory>::clone(&bucket)),
        ..FirestoreSettings::new(fresh_project())
    };
    let store = FirestoreStore::connect(settings).await.unwrap();
    let (large, small) = (with_body(noise(1_500_000)), with_body(noise(1_000)));
    recorded(&store, &large).await;
    store.record(&record_of("default", FIRST, "/small", &small), Some(&small)).await.unwrap();
    for content in [&large, &small] {
        assert_eq!(store.body(&site_id("default"), &content.reference()).await.unwrap(), content.body);
    }
    let in_bucket =
        async |content: &Content| bucket.head(&format!("bodies/{}.zst", content.hash).into()).await.is_ok();
    assert!(in_bucket(&large).await && !in_bucket(&small).await);
}

#[tokio::test]
async fn all_bodies_go_into_the_bucket_where_that_is_wanted_and_are_found_wherever_they_are() {
    let bucket = Arc::new(InMemory::new());
    let project = fresh_project();
    let settings = |bucket_use| FirestoreSettings {
        emulator: Some(Emulator::firestore().address().to_owned()),
        bodies: Some(Arc::<InMemory>::clone(&bucket)),
        bucket_use,
        ..FirestoreSettings::new(project.clone())
    };
    let before = FirestoreStore::connect(settings(BucketUse::LongBodies)).await.unwrap();
    let (old, new) = (with_body(noise(1_000)), with_body(noise(2_000)));
    recorded(&before, &old).await;
    let store = FirestoreStore::connect(settings(BucketUse::AllBodies)).await.unwrap();
    store.record(&record_of("default", FIRST, "/new", &new), Some(&new)).await.unwrap();
    for store in [&before, &store] {
        for content in [&old, &new] {
            assert_eq!(store.body(&site_id("default"), &content.reference()).await.unwrap(), content.body);
        }
    }
    let in_bucket =
        async |content: &Content| bucket.head(&format!("bodies/{}.zst", content.hash).into()).await.is_ok();
    assert!(in_bucket(&new).await && !in_bucket(&old).await);
}

#[tokio::test]
async fn thirty_thousand_links_keep_their_order() {
    let store = store_in(&fresh_project()).await;
    let mut many = content("many links");
    let link = |number| page(&format!("/{number}/{}", "x".repeat(60)));
    many.extracted.links = (0..30_000).rev().map(link).collect();
    recorded(&store, &many).await;
    let read = store.links(&site_id("default"), &[many.hash, many.hash]).await.unwrap();
    assert!(read.iter().all(|links| links.as_ref() == Some(&many.extracted.links)));
    assert_eq!(store.content(&site_id("default"), &many.hash).await.unwrap(), Some(many));
}

#[tokio::test]
async fn the_longest_links_are_all_kept() {
    let store = store_in(&fresh_project()).await;
    let mut long = content("long links");
    let link = |number: usize| {
        let start = format!("https://example.org/{number}/");
        let url = format!("{start}{}", "x".repeat(PageUrl::MAX_LENGTH - start.len()));
        url.parse::<PageUrl>().unwrap()
    };
    long.extracted.links = (0..3_000).map(link).collect();
    recorded(&store, &long).await;
    assert!(links_of(&store, "default", &long.hash).await == Some(long.extracted.links));
}

#[tokio::test]
async fn a_text_of_two_megabytes_is_kept_if_it_can_be_compressed_and_else_dropped() {
    let store = store_in(&fresh_project()).await;
    let readable = content(&"two megabytes of words ".repeat(90_000));
    recorded(&store, &readable).await;
    let text = store.text(&site_id("default"), &readable.extracted.semantic).await.unwrap();
    assert!(text.as_ref() == Some(&readable.extracted.text));
    let unreadable = Content { body: None, ..content(&noisy_text(3_000_000)) };
    let record = record_of("default", FIRST, "/noise", &unreadable);
    assert_eq!(store.record(&record, Some(&unreadable)).await.unwrap(), Recorded::First);
    assert_eq!(store.text(&site_id("default"), &unreadable.extracted.semantic).await.unwrap(), None);
    let read = store.content(&site_id("default"), &unreadable.hash).await.unwrap().unwrap();
    assert_eq!((read.extracted.text.as_str(), read.extracted.links.len()), ("", 3));
}

#[tokio::test]
async fn everything_at_once_is_still_recorded() {
    let store = store_in(&fresh_project()).await;
    let mut worst = with_body(noise(5_000_000));
    worst.extracted.text = noisy_text(4_000_000);
    worst.extracted.title = Some(noisy_text(2_000_000));
    worst.extracted.language = Some(noisy_text(2_000_000));
    worst.media_type = noisy_text(1_000_000);
    worst.extracted.links = (0..40_000).map(|number| page(&format!("/{number}"))).collect();
    open(&store, "default").await;
    let mut record = record_of("default", FIRST, "/", &worst);
    let headers = &mut record.known.headers;
    headers.etag = Some("e".repeat(60_000));
    headers.location = Some("l".repeat(2_000_000));
    headers.content_type = Some("c".repeat(90_000));
    headers.robots_tag = Some("r".repeat(90_000));
    record.visit.reason = Some("why ".repeat(500_000));
    assert_eq!(store.record(&record, Some(&worst)).await.unwrap(), Recorded::First);
    let read = store.page(&site_id("default"), crawl_id(FIRST), &record.url).await.unwrap().unwrap();
    assert_eq!(read.known.headers.etag, record.known.headers.etag);
    assert_eq!(read.known.headers.location, None);
    assert!(links_of(&store, "default", &worst.hash).await == Some(worst.extracted.links));
}

#[tokio::test]
async fn a_body_that_does_not_fit_beside_an_older_text_does_not_stop_the_record() {
    let store = store_in(&fresh_project()).await;
    let body = noise(700_000);
    let mut first = with_body(body.clone());
    first.extracted.text = noisy_text(1_200_000);
    first.extracted.semantic = SemanticHash::of(b"old rules");
    let mut second = with_body(body);
    second.extracted.semantic = SemanticHash::of(b"new rules");
    recorded(&store, &Content { body: None, ..first.clone() }).await;
    let record = record_of("default", FIRST, "/again", &second);
    assert_eq!(store.record(&record, Some(&second)).await.unwrap(), Recorded::First);
    let old = store.text(&site_id("default"), &first.extracted.semantic).await.unwrap();
    assert!(old == Some(first.extracted.text));
    let new = store.text(&site_id("default"), &second.extracted.semantic).await.unwrap();
    assert_eq!(new, Some(second.extracted.text));
}

#[tokio::test]
async fn records_of_any_length_are_settled() {
    let store = store_in(&fresh_project()).await;
    open(&store, "default").await;
    let mut records: Vec<PageRecord> =
        (0..12).map(|number| record_of("default", FIRST, &format!("/{number}"), &content("text"))).collect();
    for record in &mut records {
        store.record(record, None).await.unwrap();
        let headers = &mut record.known.headers;
        for header in [&mut headers.etag, &mut headers.last_modified, &mut headers.location] {
            *header = Some(noisy_text(100_000).split_off(100));
        }
        let edits = record.visit.edits.as_mut().unwrap();
        edits.list = vec![edits.list[0].clone(); 20_000];
        for (number, edit) in edits.list.iter_mut().enumerate() {
            edit.texts = Some((noisy_text(64), number.to_string()));
        }
    }
    store.settle(&site_id("default"), crawl_id(FIRST), &records).await.unwrap();
    for record in &records {
        let read = store.page(&record.site, record.crawl, &record.url).await.unwrap().unwrap();
        assert_eq!(read.known, record.known);
        assert!(!read.visit.edits.unwrap().list.is_empty());
    }
}
