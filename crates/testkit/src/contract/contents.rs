//! The contract of [`Store`]: contents, their links and bodies.

use recrawl_core::ports::{Contents, Store};
use recrawl_core::url::PageUrl;

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, content, crawl_id, links_of, open, page, record_of, site_id, unstored, without_body,
};

pub async fn content_without_a_body_gains_one<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let content = content("text");
    let reference = content.reference();
    store.record(&record_of("a", FIRST, "/1", &content), Some(&without_body(&content))).await.unwrap();
    assert_eq!(store.body(&site_id("a"), &reference).await.unwrap(), None);
    store.record(&record_of("a", FIRST, "/2", &content), Some(&content)).await.unwrap();
    assert_eq!(store.body(&site_id("a"), &reference).await.unwrap(), content.body);
    store.record(&record_of("a", FIRST, "/3", &content), Some(&without_body(&content))).await.unwrap();
    assert_eq!(store.body(&site_id("a"), &reference).await.unwrap(), content.body, "a body stays");
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
    assert_eq!(links_of(store, "a", &first.hash).await, Some(first.extracted.links.clone()));
    assert_eq!(store.body(&site_id("a"), &first.reference()).await.unwrap(), first.body);
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
    assert_eq!(store.body(&site_id("a"), &touched.reference()).await.unwrap(), kept.body);
    touched.body = own;
    store.record(&record_of("a", THIRD, "/", &touched), Some(&touched)).await.unwrap();
    assert_eq!(
        store.body(&site_id("a"), &touched.reference()).await.unwrap(),
        touched.body,
        "its own body comes first"
    );
    assert_eq!(store.body(&site_id("a"), &unstored()).await.unwrap(), None);
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
    assert_eq!(links_of(store, "a", &many.hash).await, Some(many.extracted.links));
    assert_eq!(links_of(store, "a", &none.hash).await, Some(Vec::new()));
}

pub async fn a_link_that_is_not_queued_is_never_left_out<S: Subject<Port: Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let mut many = content("many links");
    many.extracted.links = ["/c", "/a", "/d", "/b", "/a"].map(page).into();
    store.record(&record_of("a", FIRST, "/", &many), Some(&many)).await.unwrap();
    let site = site_id("a");
    for crawl in [FIRST, SECOND, SECOND] {
        let links = store.unqueued_links(&site, crawl_id(crawl), &many.hash).await.unwrap();
        assert_eq!(links.as_ref(), Some(&many.extracted.links));
    }
    assert_eq!(store.unqueued_links(&site, crawl_id(FIRST), &unstored().hash).await.unwrap(), None);
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
    let links = store.links(&site_id("a"), &wanted).await.unwrap();
    assert_eq!(links, [Some(vec![]), None, Some(vec![page("/1"), page("/0")]), Some(vec![])]);
    assert_eq!(store.links(&site_id("a"), &[]).await.unwrap(), Vec::<Option<Vec<PageUrl>>>::new());
}
