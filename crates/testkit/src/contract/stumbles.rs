//! The contract of [`Stumbles`].

use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::stumble::{Aside, KeptStumble, LARGEST_BODY, MOST_BODIES, Stumble};
use recrawl_core::panics::Panic;
use recrawl_core::ports::{Retention, Store, Stumbles};

use super::Subject;
use super::samples::{FIRST, SECOND, closed, crawl_id, open, page, site_id, time};

fn stumble(crawl: &str, path: &str, minute: i64) -> Stumble {
    Stumble {
        site: site_id("a"),
        crawl: crawl_id(crawl),
        url: page(path),
        at: time(minute),
        fault: Panic {
            message: "begin > end when slicing \"é\"".to_owned(),
            place: Some("crates/extract/src/text.rs:36".to_owned()),
        },
        rules: RulesVersion("1-default".to_owned()),
        content_type: Some("text/html; charset=utf-8".to_owned()),
    }
}

/// Returns bytes that nothing makes smaller.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

pub async fn a_stumble_is_read_back_with_its_body<S: Subject<Port: Stumbles + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    assert_eq!(store.stumbles(&site, first).await.unwrap(), []);
    let body = b"<p>\0\xff</p>".repeat(100);
    let plain = Stumble {
        fault: Panic { message: "over its time".to_owned(), place: None },
        content_type: None,
        ..stumble(FIRST, "/first", 0)
    };
    store.save_stumble(&stumble(FIRST, "/later", 2), Some(&body)).await.unwrap();
    store.save_stumble(&plain, None).await.unwrap();
    store.save_stumble(&stumble(SECOND, "/other", 1), Some(b"other")).await.unwrap();
    let read = store.stumbles(&site, first).await.unwrap();
    let later = KeptStumble { stumble: stumble(FIRST, "/later", 2), body: Aside::Kept { bytes: 900 } };
    assert_eq!(read, [KeptStumble { stumble: plain, body: Aside::None }, later], "in order of time");
    assert_eq!(store.stumbled_body(&site, first, &page("/later")).await.unwrap(), Some(body));
    assert_eq!(store.stumbled_body(&site, first, &page("/first")).await.unwrap(), None);
    assert_eq!(store.stumbled_body(&site, first, &page("/other")).await.unwrap(), None);
    assert_eq!(store.stumbles(&site, crawl_id("crawl-2031-01-01")).await.unwrap(), []);
}

pub async fn a_page_that_is_visited_again_has_one_stumble<S: Subject<Port: Stumbles + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    for (minute, body) in [(0, Some(&b"one"[..])), (1, None), (2, Some(b"three"))] {
        store.save_stumble(&stumble(FIRST, "/", minute), body).await.unwrap();
    }
    let expected = KeptStumble { stumble: stumble(FIRST, "/", 2), body: Aside::Kept { bytes: 5 } };
    assert_eq!(store.stumbles(&site, first).await.unwrap(), [expected]);
    assert_eq!(store.stumbled_body(&site, first, &page("/")).await.unwrap(), Some(b"three".to_vec()));
}

pub async fn a_body_that_is_too_large_is_dropped_and_the_rest_is_kept<S: Subject<Port: Stumbles + Store>>(
    subject: S,
) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let (large, fits) = (noise(LARGEST_BODY + 1), noise(LARGEST_BODY - 1_000));
    store.save_stumble(&stumble(FIRST, "/large", 0), Some(&large)).await.unwrap();
    store.save_stumble(&stumble(FIRST, "/fits", 1), Some(&fits)).await.unwrap();
    let read: Vec<Aside> = store.stumbles(&site, first).await.unwrap().iter().map(|kept| kept.body).collect();
    let (large, bytes) = (large.len() as u64, fits.len() as u64);
    assert_eq!(read, [Aside::Dropped { bytes: large }, Aside::Kept { bytes }]);
    assert_eq!(store.stumbled_body(&site, first, &page("/large")).await.unwrap(), None);
    assert!(store.stumbled_body(&site, first, &page("/fits")).await.unwrap() == Some(fits));
}

pub async fn a_crawl_keeps_a_few_bodies_and_every_note<S: Subject<Port: Stumbles + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    let stumbles = MOST_BODIES + 2;
    for number in 0..stumbles {
        let minute = i64::try_from(number).unwrap();
        store.save_stumble(&stumble(FIRST, &format!("/{number}"), minute), Some(b"body")).await.unwrap();
    }
    // One that is saved again does not count against itself.
    store.save_stumble(&stumble(FIRST, "/0", 0), Some(b"body")).await.unwrap();
    store.save_stumble(&stumble(SECOND, "/", 0), Some(b"body")).await.unwrap();
    let read = store.stumbles(&site, first).await.unwrap();
    let kept: Vec<bool> = read.iter().map(|kept| kept.body.is_kept()).collect();
    assert_eq!(kept, [vec![true; MOST_BODIES], vec![false; 2]].concat());
    assert!(store.stumbles(&site, crawl_id(SECOND)).await.unwrap()[0].body.is_kept());
}

pub async fn stumbles_go_with_their_crawl<S: Subject<Port: Stumbles + Retention>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (site, first) = (site_id("a"), crawl_id(FIRST));
    for crawl in [FIRST, SECOND] {
        store.save_stumble(&stumble(crawl, "/", 0), Some(b"body")).await.unwrap();
    }
    store.close_crawl(&site, first, &closed(Ending::Complete)).await.unwrap();
    assert!(store.delete_crawl(&site, first, 1_000).await.unwrap().finished);
    assert_eq!(store.stumbles(&site, first).await.unwrap(), []);
    assert_eq!(store.stumbled_body(&site, first, &page("/")).await.unwrap(), None);
    assert_eq!(store.stumbles(&site, crawl_id(SECOND)).await.unwrap().len(), 1);
}

/// Adds the tests of [`Stumbles`] on the subject that the expression makes.
#[macro_export]
macro_rules! stumbles_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { stumbles, $fresh;
            a_stumble_is_read_back_with_its_body
            a_page_that_is_visited_again_has_one_stumble
            a_body_that_is_too_large_is_dropped_and_the_rest_is_kept
            a_crawl_keeps_a_few_bodies_and_every_note
            stumbles_go_with_their_crawl
        }
    };
}
