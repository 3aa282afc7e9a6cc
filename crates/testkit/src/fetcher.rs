//! The contract of [`Fetcher`], as tests on a [`Site`].
//!
//! [`fetcher_conformance!`](crate::fetcher_conformance) makes one test of each case, on a fresh server
//! and a fresh fetcher.

#![expect(clippy::unwrap_used, reason = "a case that fails panics with what came instead")]

use std::time::Duration;

use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::ports::{FetchError, Fetcher, Request};

use crate::site::{Page, Site, assert_spaced};

/// Returns the pace that the fetcher under test keeps, fast enough for tests.
pub fn pace() -> PaceSettings {
    PaceSettings {
        delay: Duration::from_millis(100),
        back_off: Duration::from_millis(400),
        ..PaceSettings::default()
    }
}

/// Makes one test of each case of the contract of a fetcher.
///
/// Takes a function from the root of a site to a fetcher which may fetch there, keeps the pace of
/// [`fetcher::pace`](crate::fetcher::pace), and gives up a request after a second.
#[macro_export]
macro_rules! fetcher_conformance {
    ($make:expr) => {
        $crate::fetcher_conformance!(
            $make;
            redirects_are_answers
            any_status_is_an_answer
            the_headers_that_matter_are_kept
            validators_lead_to_a_304
            headers_can_be_had_alone
            a_body_over_the_limit_is_cut
            calls_to_one_host_keep_its_delay
            a_host_in_trouble_is_paused
            retry_after_is_kept
            no_whole_answer_is_no_answer
        );
    };
    ($make:expr; $($case:ident)+) => {
        mod fetcher_conformance {
            use super::*;
            $(
                #[tokio::test]
                async fn $case() {
                    let site = $crate::site::Site::start().await;
                    let fetcher = $make(&site.at("/"));
                    $crate::fetcher::$case(&fetcher, &site).await;
                }
            )+
        }
    };
}

/// Redirects are not followed.
pub async fn redirects_are_answers(fetcher: &impl Fetcher, site: &Site) {
    site.page("/new", Page::html("new"));
    for status in [301, 302, 303, 307, 308] {
        site.redirect("/old", "/new", status);
        let response = fetcher.fetch(Request::get(&site.at("/old"))).await.unwrap();
        assert_eq!(response.status, status);
        assert_eq!(response.headers.location.as_deref(), Some("/new"));
    }
    assert!(site.requests_for("/new").is_empty(), "a redirect was followed");
}

/// An answer with any status is an answer, with its body.
pub async fn any_status_is_an_answer(fetcher: &impl Fetcher, site: &Site) {
    for status in [200, 203, 400, 403, 404, 410, 418, 500, 503, 599] {
        site.page("/a", Page::html("body").with_status(status));
        let response = fetcher.fetch(Request::get(&site.at("/a"))).await.unwrap();
        assert_eq!((response.status, response.body.as_slice()), (status, b"body".as_slice()));
    }
}

/// Headers come as they were sent.
pub async fn the_headers_that_matter_are_kept(fetcher: &impl Fetcher, site: &Site) {
    let page = Page::bytes("Text/HTML; Charset=X", "x")
        .with_header("ETag", "W/odd \"tag\"")
        .with_header("Last-Modified", "yesterday")
        .with_header("X-Robots-Tag", "noindex")
        .with_header("Cache-Control", "max-age=60");
    site.page("/a", page);
    let response = fetcher.fetch(Request::get(&site.at("/a"))).await.unwrap();
    let headers = response.headers;
    for (header, expected) in [
        (headers.etag, "W/odd \"tag\""),
        (headers.last_modified, "yesterday"),
        (headers.robots_tag, "noindex"),
        (headers.content_type, "Text/HTML; Charset=X"),
    ] {
        assert_eq!(header.as_deref(), Some(expected));
    }
    assert!(response.received_bytes > 100, "the head counts too");
    let fresh_for = response.fresh_until.unwrap().duration_since(response.fetched_at);
    assert_eq!(fresh_for.as_secs(), 60);
}

/// A page that did not change costs a 304, and one that did does not.
pub async fn validators_lead_to_a_304(fetcher: &impl Fetcher, site: &Site) {
    site.page("/a", Page::html("one"));
    let url = site.at("/a");
    let first = fetcher.fetch(Request::get(&url)).await.unwrap();
    assert_eq!((first.status, first.body.as_slice()), (200, b"one".as_slice()));
    let validators = first.headers.validators().unwrap();
    let again = Request { validators: Some(&validators), ..Request::get(&url) };
    let second = fetcher.fetch(again.clone()).await.unwrap();
    assert_eq!((second.status, second.body.len(), second.truncated), (304, 0, false));
    site.page("/a", Page::html("two"));
    let third = fetcher.fetch(again).await.unwrap();
    assert_eq!((third.status, third.body.as_slice()), (200, b"two".as_slice()));
}

