//! What is announced of a crawl, and that many changes are before a push is cut off.

use std::time::Duration;

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::kind::Tier;
use recrawl_core::model::record::Presence;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, Store};
use recrawl_engine::announce;
use recrawl_testkit::contract::samples;
use tokio::time::Instant;

use crate::harness::{CRAWL, Harness, id, page};

/// How many pages changed.
const CHANGED: usize = 6_000;
/// How long a read of Firestore takes, in time that is not waited for.
const LATENCY: Duration = Duration::from_millis(30);
/// How long a push of topic `tick` may take.
const DEADLINE: Duration = Duration::from_mins(10);

#[tokio::test(start_paused = true)]
async fn six_thousand_changed_pages_are_announced_within_one_tick() {
    let harness = Harness::new().await;
    let paths: Vec<String> = (0..CHANGED).map(|number| format!("/{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    harness.open("crawl-2026-11-09").await;
    harness.find("crawl-2026-11-09", Verdict::New, &paths).await;
    harness.close("crawl-2026-11-09", Ending::Complete).await;
    harness.open(CRAWL).await;
    harness.find(CRAWL, Verdict::Changed, &paths).await;
    harness.store.take(LATENCY);
    let start = Instant::now();
    let (store, site) = (&*harness.store, &harness.site);
    let told = announce(store, store, site, id(CRAWL), Some(store)).await.unwrap();
    let taken = start.elapsed();
    assert_eq!(told, CHANGED as u64);
    let announced = harness.store.inner.announcements();
    assert!(announced.iter().all(|announcement| announcement.diff.is_some()));
    let pages: Vec<&str> = announced.iter().map(|announcement| announcement.page.path()).collect();
    let records = harness.store.inner.records(&harness.site, id(CRAWL), &[], None, CHANGED).await.unwrap();
    assert_eq!(pages, records.iter().map(|record| record.url.path()).collect::<Vec<_>>(), "in their order");
    assert!(taken < DEADLINE / 10, "{taken:?}, though settling and closing take their time, too");
}

#[tokio::test]
async fn a_change_is_announced_with_what_there_is_to_say_of_it() {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    harness.find(CRAWL, Verdict::Changed, &["/fees"]).await;
    harness.find(CRAWL, Verdict::Moved, &["/old"]).await;
    let (store, site) = (&*harness.store, &harness.site);
    let mut moved = store.page(site, id(CRAWL), &page("/old")).await.unwrap().unwrap();
    moved.visit.status = Some(301);
    moved.visit.tier = None;
    moved.known.presence = Presence::Redirect;
    moved.known.headers.location = Some("/new".to_owned());
    store.settle(site, id(CRAWL), &[moved.clone()]).await.unwrap();
    announce(store, store, site, id(CRAWL), Some(store)).await.unwrap();
    let announced = store.inner.announcements();
    let of = |path: &str| announced.iter().find(|told| told.page.path() == path).unwrap();
    let record = store.page(site, id(CRAWL), &page("/fees")).await.unwrap().unwrap();
    let fees = &of("/fees").details;
    let content = store.content(site, &record.content_hash().unwrap()).await.unwrap().unwrap();
    assert!(content.extracted.title.is_some());
    assert_eq!(fees.title, content.extracted.title);
    assert_eq!((fees.status, fees.tier), (record.visit.status, record.visit.tier));
    assert_eq!((fees.weight, fees.target.as_deref()), (Some(record.visit.weight), None));
    let old = &of("/old").details;
    assert_eq!((old.status, old.weight), (Some(301), None));
    assert_eq!(old.target, Some(page("/new").to_string()));
}

#[tokio::test]
async fn a_change_that_several_pages_share_is_announced_once() {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    let (store, site) = (&*harness.store, &harness.site);
    let shared = |id| SharedChange { tier: Tier::Content, since: None, ..samples::shared_change(id) };
    let changes = [
        shared(1),
        SharedChange { noise: true, ..shared(2) },
        SharedChange { since: Some(id("crawl-2026-11-09")), ..shared(3) },
        SharedChange { tier: Tier::Around, ..shared(4) },
        SharedChange { by: SharedBy::Rule, went: String::new(), came: "years".to_owned(), ..shared(5) },
    ];
    store.save_shared_changes(site, id(CRAWL), &changes).await.unwrap();
    let told = announce(store, store, site, id(CRAWL), Some(store)).await.unwrap();
    let announced = store.inner.announcements();
    assert_eq!((told, announced.len()), (2, 2));
    let first = &announced[0];
    assert_eq!((first.id, &first.page), (changes[0].event(id(CRAWL)), &changes[0].urls[0]));
    assert_eq!(first.details.shared_by, Some(1_184));
    assert_eq!(first.diff.as_deref(), Some("-Careers\n+Jobs \"now\""));
    assert_eq!(announced[1].diff, None, "the name of a rule is no text");
    announce(store, store, site, id(CRAWL), None).await.unwrap();
    assert_eq!(store.inner.announcements().len(), 2, "who reads the records finds them there");
}
