use std::time::Duration;

use recrawl_testkit::site::{Page, Site};
use tokio::task::yield_now;

use super::*;

fn fetcher(site: &Site, body_memory: u64) -> Arc<HttpFetcher> {
    let settings = HttpSettings {
        body_memory,
        total_time_out: Duration::from_secs(20),
        ..HttpSettings::new("recrawl-test/1 (+https://example.org/)")
    };
    Arc::new(HttpFetcher::new(settings, AddressGuard::for_root(&site.at("/"))).unwrap())
}

async fn get(fetcher: &HttpFetcher, url: &PageUrl) -> Response {
    fetcher.exchange(Request::get(url)).await.unwrap().response
}

#[tokio::test]
async fn a_body_counts_until_it_is_dropped_and_the_next_is_not_asked_for_before_there_is_room() {
    let site = Site::start().await;
    let body = "x".repeat(300_000);
    site.page("/plain", Page::html(body.clone()))
        .page("/chunked", Page::html(body.clone()).chunked(1_000))
        .page("/gzip", Page::html(body).gzipped())
        .page("/next", Page::html("x"));
    for path in ["/plain", "/chunked", "/gzip"] {
        let fetcher = fetcher(&site, 250_000);
        let first = get(&fetcher, &site.at(path)).await;
        assert_eq!(fetcher.bodies.used_and_waiting(), (3_600_000, 0), "{path}: twelve times its length");
        let kept = first.memory.clone();
        drop(first);
        let (asking, next) = (Arc::clone(&fetcher), site.at("/next"));
        site.clear_log();
        let waiting = tokio::spawn(async move { get(&asking, &next).await });
        while fetcher.bodies.used_and_waiting().1 == 0 {
            yield_now().await;
        }
        assert!(site.log().is_empty(), "{path}: nothing is asked for");
        drop(kept);
        let next = waiting.await.unwrap();
        assert_eq!(fetcher.bodies.used_and_waiting(), (12, 0), "{path}");
        drop(next);
        assert_eq!(fetcher.bodies.used_and_waiting(), (0, 0), "{path}");
    }
}

#[tokio::test]
async fn what_has_no_body_or_comes_to_nothing_keeps_nothing() {
    let site = Site::start().await;
    site.page("/a", Page::html("x".repeat(1_000)))
        .page("/broken", Page::bytes("text/html", "x").with_header("Content-Encoding", "gzip"))
        .page("/closed", Page::closed());
    let fetcher = fetcher(&site, 1 << 20);
    let head = fetcher.exchange(Request::head(&site.at("/a"))).await.unwrap();
    assert_eq!(fetcher.bodies.used_and_waiting(), (0, 0));
    for path in ["/broken", "/closed"] {
        fetcher.exchange(Request::get(&site.at(path))).await.unwrap_err();
        assert_eq!(fetcher.bodies.used_and_waiting(), (0, 0), "{path}");
    }
    drop(head);
}
