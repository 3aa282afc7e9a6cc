//! Archive requests whose message was lost are made again.

use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::ids::EventId;
use recrawl_core::ports::ArchiveStore;

use crate::harness::{CRAWL, Harness, id, minute, page};
use crate::suspect::{A_WEEK_LATER, confirming_week, suspect_week};

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
    assert_eq!(harness.store.inner.archive_requests().len(), requests.len(), "closing asks for each once");
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
async fn nothing_is_asked_for_while_a_crawl_is_open_and_all_of_it_once_it_is_closed() {
    let harness = Harness::new().await;
    harness.open(CRAWL).await;
    harness.tick(minute(0)).await;
    harness.record(CRAWL, "/old", minute(10), &[], Some(Archive::queued(minute(10)))).await;
    harness.record(CRAWL, "/young", minute(11), &[], Some(Archive::queued(minute(11)))).await;
    assert_eq!(harness.requests_at(40).await, 0);
    assert!(harness.store.inner.archive_requests().is_empty(), "the root is missing, so the crawl is open");
    harness.visit(CRAWL, "/", minute(41), &[]).await;
    let report = harness.tick(minute(55)).await;
    assert_eq!((report.closed.len(), report.archives_requested), (1, 0));
    let requests = harness.store.inner.archive_requests();
    let pages: Vec<&str> = requests.iter().map(|request| request.page.path()).collect();
    assert_eq!(pages, ["/old", "/young"]);
    assert_eq!(harness.requests_at(71).await, 0, "each is left to its message");
    assert_eq!(harness.requests_at(101).await, 2);
}

#[tokio::test]
async fn what_a_suspect_crawl_found_is_archived_once_somebody_accepts_it() {
    let harness = suspect_week().await;
    harness.record(CRAWL, "/new", minute(6), &[], Some(Archive::queued(minute(6)))).await;
    for now in [16, 50, 90] {
        assert_eq!(harness.requests_at(now).await, 0, "minute {now}");
    }
    assert!(harness.store.inner.archive_requests().is_empty());
    harness.maintenance.accept(&harness.site, None, false, minute(100)).await.unwrap();
    assert_eq!(harness.store.inner.archive_requests().len(), 1);
    assert_eq!(harness.requests_at(125).await, 0, "its message may be on its way");
    assert_eq!(harness.requests_at(155).await, 1);
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
    for path in ["/", "/a", "/b", "/c"] {
        harness.visit("crawl-2026-11-16-2", path, minute(2), &[]).await;
    }
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

#[tokio::test]
async fn an_unusual_crawl_that_another_confirmed_is_never_archived_and_is_forgotten() {
    let harness = confirming_week().await;
    harness.record(CRAWL, "/new", minute(6), &[], Some(Archive::queued(minute(6)))).await;
    harness.tick(minute(A_WEEK_LATER)).await;
    assert_eq!(harness.requests_at(A_WEEK_LATER + 40).await, 0);
    assert!(harness.store.inner.archive_requests().is_empty());
    harness.store.calls();
    harness.tick(minute(A_WEEK_LATER + 80)).await;
    assert!(!harness.store.calls().contains(&"unarchived"), "nobody looks at it any more");
}
