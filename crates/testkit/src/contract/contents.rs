//! The contract of [`Store`]: contents, their links and bodies.

use recrawl_core::ports::Store;
use recrawl_core::url::PageUrl;

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, content, crawl_id, open, page, record_of, site_id, unstored, without_body,
};

pub async fn content_without_a_body_gains_one<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let content = content("text");
    let reference = content.reference();
    store.record(&record_of("a", FIRST, "/1", &content), Some(&without_body(&content))).await.unwrap();
    assert_eq!(store.body(&reference).await.unwrap(), None);
    store.record(&record_of("a", FIRST, "/2", &content), Some(&content)).await.unwrap();
    assert_eq!(store.body(&reference).await.unwrap(), content.body);
    store.record(&record_of("a", FIRST, "/3", &content), Some(&without_body(&content))).await.unwrap();
    assert_eq!(store.body(&reference).await.unwrap(), content.body, "a body stays");
}

pub async fn stored_content_is_not_written_again<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let first = content("text");
    let mut second = first.clone();
    second.extracted.links = vec![page("/other")];
    second.body = Some(b"other bytes under the same name".to_vec());
    store.record(&record_of("a", FIRST, "/1", &first), Some(&first)).await.unwrap();
    store.record(&record_of("a", FIRST, "/2", &second), Some(&second)).await.unwrap();
    assert_eq!(store.links(&first.hash).await.unwrap(), Some(first.extracted.links.clone()));
    assert_eq!(store.body(&first.reference()).await.unwrap(), first.body);
}

pub async fn a_body_with_the_same_meaning_stands_in<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let kept = content("the same meaning");
    let mut touched = content("other bytes");
    touched.extracted.semantic = kept.extracted.semantic;
    let own = touched.body.take();
    store.record(&record_of("a", FIRST, "/", &kept), Some(&kept)).await.unwrap();
    store.record(&record_of("a", SECOND, "/", &touched), Some(&touched)).await.unwrap();
    assert_eq!(store.body(&touched.reference()).await.unwrap(), kept.body);
    touched.body = own;
    store.record(&record_of("a", THIRD, "/", &touched), Some(&touched)).await.unwrap();
    assert_eq!(store.body(&touched.reference()).await.unwrap(), touched.body, "its own body comes first");
    assert_eq!(store.body(&unstored()).await.unwrap(), None);
}

pub async fn links_keep_their_order_and_number<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut many = content("many links");
    many.extracted.links = (0..3_000).rev().map(|number| page(&format!("/{number}"))).collect();
    let mut none = content("no links");
    none.extracted.links.clear();
    store.record(&record_of("a", FIRST, "/1", &many), Some(&many)).await.unwrap();
    store.record(&record_of("a", FIRST, "/2", &none), Some(&none)).await.unwrap();
    assert_eq!(store.links(&many.hash).await.unwrap(), Some(many.extracted.links));
    assert_eq!(store.links(&none.hash).await.unwrap(), Some(Vec::new()));
}

pub async fn of_the_links_only_those_are_given_that_are_wanted<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut many = content("many links");
    many.extracted.links = ["/c", "/a", "/d", "/b", "/a"].map(page).into();
    store.record(&record_of("a", FIRST, "/", &many), Some(&many)).await.unwrap();
    let (site, links) = (site_id("a"), &many.extracted.links);
    let all: Vec<u128> = links.iter().map(PageUrl::fingerprint).collect();
    for (crawl, places) in [(FIRST, vec![]), (SECOND, vec![0, 3, 4]), (THIRD, (0..5).collect())] {
        let wanted = |links: &[u128]| {
            assert_eq!(links, all, "every link, in its order");
            places.clone()
        };
        let expected: Vec<PageUrl> = places.iter().map(|place| links[*place].clone()).collect();
        let chosen = store.links_where(&site, crawl_id(crawl), &many.hash, &wanted).await.unwrap();
        assert_eq!(chosen, Some(expected));
    }
    let nobody_asks = |_: &[u128]| unreachable!("nothing is stored");
    let chosen = store.links_where(&site, crawl_id(FIRST), &unstored().hash, &nobody_asks).await.unwrap();
    assert_eq!(chosen, None);
}

pub async fn a_link_that_was_wanted_is_offered_again<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (mut one, mut other) = (content("one"), content("other"));
    one.extracted.links = ["/a", "/b", "/c"].map(page).into();
    other.extracted.links = ["/c", "/b", "/d"].map(page).into();
    for (path, content) in [("/one", &one), ("/other", &other)] {
        store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
    }
    let (site, crawl) = (site_id("a"), crawl_id(SECOND));
    let all_but_c =
        |links: &[u128]| (0..links.len()).filter(|place| links[*place] != page("/c").fingerprint()).collect();
    for _ in 0..2 {
        let chosen = store.links_where(&site, crawl, &one.hash, &all_but_c).await.unwrap();
        assert_eq!(chosen, Some(vec![page("/a"), page("/b")]));
        let chosen = store.links_where(&site, crawl, &other.hash, &all_but_c).await.unwrap();
        assert_eq!(chosen, Some(vec![page("/b"), page("/d")]));
    }
}

pub async fn links_of_several_contents_come_in_their_order<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (mut first, mut second) = (content("first"), content("second"));
    first.extracted.links = vec![page("/1"), page("/0")];
    second.extracted.links = Vec::new();
    for (path, content) in [("/first", &first), ("/second", &second)] {
        store.record(&record_of("a", FIRST, path, content), Some(content)).await.unwrap();
    }
    let wanted = [second.hash, unstored().hash, first.hash, second.hash];
    let links = store.links_of(&wanted).await.unwrap();
    assert_eq!(links, [Some(vec![]), None, Some(vec![page("/1"), page("/0")]), Some(vec![])]);
    assert_eq!(store.links_of(&[]).await.unwrap(), Vec::<Option<Vec<PageUrl>>>::new());
}
