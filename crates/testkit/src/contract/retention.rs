//! The contract of [`Retention`].

use recrawl_core::model::content::{Content, Extracted, Reading};
use recrawl_core::model::crawl::{Crawl, Ending, Site};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{
    Contents, Deletion, History, Recorded, Retention, StateEntry, StateKey, StateStore, Store, StoreError,
};

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, closed, content, crawl, crawl_id, open, page, record, record_of, shared_change,
    site, site_id, time, without_body,
};

pub async fn a_deleted_crawl_leaves_the_others_whole<S>(subject: S)
where
    S: Subject<Port: Retention + History>,
{
    let store = subject.port();
    open(store, "a").await;
    let (old, kept) = (content("old"), content("kept"));
    store.record(&record_of("a", FIRST, "/changed", &old), Some(&old)).await.unwrap();
    store.record(&record_of("a", FIRST, "/same", &kept), Some(&kept)).await.unwrap();
    let changed = content("new");
    store.record(&record_of("a", SECOND, "/changed", &changed), Some(&changed)).await.unwrap();
    store.record(&record_of("a", SECOND, "/same", &kept), None).await.unwrap();
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    let deletion = store.delete_crawl(&site, first, 1_000).await.unwrap();
    assert!(deletion.finished && deletion.deleted >= 3, "{deletion:?}");
    let crawls = store.crawls(&site).await.unwrap();
    assert!(crawls.iter().all(|crawl| crawl.id != first), "the crawl is not listed any more");
    assert_eq!(store.page(&site, first, &page("/same")).await.unwrap(), None);
    assert_eq!(store.content(&site_id("a"), &old.hash).await.unwrap(), None, "nobody names it any more");
    assert_eq!(
        store.content(&site_id("a"), &kept.hash).await.unwrap(),
        Some(kept.clone()),
        "a kept record names it"
    );
    let read = store.records(&site, crawl_id(SECOND), &[], None, 10).await.unwrap();
    assert_eq!(read.len(), 2);
    let again = store.delete_crawl(&site, first, 1_000).await.unwrap();
    assert_eq!(again, Deletion { deleted: 0, finished: true });
}

pub async fn a_crawl_is_deleted_a_part_at_a_time<S: Subject<Port: Retention>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    for number in 0..5 {
        store.record(&record("a", FIRST, &format!("/{number}")), None).await.unwrap();
    }
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    let deletion = store.delete_crawl(&site, first, 2).await.unwrap();
    assert!(!deletion.finished && deletion.deleted >= 2, "{deletion:?}");
    assert!(!store.records(&site, first, &[], None, 10).await.unwrap().is_empty());
    let mut rounds = 0;
    while !store.delete_crawl(&site, first, 2).await.unwrap().finished {
        rounds += 1;
        assert!(rounds < 10, "it comes to an end");
    }
    assert_eq!(store.records(&site, first, &[], None, 10).await.unwrap(), []);
}

pub async fn an_open_crawl_is_not_deleted<S: Subject<Port: Retention>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let refused = store.delete_crawl(&site_id("a"), crawl_id(FIRST), 10).await;
    assert!(matches!(refused, Err(StoreError::Absent(_))), "{refused:?}");
    assert_eq!(store.crawls(&site_id("a")).await.unwrap().len(), 3);
}

pub async fn records_of_some_pages_are_deleted_alone<S: Subject<Port: Retention + History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let (gone, kept) = (content("gone"), content("kept"));
    for (path, content) in [("/gone", &gone), ("/shared", &kept), ("/kept", &kept)] {
        store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
    }
    store.record(&record("a", SECOND, "/gone"), None).await.unwrap();
    let pages = ["/gone", "/shared", "/never"].map(page);
    let refused = store.delete_records(&site, first, &pages).await;
    assert!(matches!(refused, Err(StoreError::Absent(_))), "an open crawl is left alone: {refused:?}");
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    let deletion = store.delete_records(&site, first, &pages).await.unwrap();
    assert!(deletion.finished && deletion.deleted >= 3, "{deletion:?}");
    let left = store.records(&site, first, &[], None, 10).await.unwrap();
    assert_eq!(left, [record_of("a", FIRST, "/kept", &kept)]);
    assert_eq!(store.content(&site_id("a"), &gone.hash).await.unwrap(), None);
    assert_eq!(store.content(&site_id("a"), &kept.hash).await.unwrap(), Some(kept));
    assert_eq!(store.visits(&site, &page("/gone")).await.unwrap(), [record("a", SECOND, "/gone")]);
    let absent = store.delete_records(&site, crawl_id("crawl-2031-01-01"), &pages).await.unwrap();
    assert_eq!(absent, Deletion { deleted: 0, finished: true });
}