/// A request for headers brings what the page would, and no body, also if nothing changed.
pub async fn headers_can_be_had_alone(fetcher: &impl Fetcher, site: &Site) {
    site.page("/a", Page::html("x".repeat(1000)));
    let url = site.at("/a");
    let whole = fetcher.fetch(Request::get(&url)).await.unwrap();
    let head = fetcher.fetch(Request::head(&url)).await.unwrap();
    assert_eq!((head.status, head.body.len(), head.truncated), (200, 0, false));
    assert_eq!(head.headers, whole.headers);
    let validators = whole.headers.validators().unwrap();
    let again = Request { validators: Some(&validators), ..Request::head(&url) };
    assert_eq!(fetcher.fetch(again).await.unwrap().status, 304);
    let methods: Vec<String> = site.log().into_iter().map(|logged| logged.method).collect();
    assert_eq!(methods, ["GET", "HEAD", "HEAD"]);
}

/// No more than the limit of a body is kept, and a body of just that length is whole.
pub async fn a_body_over_the_limit_is_cut(fetcher: &impl Fetcher, site: &Site) {
    let body = "0123456789".repeat(10_000);
    site.page("/plain", Page::text(body.clone()))
        .page("/gzip", Page::text(body.clone()).gzipped())
        .page("/chunked", Page::text(body.clone()).chunked(999));
    for path in ["/plain", "/gzip", "/chunked"] {
        for (limit, kept, truncated) in
            [(100_001, 100_000, false), (100_000, 100_000, false), (99_999, 99_999, true), (5, 5, true)]
        {
            let url = site.at(path);
            let request = Request { body_limit: Some(limit), ..Request::get(&url) };
            let response = fetcher.fetch(request).await.unwrap();
            assert_eq!((response.body.len(), response.truncated), (kept, truncated), "{path} {limit}");
            assert_eq!(response.body, &body.as_bytes()[..kept], "{path} {limit}");
        }
    }
}

/// No two calls start within the delay, by the clock of the server.
pub async fn calls_to_one_host_keep_its_delay(fetcher: &impl Fetcher, site: &Site) {
    site.page("/a", Page::html("a"));
    let url = site.at("/a");
    let caller = async || {
        for _ in 0..4 {
            fetcher.fetch(Request::get(&url)).await.unwrap();
        }
    };
    tokio::join!(caller(), caller(), caller(), caller());
    assert_eq!(site.log().len(), 16);
    assert_spaced(&site.log(), pace().delay);
}

/// Trouble pauses the host; a good answer ends that.
pub async fn a_host_in_trouble_is_paused(fetcher: &impl Fetcher, site: &Site) {
    site.page("/a", Page::html("well").after(1, Page::status(502)));
    let url = site.at("/a");
    for expected in [502, 200, 200] {
        assert_eq!(fetcher.fetch(Request::get(&url)).await.unwrap().status, expected);
    }
    let log = site.log();
    assert!(log[1].arrival - log[0].arrival >= pace().back_off, "the host was not left alone");
    assert!(log[2].arrival - log[1].arrival < pace().back_off, "the host was still left alone");
}

/// A host is left alone for as long as it asks.
pub async fn retry_after_is_kept(fetcher: &impl Fetcher, site: &Site) {
    site.page("/a", Page::html("well").after(1, Page::status(503).with_retry_after("1")));
    let url = site.at("/a");
    for expected in [503, 200] {
        assert_eq!(fetcher.fetch(Request::get(&url)).await.unwrap().status, expected);
    }
    let log = site.log();
    assert!(log[1].arrival - log[0].arrival >= Duration::from_secs(1), "the host was not left alone");
}

/// A connection that breaks off, or never answers, is no answer, whatever came before.
pub async fn no_whole_answer_is_no_answer(fetcher: &impl Fetcher, site: &Site) {
    let body = "x".repeat(1000);
    site.page("/closed", Page::closed())
        .page("/silent", Page::silent())
        .page("/reset", Page::html(body.clone()).reset_after(500))
        .page("/short", Page::html(body).ended_after(500));
    for path in ["/closed", "/silent", "/reset", "/short"] {
        let outcome = fetcher.fetch(Request::get(&site.at(path))).await;
        assert!(matches!(outcome, Err(FetchError::NoAnswer { .. })), "{path}: {outcome:?}");
    }
}
