//! Archive requests whose message was lost are made again.

use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::ids::EventId;
use recrawl_core::ports::ArchiveStore;

use crate::harness::{CRAWL, Harness, id, minute, page};

/// Makes a closed crawl with archive requests of 03:01, one a path.
async fn closed_with(requests: &[&str]) -> Harness {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    for path in requests {
        harness.record(CRAWL, path, minute(1), &[], Some(Archive::queued(minute(1)))).await;
    }
    harness.visit(CRAWL, "/", minute(1), &[]).await;
    let report = harness.tick(minute(15)).await;
    assert_eq!((report.closed.len(), report.archives_requested), (1, 0));
    harness
}

impl Harness {
    async fn requests_at(&self, now: i64) -> u64 {
        self.tick(minute(now)).await.archives_requested
    }

    async fn end(&self, path: &str) {
        let archive = Archive { state: ArchiveState::Captured, ..Archive::queued(minute(1)) };
        self.store.inner.save_archive(&self.site, id(CRAWL), &page(path), &archive).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_is_made_again_after_half_an_hour_and_every_half_hour_until_it_is_over() {
    let harness = closed_with(&["/a", "/b"]).await;
    assert_eq!(harness.requests_at(44).await, 0, "messages may be on their way");
    assert_eq!(harness.requests_at(45).await, 2);
    let requests = harness.store.inner.archive_requests();
    assert_eq!(requests[0].id, EventId::new(id(CRAWL), &page("/a")));
    assert_eq!((requests[0].requested_at, requests[0].crawl), (minute(1), id(CRAWL)));
    assert_eq!(harness.requests_at(55).await, 0);
    harness.end("/a").await;
    assert_eq!(harness.requests_at(75).await, 1);
    harness.end("/b").await;
    assert_eq!(harness.requests_at(105).await, 0);
    harness.store.calls();
    assert_eq!(harness.requests_at(200).await, 0);
    assert!(!harness.store.calls().contains(&"unarchived"), "a crawl without requests is forgotten");
}

#[tokio::test]
async fn a_young_request_is_left_to_its_message() {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    harness.tick(minute(0)).await;
    harness.record(CRAWL, "/old", minute(10), &[], Some(Archive::queued(minute(10)))).await;
    harness.record(CRAWL, "/young", minute(11), &[], Some(Archive::queued(minute(11)))).await;
    assert_eq!(harness.requests_at(40).await, 1, "also while the crawl is open");
    assert_eq!(harness.store.inner.archive_requests()[0].page, page("/old"));
}

#[tokio::test]
async fn a_request_that_was_put_off_to_tomorrow_is_made_again_tomorrow() {
    let harness = closed_with(&["/a"]).await;
    let put_off = Archive { not_before: Some(minute(1_440)), ..Archive::queued(minute(1)) };
    harness.store.inner.save_archive(&harness.site, id(CRAWL), &page("/a"), &put_off).await.unwrap();
    for now in (45..1_440).step_by(30) {
        assert_eq!(harness.requests_at(now).await, 0, "minute {now}");
    }
    assert_eq!(harness.requests_at(1_470).await, 1);
}

#[tokio::test]
async fn a_tick_makes_so_many_requests_and_no_more_and_forgets_no_crawl_for_it() {
    let mut harness = closed_with(&["/a", "/b", "/c"]).await;
    harness.maintenance.settings.archives_a_tick = 2;
    harness.open("crawl-2026-11-16-2").await;
    let later = Some(Archive::queued(minute(2)));
    harness.record("crawl-2026-11-16-2", "/d", minute(2), &[], later).await;
    assert_eq!(harness.requests_at(45).await, 2);
    harness.end("/a").await;
    assert_eq!(harness.requests_at(75).await, 2);
    harness.end("/b").await;
    assert_eq!(harness.requests_at(105).await, 2);
    harness.end("/c").await;
    let requested = harness.store.inner.archive_requests();
    let pages: Vec<&str> = requested.iter().map(|request| request.page.path()).collect();
    assert_eq!(pages, ["/a", "/b", "/c", "/d"]);
}