pub async fn reclaiming_space_leaves_everything_readable<S: Subject<Port: Retention + History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let kept = content("kept");
    store.record(&record("a", FIRST, "/"), None).await.unwrap();
    store.record(&record_of("a", SECOND, "/", &kept), Some(&kept)).await.unwrap();
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    store.delete_crawl(&site, first, 1_000).await.unwrap();
    store.reclaim().await.unwrap();
    store.size().await.unwrap();
    assert_eq!(store.visits(&site, &page("/")).await.unwrap(), [record_of("a", SECOND, "/", &kept)]);
    assert_eq!(store.content(&site_id("a"), &kept.hash).await.unwrap(), Some(kept));
}

pub async fn shared_changes_and_outlines_go_with_their_crawl<S: Subject<Port: Retention>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let said = without_body(&content("said once"));
    store.record(&record_of("a", FIRST, "/", &said), Some(&said)).await.unwrap();
    store.save_shared_changes(&site, first, &[shared_change(1)]).await.unwrap();
    store.save_shared_changes(&site, crawl_id(SECOND), &[shared_change(2)]).await.unwrap();
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    assert!(store.delete_crawl(&site, first, 1_000).await.unwrap().finished);
    assert_eq!(store.shared_changes(&site, first).await.unwrap(), []);
    assert_eq!(store.shared_changes(&site, crawl_id(SECOND)).await.unwrap(), [shared_change(2)]);
    let reborn = Content { extracted: Extracted { outline: None, ..said.extracted.clone() }, ..said };
    store.record(&record_of("a", SECOND, "/", &reborn), Some(&reborn)).await.unwrap();
    let read = store.readings(&site, &[reborn.reference()]).await.unwrap();
    assert_eq!(
        read,
        [Some(Reading { text: "said once".to_owned(), outline: None })],
        "nothing is left of it"
    );
}

pub async fn what_people_did_with_its_changes_goes_with_a_crawl<S>(subject: S)
where
    S: Subject<Port: Retention + StateStore>,
{
    let store = subject.port();
    open(store, "a").await;
    let site = site_id("a");
    let key = |crawl| StateKey::review(&site, crawl_id(crawl));
    let entry = StateEntry { saved_at: time(0), value: "seen".to_owned() };
    for crawl in [FIRST, SECOND] {
        store.save_state(&key(crawl), &entry).await.unwrap();
        store.record(&record("a", crawl, "/"), None).await.unwrap();
    }
    store.close_crawl(&site, crawl_id(FIRST), &closed(Ending::Complete)).await.unwrap();
    store.delete_records(&site, crawl_id(FIRST), &[page("/")]).await.unwrap();
    assert_eq!(store.state(&key(FIRST)).await.unwrap(), Some(entry.clone()), "the crawl is still there");
    assert!(store.delete_crawl(&site, crawl_id(FIRST), 100).await.unwrap().finished);
    assert_eq!(store.state(&key(FIRST)).await.unwrap(), None);
    assert_eq!(store.state(&key(SECOND)).await.unwrap(), Some(entry), "another crawl keeps its own");
}

