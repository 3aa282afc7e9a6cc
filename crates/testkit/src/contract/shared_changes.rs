//! The contract of [`Store`]: shared changes.

use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::edit::EditId;
use recrawl_core::model::kind::{Kinds, Tier};
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::{MAX_URLS, SharedBy, SharedChange};
use recrawl_core::ports::{Store, StoreError};

use super::Subject;
use super::samples::{FIRST, SECOND, crawl_id, open, page, shared_change, site_id};

pub async fn shared_changes_are_read_back_in_their_order<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let bare = SharedChange {
        id: EditId(0),
        also: Vec::new(),
        by: SharedBy::Loss,
        tier: Tier::Content,
        aspect: Aspect::Meta,
        region: Region::Content,
        kinds: Kinds::default(),
        template: false,
        noise: true,
        went: String::new(),
        came: String::new(),
        words: 0,
        weight: 0,
        pages: 0,
        urls: Vec::new(),
        since: None,
    };
    let mut changes = vec![shared_change(u64::MAX), bare, shared_change(3)];
    changes.extend((0..12).rev().map(shared_change));
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    assert_eq!(store.shared_changes(&site, first).await.unwrap(), []);
    store.save_shared_changes(&site, first, &changes).await.unwrap();
    assert_eq!(store.shared_changes(&site, first).await.unwrap(), changes);
    assert_eq!(store.shared_changes(&site, crawl_id(SECOND)).await.unwrap(), [], "another crawl has its own");
}

pub async fn shared_changes_replace_those_before<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    let first = crawl_id(FIRST);
    let of_other = [shared_change(99)];
    store.save_shared_changes(&site_id("b"), first, &of_other).await.unwrap();
    store.save_shared_changes(&site_id("a"), crawl_id(SECOND), &of_other).await.unwrap();
    let lists = [vec![1, 2, 3], vec![3], vec![], vec![4, 1], vec![4, 1]];
    for ids in lists {
        let changes: Vec<SharedChange> = ids.into_iter().map(shared_change).collect();
        store.save_shared_changes(&site_id("a"), first, &changes).await.unwrap();
        assert_eq!(store.shared_changes(&site_id("a"), first).await.unwrap(), changes);
    }
    for (site, crawl) in [("b", first), ("a", crawl_id(SECOND))] {
        assert_eq!(store.shared_changes(&site_id(site), crawl).await.unwrap(), of_other);
    }
}

pub async fn a_long_list_of_shared_changes_is_kept_whole<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let name = |change, number| page(&format!("/section-{change}/of-pages-with-long-addresses/{number}"));
    let changes: Vec<SharedChange> = (0..40)
        .map(|change| SharedChange {
            tier: Tier::Content,
            urls: (0..MAX_URLS).map(|number| name(change, number)).collect(),
            ..shared_change(change)
        })
        .collect();
    store.save_shared_changes(&site, first, &changes).await.unwrap();
    assert!(store.shared_changes(&site, first).await.unwrap() == changes);
    store.save_shared_changes(&site, first, &changes[..1]).await.unwrap();
    assert!(store.shared_changes(&site, first).await.unwrap() == changes[..1]);
}

pub async fn shared_changes_of_what_is_absent_are_refused<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    for (site, crawl) in [("a", "crawl-2031-01-01"), ("never", FIRST)] {
        let (site, crawl) = (site_id(site), crawl_id(crawl));
        let refused = store.save_shared_changes(&site, crawl, &[shared_change(1)]).await;
        assert!(matches!(refused, Err(StoreError::Absent(_))), "{refused:?}");
        assert_eq!(store.shared_changes(&site, crawl).await.unwrap(), []);
    }
}
