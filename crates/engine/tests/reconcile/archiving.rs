//! Archive requests: made when a crawl is closed, and reminded of while something is due.

use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::ids::EventId;
use recrawl_core::ports::{ArchiveStore, StateEntry, StateKey, StateStore};

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
async fn a_reminder_is_sent_at_every_tick_while_something_is_due() {
    let harness = closed_with(&["/a", "/b"]).await;
    assert_eq!(harness.requests_at(19).await, 0, "messages may be on their way");
    assert_eq!(harness.requests_at(25).await, 1);
    let requests = harness.store.inner.archive_requests();
    assert_eq!(requests.len(), 2, "a reminder has the id of the request");
    assert_eq!(requests[0].id, EventId::new(id(CRAWL), &page("/a")));
    assert_eq!((requests[0].requested_at, requests[0].crawl), (minute(1), id(CRAWL)));
    assert_eq!(harness.maintenance.archivable().await.unwrap(), [(harness.site.clone(), vec![id(CRAWL)])]);
    harness.end("/a").await;
    assert_eq!(harness.requests_at(35).await, 1);
    harness.end("/b").await;
    assert_eq!(harness.requests_at(45).await, 0);
    assert!(harness.maintenance.archivable().await.unwrap().is_empty());
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
    assert_eq!(harness.maintenance.archivable().await.unwrap(), [(harness.site.clone(), vec![])]);
    assert!(harness.store.inner.archive_requests().is_empty(), "the root is missing, so the crawl is open");
    harness.visit(CRAWL, "/", minute(41), &[]).await;
    let report = harness.tick(minute(55)).await;
    assert_eq!((report.closed.len(), report.archives_requested), (1, 0));
    let requests = harness.store.inner.archive_requests();
    let pages: Vec<&str> = requests.iter().map(|request| request.page.path()).collect();
    assert_eq!(pages, ["/old", "/young"]);
    assert_eq!(harness.requests_at(59).await, 0, "each is left to its message");
    assert_eq!(harness.requests_at(65).await, 1);
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
    assert_eq!(harness.requests_at(104).await, 0, "its message may be on its way");
    assert_eq!(harness.requests_at(125).await, 1);
}

#[tokio::test]
async fn a_request_that_was_put_off_is_reminded_of_at_its_time() {
    let harness = closed_with(&["/a"]).await;
    let put_off_until = async |time| {
        let put_off = Archive { not_before: Some(minute(time)), ..Archive::queued(minute(1)) };
        harness.store.inner.save_archive(&harness.site, id(CRAWL), &page("/a"), &put_off).await.unwrap();
    };
    put_off_until(38).await;
    for (now, reminders) in [(25, 0), (35, 0), (45, 1)] {
        assert_eq!(harness.requests_at(now).await, reminders, "minute {now}");
    }
    put_off_until(1_440).await;
    harness.store.calls();
    for now in (55..1_440).step_by(10) {
        assert_eq!(harness.requests_at(now).await, 0, "minute {now}");
    }
    let looks = harness.store.calls().into_iter().filter(|call| *call == "unarchived").count();
    assert!(looks <= 2 * 47, "twice in half an hour: {looks}");
    assert_eq!(harness.requests_at(1_470).await, 1);
}

#[tokio::test]
async fn what_an_earlier_version_remembered_is_read() {
    let harness = closed_with(&["/a"]).await;
    let key = StateKey::unarchived_crawls(&harness.site);
    let value = format!(r#"{{"crawls":["{CRAWL}"],"looked_at":"{}"}}"#, minute(20));
    harness.store.inner.save_state(&key, &StateEntry { saved_at: minute(20), value }).await.unwrap();
    assert_eq!(harness.requests_at(25).await, 1);
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
