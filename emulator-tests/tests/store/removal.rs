//! What goes with a crawl, and what stays.

use std::sync::Arc;
use std::time::Duration;

use emulator_tests::{Emulator, fresh_project};
use futures_util::TryStreamExt;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Ending, Operations};
use recrawl_core::model::ids::{ContentHash, SemanticHash};
use recrawl_core::ports::{Contents, History, Retention, Store};
use recrawl_store_firestore::{FirestoreSettings, FirestoreStore};
use recrawl_testkit::contract::samples::{
    FIRST, SECOND, closed, content, crawl_id, open, page, record_of, site_id,
};

fn large() -> Content {
    let noise = (0..50_000_u32).flat_map(|number| *SemanticHash::of(&number.to_le_bytes()).as_bytes());
    let body: Vec<u8> = noise.collect();
    let mut large = content("large");
    large.hash = ContentHash::of(&body);
    large.size = body.len() as u64;
    large.body = Some(body);
    large.extracted.links = (0..20_000).map(|number| page(&format!("/{number}"))).collect();
    large
}

#[tokio::test(flavor = "multi_thread")]
async fn links_texts_bodies_rolls_and_operations_go_with_the_crawl() {
    let project = fresh_project();
    let bucket = Arc::new(InMemory::new());
    let settings = FirestoreSettings {
        emulator: Some(Emulator::firestore().address().to_owned()),
        bodies: Some(Arc::<InMemory>::clone(&bucket)),
        ..FirestoreSettings::new(project.clone())
    };
    let store = FirestoreStore::connect(settings).await.unwrap();
    open(&store, "default").await;
    let (site, first) = (site_id("default"), crawl_id(FIRST));
    let large = large();
    let mut rebased = Content { body: None, ..large.clone() };
    rebased.extracted.semantic = SemanticHash::of(b"by other rules");
    "by other rules".clone_into(&mut rebased.extracted.text);
    store.record(&record_of("default", FIRST, "/1", &large), Some(&large)).await.unwrap();
    store.record(&record_of("default", FIRST, "/2", &rebased), Some(&rebased)).await.unwrap();
    store.save_operations(&site, first, "one", Operations::default()).await.unwrap();
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    assert_eq!(
        store.text(&site_id("default"), &rebased.extracted.semantic).await.unwrap(),
        Some(rebased.extracted.text)
    );
    assert_eq!(bucket.list(None).try_collect::<Vec<_>>().await.unwrap().len(), 1);

    assert!(store.delete_crawl(&site, first, 1_000).await.unwrap().finished);
    assert_eq!(bucket.list(None).try_collect::<Vec<_>>().await.unwrap().len(), 0);
    for path in [
        format!("content/{}", large.hash),
        format!("content/{}/links", large.hash),
        format!("texts/{}", rebased.extracted.semantic),
        format!("crawls/{FIRST}/roll"),
        format!("crawls/{FIRST}/operations"),
        FIRST.to_owned(),
    ] {
        let url = format!(
            "{}/v1/projects/{project}/databases/(default)/documents/{path}",
            Emulator::firestore().url()
        );
        let answer = reqwest::get(&url).await.unwrap().text().await.unwrap();
        assert!(!answer.contains("fields"), "{path}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_goes_with_the_last_content_that_gained_its_meaning() {
    let store = super::store_in(&fresh_project()).await;
    open(&store, "default").await;
    let site = site_id("default");
    let meaning = SemanticHash::of(b"by other rules");
    let rebased = |content: &Content| {
        let mut rebased = Content { body: None, ..content.clone() };
        rebased.extracted.semantic = meaning;
        "by other rules".clone_into(&mut rebased.extracted.text);
        rebased
    };
    let contents = ["one", "other", "third"].map(content);
    for (number, content) in contents.iter().enumerate() {
        let crawl = if number == 2 { SECOND } else { FIRST };
        let path = format!("/{number}");
        store.record(&record_of("default", FIRST, &path, content), Some(content)).await.unwrap();
        let (path, rebased) = (format!("/again/{number}"), rebased(content));
        store.record(&record_of("default", crawl, &path, &rebased), Some(&rebased)).await.unwrap();
    }
    for crawl in [FIRST, SECOND] {
        let crawl = crawl_id(crawl);
        store.close_crawl(&site, crawl, &closed(Ending::Complete)).await.unwrap();
        let text = store.text(&site, &meaning).await.unwrap();
        assert_eq!(text.as_deref(), Some("by other rules"), "something of {crawl} means it");
        assert!(store.delete_crawl(&site, crawl, 1_000).await.unwrap().finished);
    }
    assert_eq!(store.text(&site, &meaning).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_content_that_is_named_while_its_crawl_goes_stays_or_is_written_anew() {
    let store = Arc::new(super::store_in(&fresh_project()).await);
    open(&*store, "default").await;
    let (site, first) = (site_id("default"), crawl_id(FIRST));
    let contents: Vec<Content> = (0..40).map(|number| content(&format!("text {number}"))).collect();
    for (number, content) in contents.iter().enumerate() {
        let record = record_of("default", FIRST, &format!("/{number}"), content);
        store.record(&record, Some(content)).await.unwrap();
    }
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for (number, content) in contents.iter().cloned().enumerate() {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            // Some come before their content is looked at, some while it is, and some after it has gone.
            tokio::time::sleep(Duration::from_millis(15 * number as u64)).await;
            let record = record_of("default", SECOND, &format!("/{number}"), &content);
            store.record(&record, Some(&content)).await.unwrap();
        });
    }
    while !store.delete_crawl(&site, first, 1_000).await.unwrap().finished {}
    tasks.join_all().await;
    for content in &contents {
        assert_eq!(store.content(&site_id("default"), &content.hash).await.unwrap().as_ref(), Some(content));
    }
}
