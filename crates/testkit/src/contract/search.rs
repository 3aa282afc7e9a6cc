//! The contract of [`Search`], as far as every store keeps it.

use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::record::Presence;
use recrawl_core::ports::{Search, Store};

use super::Subject;
use super::samples::{
    FIRST, SECOND, THIRD, closed, content, crawl_id, open, page, record_of, site_id, suspect, time,
};

/// Returns the paths that a query finds, in order.
pub(super) async fn paths(store: &impl Search, site: Option<&str>, query: &str) -> Vec<String> {
    let site = site.map(site_id);
    let found = store.search(site.as_ref(), query, 10).await.unwrap();
    found.hits.iter().map(|hit| format!("{} {}", hit.site, hit.url.path_and_query())).collect()
}

async fn write(store: &impl Store, site: &str, crawl: &str, path: &str) {
    let says = content(&format!("what {path} of {site} says in {crawl}"));
    store.record(&record_of(site, crawl, path, &says), Some(&says)).await.unwrap();
}

pub async fn an_empty_store_has_nothing<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    assert_eq!(paths(store, None, "/").await, [""; 0]);
    open(store, "a").await;
    assert_eq!(paths(store, None, "/").await, [""; 0]);
    assert_eq!(paths(store, Some("unknown"), "/").await, [""; 0]);
}

pub async fn every_text_is_a_query<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, "a", FIRST, "/page").await;
    let long = "long ".repeat(2_000);
    let longer = "/".repeat(10_000);
    let texts = [
        "",
        " ",
        "\"",
        "\"\"\"",
        "*",
        "-",
        "--",
        "-*",
        "AND",
        "OR NOT",
        "NEAR(",
        "NEAR(a b, 2)",
        "a AND",
        "(",
        ")",
        "^",
        "a:b",
        "title: x",
        "{a b} : c",
        "+a +b",
        "a*b*",
        "\"a",
        "'",
        "';--",
        "\\",
        "%",
        "_",
        "\0",
        "a\0b",
        "👩‍🚀",
        "\u{202e}",
        "\u{301}",
        "https://",
        "http://[",
        "https://example.org:99999/",
        "/%",
        "//",
        "?",
        "#",
        &long,
        &longer,
    ];
    for text in texts {
        let found = store.search(None, text, 10).await;
        assert!(found.is_ok(), "{text:?}: {found:?}");
    }
    assert_eq!(paths(store, None, " \" ").await, [""; 0], "nothing was asked for");
}

pub async fn a_page_is_found_by_the_beginning_of_its_address<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    for path in ["/news", "/news/bridge", "/about"] {
        write(store, "a", FIRST, path).await;
    }
    for query in
        ["/news/b", "https://example.org/news/bri", "HTTPS://Example.ORG/news/bridge", " /news/bridge "]
    {
        assert_eq!(paths(store, None, query).await, ["a /news/bridge"], "{query}");
    }
    let mut both = paths(store, Some("a"), "/news").await;
    both.sort();
    assert_eq!(both, ["a /news", "a /news/bridge"]);
}

pub async fn a_hit_says_where_and_when_it_was_seen<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    for crawl in [FIRST, SECOND] {
        write(store, "a", crawl, "/news").await;
    }
    let found = store.search(None, "/news", 10).await.unwrap();
    let [hit] = found.hits.as_slice() else { panic!("a page is found once: {found:?}") };
    assert_eq!((&hit.site, &hit.url), (&site_id("a"), &page("/news")));
    assert_eq!(
        (hit.title.as_deref(), hit.crawl, hit.last_seen),
        (Some("A title"), crawl_id(SECOND), time(2))
    );
}

pub async fn an_answer_is_no_longer_than_asked_for<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    for number in 0..3 {
        write(store, "a", FIRST, &format!("/news/{number}")).await;
        write(store, "b", FIRST, &format!("/news/{number}")).await;
    }
    for (limit, expected) in [(0, 0), (1, 1), (4, 4), (6, 6), (100, 6)] {
        assert_eq!(store.search(None, "/news", limit).await.unwrap().hits.len(), expected);
    }
}

pub async fn only_the_named_site_is_searched<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    for site in ["a", "b"] {
        open(store, site).await;
        write(store, site, FIRST, "/news").await;
    }
    assert_eq!(paths(store, Some("b"), "/news").await, ["b /news"]);
    let mut both = paths(store, None, "/news").await;
    both.sort();
    assert_eq!(both, ["a /news", "b /news"]);
}

pub async fn what_has_gone_or_redirects_is_not_found<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let presences =
        [Presence::Unknown, Presence::Present, Presence::Redirect, Presence::Gone, Presence::GoneForGood];
    for (number, presence) in presences.into_iter().enumerate() {
        let path = format!("/news/{number}");
        write(store, "a", FIRST, &path).await;
        let mut record = record_of("a", SECOND, &path, &content("what it last said"));
        record.known.presence = presence;
        store.record(&record, None).await.unwrap();
    }
    assert_eq!(paths(store, None, "/news").await, ["a /news/1"]);
}

pub async fn pages_of_partial_crawls_are_found_back_to_the_last_whole_one<
    S: Subject<Port: Search + Store>,
>(
    subject: S,
) {
    let store = subject.port();
    open(store, "a").await;
    for (crawl, paths) in [(FIRST, ["/news/a", "/news/b"]), (SECOND, ["/news/b", "/news/c"])] {
        for path in paths {
            write(store, "a", crawl, path).await;
        }
    }
    for (crawl, ending) in [(FIRST, Ending::Complete), (SECOND, Ending::Partial("stopped".to_owned()))] {
        let end = Closed { suspicion: None, ..closed(ending) };
        store.close_crawl(&site_id("a"), crawl_id(crawl), &end).await.unwrap();
    }
    write(store, "a", THIRD, "/news/d").await;
    let mut found = paths(store, None, "/news").await;
    found.sort();
    assert_eq!(found, ["a /news/a", "a /news/b", "a /news/c", "a /news/d"]);
}

pub async fn a_suspect_crawl_is_not_searched_until_it_is_accepted<S: Subject<Port: Search + Store>>(
    subject: S,
) {
    let store = subject.port();
    open(store, "a").await;
    write(store, "a", FIRST, "/news/old").await;
    write(store, "a", SECOND, "/news/new").await;
    store
        .close_crawl(&site_id("a"), crawl_id(FIRST), &closed(Ending::Partial("x".to_owned())))
        .await
        .unwrap();
    store.close_crawl(&site_id("a"), crawl_id(SECOND), &suspect()).await.unwrap();
    assert_eq!(paths(store, None, "/news").await, ["a /news/old"]);
    store.accept_crawl(&site_id("a"), crawl_id(SECOND), time(20)).await.unwrap();
    assert!(paths(store, None, "/news").await.contains(&"a /news/new".to_owned()));
}

/// Adds the tests of [`Search`] on the subject that the expression makes.
#[macro_export]
macro_rules! search_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { search, $fresh;
            an_empty_store_has_nothing
            every_text_is_a_query
            a_page_is_found_by_the_beginning_of_its_address
            a_hit_says_where_and_when_it_was_seen
            an_answer_is_no_longer_than_asked_for
            only_the_named_site_is_searched
            what_has_gone_or_redirects_is_not_found
            pages_of_partial_crawls_are_found_back_to_the_last_whole_one
            a_suspect_crawl_is_not_searched_until_it_is_accepted
        }
    };
}