pub async fn a_renamed_site_is_found_whole_under_its_new_name<S>(subject: S)
where
    S: Subject<Port: Retention + History>,
{
    let store = subject.port();
    open(store, "a").await;
    open(store, "other").await;
    let said = content("said");
    let written = record_of("a", FIRST, "/page", &said);
    store.record(&written, Some(&said)).await.unwrap();
    store.record(&record_of("a", SECOND, "/page", &said), None).await.unwrap();
    let elsewhere = record_of("other", FIRST, "/page", &said);
    store.record(&elsewhere, Some(&said)).await.unwrap();
    store.save_shared_changes(&site_id("a"), crawl_id(FIRST), &[shared_change(1)]).await.unwrap();
    for crawl in [FIRST, SECOND, THIRD] {
        store.close_crawl(&site_id("a"), crawl_id(crawl), &closed(Ending::Complete)).await.unwrap();
    }
    let before = store.crawls(&site_id("a")).await.unwrap();
    let (old, new) = (site_id("a"), site_id("b"));
    assert_eq!(store.rename_site(&old, &new).await.unwrap(), Recorded::First);

    assert_eq!(store.site(&old).await.unwrap(), None);
    assert_eq!(store.site(&new).await.unwrap(), Some(Site { id: new.clone(), ..site("a") }));
    let renamed = before.into_iter().map(|crawl| Crawl { site: new.clone(), ..crawl }).collect::<Vec<_>>();
    assert_eq!(store.crawls(&new).await.unwrap(), renamed, "in their order");
    assert_eq!(store.crawls(&old).await.unwrap(), []);
    let moved = PageRecord { site: new.clone(), ..written };
    let first = crawl_id(FIRST);
    assert_eq!(store.page(&new, first, &page("/page")).await.unwrap(), Some(moved));
    assert_eq!(store.records(&old, first, &[], None, 10).await.unwrap(), []);
    assert_eq!(store.visits(&new, &page("/page")).await.unwrap().len(), 2);
    assert_eq!(store.content(&new, &said.hash).await.unwrap(), Some(said.clone()));
    assert_eq!(store.body(&new, &said.reference()).await.unwrap(), said.body.clone());
    assert_eq!(store.shared_changes(&new, first).await.unwrap(), [shared_change(1)]);
    assert_eq!(store.page(&site_id("other"), first, &page("/page")).await.unwrap(), Some(elsewhere));

    // The old name is free for another site, which begins with nothing.
    store.save_site(&site("a")).await.unwrap();
    assert_eq!(store.crawls(&old).await.unwrap(), []);
    assert_eq!(store.open_crawl(&crawl("a", FIRST)).await.unwrap(), Recorded::First);
    assert_eq!(store.page(&old, first, &page("/page")).await.unwrap(), None);
}

pub async fn a_site_is_not_renamed_while_it_is_crawled_or_to_a_name_that_is_taken<S>(subject: S)
where
    S: Subject<Port: Retention>,
{
    let store = subject.port();
    open(store, "a").await;
    store.save_site(&site("taken")).await.unwrap();
    let (old, taken) = (site_id("a"), site_id("taken"));
    let refused = store.rename_site(&old, &site_id("b")).await;
    assert!(matches!(refused, Err(StoreError::Absent(_))), "{refused:?}");
    for crawl in [FIRST, SECOND, THIRD] {
        store.close_crawl(&old, crawl_id(crawl), &closed(Ending::Complete)).await.unwrap();
    }
    assert_eq!(store.rename_site(&old, &taken).await.unwrap(), Recorded::Already);
    let refused = store.rename_site(&site_id("never"), &site_id("b")).await;
    assert!(matches!(refused, Err(StoreError::Absent(_))), "{refused:?}");
    assert_eq!(store.crawls(&old).await.unwrap().len(), 3);
    assert_eq!(store.crawls(&taken).await.unwrap(), []);
}

pub async fn a_site_is_forgotten_once_it_has_no_crawl<S: Subject<Port: Retention + History>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    store.save_site(&site("other")).await.unwrap();
    let old = site_id("a");
    let said = content("said");
    store.record(&record_of("a", FIRST, "/page", &said), Some(&said)).await.unwrap();
    store.forget_site(&old).await.unwrap();
    assert_eq!(store.site(&old).await.unwrap(), Some(site("a")), "it has crawls");
    for crawl in [FIRST, SECOND, THIRD] {
        store.close_crawl(&old, crawl_id(crawl), &closed(Ending::Complete)).await.unwrap();
        while !store.delete_crawl(&old, crawl_id(crawl), 10).await.unwrap().finished {}
    }
    store.forget_site(&old).await.unwrap();
    assert_eq!(store.site(&old).await.unwrap(), None);
    store.forget_site(&old).await.unwrap();
    let sites = store.sites().await.unwrap();
    assert_eq!(sites, [site("other")]);
    open(store, "a").await;
    assert_eq!(store.records(&old, crawl_id(FIRST), &[], None, 10).await.unwrap(), []);
}

/// Adds the tests of [`Retention`] on the subject that the expression makes.
#[macro_export]
macro_rules! retention_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { retention, $fresh;
            a_deleted_crawl_leaves_the_others_whole
            a_crawl_is_deleted_a_part_at_a_time
            an_open_crawl_is_not_deleted
            records_of_some_pages_are_deleted_alone
            shared_changes_and_outlines_go_with_their_crawl
            what_people_did_with_its_changes_goes_with_a_crawl
            reclaiming_space_leaves_everything_readable
            a_renamed_site_is_found_whole_under_its_new_name
            a_site_is_not_renamed_while_it_is_crawled_or_to_a_name_that_is_taken
            a_site_is_forgotten_once_it_has_no_crawl
        }
    };
}
