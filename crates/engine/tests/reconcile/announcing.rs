//! Many changes are announced before a push is cut off.

use std::time::Duration;

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_engine::announce;
use tokio::time::Instant;

use crate::harness::{CRAWL, Harness, id};

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
    let told = announce(&*harness.store, &*harness.store, &harness.site, id(CRAWL), true).await.unwrap();
    let taken = start.elapsed();
    assert_eq!(told, CHANGED as u64);
    let announced = harness.store.inner.announcements();
    assert!(announced.iter().all(|announcement| announcement.diff.is_some()));
    let pages: Vec<&str> = announced.iter().map(|announcement| announcement.page.path()).collect();
    let records = harness.store.inner.records(&harness.site, id(CRAWL), &[], None, CHANGED).await.unwrap();
    assert_eq!(pages, records.iter().map(|record| record.url.path()).collect::<Vec<_>>(), "in their order");
    assert!(taken < DEADLINE / 10, "{taken:?}, though settling and closing take their time, too");
}
