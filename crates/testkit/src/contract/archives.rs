//! The contract of [`ArchiveStore`].

use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::ports::{ArchiveStore, Store, StoreError};

use super::Subject;
use super::samples::{FIRST, SECOND, archive, bare_record, crawl_id, open, page, record, site_id, time};

pub async fn what_becomes_of_a_request_is_kept_with_the_record<S: Subject<Port: ArchiveStore>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut written = record("a", FIRST, "/");
    store.record(&written, None).await.unwrap();
    store.record(&record("a", SECOND, "/"), None).await.unwrap();
    for state in ArchiveState::ALL {
        let new = archive(state);
        store.save_archive(&written.site, written.crawl, &written.url, &new).await.unwrap();
        written.archive = Some(new);
        let read = store.page(&written.site, written.crawl, &written.url).await.unwrap();
        assert_eq!(read.as_ref(), Some(&written));
    }
    let bare = Archive::queued(time(7));
    store.save_archive(&written.site, written.crawl, &written.url, &bare).await.unwrap();
    let read = store.page(&written.site, written.crawl, &written.url).await.unwrap().unwrap();
    assert_eq!(read.archive, Some(bare));
    let other = store.page(&written.site, crawl_id(SECOND), &written.url).await.unwrap();
    assert_eq!(other, Some(record("a", SECOND, "/")), "another crawl is another request");
}

pub async fn a_page_without_a_record_is_not_archived<S: Subject<Port: ArchiveStore>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let saved = store
        .save_archive(&site_id("a"), crawl_id(FIRST), &page("/never"), &archive(ArchiveState::Queued))
        .await;
    assert!(matches!(saved, Err(StoreError::Absent(_))), "{saved:?}");
    assert_eq!(store.page(&site_id("a"), crawl_id(FIRST), &page("/never")).await.unwrap(), None);
}

pub async fn only_what_is_due_is_listed_oldest_first<S: Subject<Port: ArchiveStore>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    let write = async |site: &str, crawl: &str, path: &str, archive: Option<Archive>| {
        let mut record = bare_record(site, crawl, path);
        record.archive = archive;
        store.record(&record, None).await.unwrap();
    };
    write("a", FIRST, "/none", None).await;
    write("a", FIRST, "/second", Some(Archive::queued(time(2)))).await;
    write("a", FIRST, "/first", Some(Archive { state: ArchiveState::Submitted, ..Archive::queued(time(1)) }))
        .await;
    write("a", FIRST, "/later", Some(Archive { not_before: Some(time(50)), ..Archive::queued(time(0)) }))
        .await;
    for (path, state) in [("/captured", ArchiveState::Captured), ("/failed", ArchiveState::Failed)] {
        write("a", FIRST, path, Some(Archive { state, ..Archive::queued(time(0)) })).await;
    }
    write("a", SECOND, "/other-crawl", Some(Archive::queued(time(0)))).await;
    write("b", FIRST, "/other-site", Some(Archive::queued(time(0)))).await;
    let due = async |minute, limit| {
        let due = store.unarchived(&site_id("a"), crawl_id(FIRST), time(minute), limit).await.unwrap();
        due.iter().map(|record| record.url.path().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(due(10, 10).await, ["/first", "/second"]);
    assert_eq!(due(50, 10).await, ["/later", "/first", "/second"]);
    assert_eq!(due(10, 1).await, ["/first"]);
}

pub async fn what_settling_wants_archived_no_more_is_not_due<S: Subject<Port: ArchiveStore>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut records = ["/dropped", "/kept", "/wanted"].map(|path| bare_record("a", FIRST, path));
    for record in &mut records[..2] {
        record.archive = Some(Archive::queued(time(1)));
    }
    for record in &records {
        store.record(record, None).await.unwrap();
    }
    records[0].archive = None;
    records[2].archive = Some(Archive::queued(time(2)));
    let (site, crawl) = (site_id("a"), crawl_id(FIRST));
    store.settle(&site, crawl, &[records[0].clone(), records[2].clone()]).await.unwrap();
    assert_eq!(store.unarchived(&site, crawl, time(10), 9).await.unwrap(), records[1..]);
}

/// Adds the tests of [`ArchiveStore`] on the subject that the expression makes.
#[macro_export]
macro_rules! archives_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { archives, $fresh;
            what_becomes_of_a_request_is_kept_with_the_record
            a_page_without_a_record_is_not_archived
            only_what_is_due_is_listed_oldest_first
            what_settling_wants_archived_no_more_is_not_due
        }
    };
}
