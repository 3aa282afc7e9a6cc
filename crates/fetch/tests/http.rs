//! One request against a server with faults.

#![expect(clippy::unwrap_used, reason = "a test that fails panics with what came instead")]

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::record::Validators;
use recrawl_core::ports::{Request, Response};
use recrawl_core::url::PageUrl;
use recrawl_fetch::{AddressGuard, Exchange, HttpFetcher, HttpSettings, Lookup, Transport, TransportError};
use recrawl_testkit::site::{Page, Site};

fn settings() -> HttpSettings {
    HttpSettings::new("recrawl-test/1 (+https://example.org/)")
}

fn fetcher(site: &Site) -> HttpFetcher {
    HttpFetcher::new(settings(), AddressGuard::for_root(&site.at("/"))).unwrap()
}

async fn exchange(site: &Site, path: &str) -> Result<Exchange, TransportError> {
    fetcher(site).exchange(Request::get(&site.at(path))).await
}

async fn get(site: &Site, path: &str) -> Response {
    exchange(site, path).await.unwrap().response
}

#[tokio::test]
async fn a_request_says_who_asks_and_what_is_understood_and_nothing_else() {
    let site = Site::start().await;
    site.page("/a?b=c", Page::html("x").with_header("Set-Cookie", "a=b"));
    let fetcher = fetcher(&site);
    let url = site.at("/a?b=c");
    for _ in 0..2 {
        fetcher.exchange(Request::get(&url)).await.unwrap();
    }
    for logged in site.requests_for("/a?b=c") {
        let mut headers = logged.headers.clone();
        headers.sort();
        let expected = [
            ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            ("accept-encoding", "gzip, br, zstd, deflate"),
            ("host", &site.address().to_string()),
            ("user-agent", "recrawl-test/1 (+https://example.org/)"),
        ];
        assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    assert_eq!(site.log().len(), 2);
}

#[tokio::test]
async fn a_server_is_told_which_languages_are_wanted() {
    let site = Site::start().await;
    site.page("/", Page::html("x"));
    let settings = HttpSettings { accept_language: Some("de, en;q=0.5".to_owned()), ..settings() };
    let fetcher = HttpFetcher::new(settings, AddressGuard::for_root(&site.at("/"))).unwrap();
    fetcher.exchange(Request::get(&site.at("/"))).await.unwrap();
    let languages = ("accept-language".to_owned(), "de, en;q=0.5".to_owned());
    assert!(site.requests_for("/")[0].headers.contains(&languages));
}

#[tokio::test]
async fn odd_validators_are_sent_back_as_they_came() {
    let site = Site::start().await;
    site.page("/a", Page::html("x").with_header("ETag", "W/caf\u{e9} \"1\""));
    let url = site.at("/a");
    let fetcher = fetcher(&site);
    let first = fetcher.exchange(Request::get(&url)).await.unwrap().response;
    let validators = first.headers.validators().unwrap();
    let again = Request { validators: Some(&validators), ..Request::get(&url) };
    assert_eq!(fetcher.exchange(again).await.unwrap().response.status, 304);
    let logged = &site.requests_for("/a")[1];
    assert_eq!(logged.header("if-none-match"), Some("W/caf\u{e9} \"1\""));
    assert_eq!(logged.header("if-modified-since"), validators.last_modified.as_deref());
}

#[tokio::test]
async fn a_304_with_the_headers_of_a_body_has_none() {
    let site = Site::start().await;
    site.page("/a", Page::html("x").gzipped().with_header("Content-Length", "23").with_lying_validators());
    let url = site.at("/a");
    let validators = Validators { etag: Some("\"1\"".to_owned()), last_modified: None };
    let request = Request { validators: Some(&validators), ..Request::get(&url) };
    let response = fetcher(&site).exchange(request).await.unwrap().response;
    assert_eq!((response.status, response.body.len()), (304, 0));
}

#[tokio::test]
async fn bytes_are_counted_as_received() {
    let site = Site::start().await;
    site.page("/a", Page::html("0123456789".repeat(10_000)).gzipped());
    let response = get(&site, "/a").await;
    assert_eq!(response.body.len(), 100_000);
    let sent = site.bytes_sent();
    assert!(response.received_bytes.abs_diff(sent) < 8, "{} of {sent}", response.received_bytes);
}

#[tokio::test]
async fn the_date_of_the_server_counts_if_it_is_near() {
    let site = Site::start().await;
    let near = SystemTime::now() - Duration::from_mins(5);
    site.page("/near", Page::html("x").with_header("Date", &httpdate::fmt_http_date(near)))
        .page("/far", Page::html("x").with_header("Date", "Sun, 06 Nov 1994 08:49:37 GMT"));
    let age = async |path| Timestamp::now().duration_since(get(&site, path).await.fetched_at);
    let (near, far) = (age("/near").await, age("/far").await);
    assert!(near >= SignedDuration::from_mins(5) && near < SignedDuration::from_mins(6), "{near}");
    assert!(far < SignedDuration::from_mins(1), "{far}");
}

#[tokio::test]
async fn slow_servers_end_at_the_time_outs() {
    let site = Site::start().await;
    let drip = Page::html("x".repeat(1_000_000)).dripping(1, Duration::from_millis(50));
    site.page("/drip", drip)
        .page("/stuck", Page::html("xx").dripping(1, Duration::from_hours(1)))
        .page("/silent", Page::silent())
        .page("/late", Page::html("x").delayed(Duration::from_millis(150)));
    let guard = || AddressGuard::for_root(&site.at("/"));
    // Each page ends by the shorter of the two time-outs; the other one would come after the test was given up.
    let (soon, never) = (Duration::from_millis(700), Duration::from_hours(1));
    for (path, read_time_out, total_time_out) in
        [("/drip", never, soon), ("/stuck", soon, never), ("/silent", soon, never)]
    {
        let settings = HttpSettings { read_time_out, total_time_out, ..settings() };
        let fetcher = HttpFetcher::new(settings, guard()).unwrap();
        let started = Instant::now();
        let error = fetcher.exchange(Request::get(&site.at(path))).await.unwrap_err();
        assert!(matches!(error, TransportError::Broken { .. }), "{path}: {error}");
        assert!(started.elapsed() >= soon, "{path}: {error}");
    }
    let fetcher = HttpFetcher::new(settings(), guard()).unwrap();
    let response = fetcher.exchange(Request::get(&site.at("/late"))).await.unwrap().response;
    assert!(response.fetch_ms >= 150, "{}", response.fetch_ms);
}

#[tokio::test]
async fn a_host_that_refuses_connections_is_unreachable_and_says_so() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let root: PageUrl = format!("http://{}/", free.local_addr().unwrap()).parse().unwrap();
    drop(free);
    let fetcher = HttpFetcher::new(settings(), AddressGuard::for_root(&root)).unwrap();
    let error = fetcher.exchange(Request::get(&root)).await.unwrap_err();
    assert!(matches!(error, TransportError::Unreachable { .. }));
    assert!(error.to_string().starts_with("cannot connect: "), "{error}");
}

#[tokio::test]
async fn a_broken_coding_is_unreadable_and_not_a_broken_host() {
    let site = Site::start().await;
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 4);
        bytes
    };
    let coded =
        |coding: &str, body: Vec<u8>| Page::bytes("text/html", body).with_header("Content-Encoding", coding);
    site.page("/truncated", coded("gzip", cut(gzip(b"some text"))))
        .page("/mislabelled", coded("br", b"<p>some text".to_vec()))
        .page("/unknown", coded("compress", b"some text".to_vec()));
    for path in ["/truncated", "/mislabelled", "/unknown"] {
        let outcome = exchange(&site, path).await;
        assert!(matches!(outcome, Err(TransportError::Unreadable { .. })), "{path}: {outcome:?}");
    }
}

#[tokio::test]
async fn every_coding_is_understood() {
    let site = Site::start().await;
    let text = "some text, ".repeat(1000).into_bytes();
    let stacked = zstandard(&gzip(&text));
    for (coding, body) in [
        ("gzip", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("br", brotli(&text)),
        ("zstd", zstandard(&text)),
        ("gzip, zstd", stacked),
    ] {
        let page = Page::bytes("text/html", body).with_header("Content-Encoding", coding);
        for page in [page.clone(), page.chunked(7)] {
            site.page("/a", page);
            let response = get(&site, "/a").await;
            assert!(response.body == text && !response.truncated, "{coding}");
        }
    }
}

#[tokio::test]
async fn an_empty_redirect_may_name_a_coding() {
    let site = Site::start().await;
    site.page("/a", Page::status(301).with_header("Content-Encoding", "gzip"));
    assert_eq!(get(&site, "/a").await.status, 301);
}

#[tokio::test]
async fn bombs_stop_at_the_limit() {
    let site = Site::start().await;
    let zeros = vec![0; 200 << 20];
    for (coding, body) in [
        ("gzip", gzip(&zeros)),
        ("deflate", zlib(&zeros)),
        ("br", brotli(&zeros)),
        ("zstd", zstandard(&zeros)),
        ("zstd, gzip", gzip(&zstandard(&zeros))),
    ] {
        site.page("/bomb", Page::bytes("text/html", body).with_header("Content-Encoding", coding));
        let response = get(&site, "/bomb").await;
        assert_eq!((response.body.len(), response.truncated), (10 << 20, true), "{coding}");
        assert!(response.body.capacity() <= 20 << 20, "{coding} holds {}", response.body.capacity());
    }
}

#[tokio::test]
async fn the_bytes_on_the_wire_have_a_limit_too() {
    let site = Site::start().await;
    site.page("/a", Page::bytes("image/png", vec![1; 300_000]));
    let settings = HttpSettings { raw_limit: 200_000, ..settings() };
    let fetcher = HttpFetcher::new(settings, AddressGuard::for_root(&site.at("/"))).unwrap();
    let url = site.at("/a");
    let response = fetcher.exchange(Request::get(&url)).await.unwrap().response;
    assert_eq!((response.body.len(), response.truncated), (200_000, true));
    let request = Request { body_limit: Some(1 << 20), ..Request::get(&url) };
    let response = fetcher.exchange(request).await.unwrap().response;
    assert_eq!((response.body.len(), response.truncated), (300_000, false));
}

#[tokio::test]
async fn documents_have_a_limit_of_their_own() {
    let site = Site::start().await;
    for (path, content_type, expected) in [
        ("/a", "application/pdf", 200_000),
        ("/b.docx", "application/octet-stream", 200_000),
        ("/c", "text/html", 100_000),
    ] {
        site.page(path, Page::bytes(content_type, vec![1; 300_000]));
        let settings =
            HttpSettings { raw_limit: 100_000, body_limit: 100_000, document_limit: 200_000, ..settings() };
        let fetcher = HttpFetcher::new(settings, AddressGuard::for_root(&site.at("/"))).unwrap();
        let response = fetcher.exchange(Request::get(&site.at(path))).await.unwrap().response;
        assert_eq!((response.body.len(), response.truncated), (expected, true), "{path}");
    }
}

#[tokio::test]
async fn retry_after_is_read_from_seconds_and_dates() {
    let site = Site::start().await;
    let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
    for (value, expected) in [("7", 7..8), (soon.as_str(), 90..101), ("later", 0..1), ("-5", 0..1)] {
        site.page("/a", Page::status(503).with_retry_after(value));
        let wait = exchange(&site, "/a").await.unwrap().retry_after.unwrap_or_default();
        assert!(expected.contains(&wait.as_secs()), "{value}: {wait:?}");
    }
}

#[tokio::test]
async fn only_a_request_that_connects_tells_when_it_did() {
    let site = Site::start().await;
    site.page("/a", Page::html("x"));
    let fetcher = fetcher(&site);
    let url = site.at("/a");
    let first = fetcher.exchange(Request::get(&url)).await.unwrap();
    let second = fetcher.exchange(Request::get(&url)).await.unwrap();
    assert_eq!((first.connected_at.is_some(), second.connected_at.is_some()), (true, false));
}

/// Knows one address for every name.
struct Everything(IpAddr);

#[async_trait]
impl Lookup for Everything {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(vec![self.0])
    }
}

#[tokio::test]
async fn a_public_name_that_leads_inside_is_refused_and_never_asked() {
    let site = Site::start().await;
    site.page("/", Page::html("secret"));
    let port = site.address().port();
    let named: PageUrl = format!("http://evil.example:{port}/").parse().unwrap();
    let lookup = Arc::new(Everything(site.address().ip()));
    let guard =
        AddressGuard::for_root(&"https://public.example/".parse().unwrap()).with_lookup(lookup.clone());
    let fetcher = HttpFetcher::new(settings(), guard).unwrap();
    for url in [&named, &site.at("/"), &format!("http://localhost:{port}/").parse().unwrap()] {
        let outcome = fetcher.exchange(Request::get(url)).await;
        assert!(matches!(outcome, Err(TransportError::Refused(_))), "{url}: {outcome:?}");
    }
    assert!(site.log().is_empty());

    // Nor where the user named it: it was another place then.
    let given = || AddressGuard::for_root(&named).with_lookup(lookup.clone());
    let moved = HttpFetcher::new(settings(), given()).unwrap().exchange(Request::get(&named)).await;
    assert_eq!(
        moved.unwrap_err().to_string(),
        "not fetched: evil.example now leads to 127.0.0.1, an address inside this network; it was not visited. \
         If that is meant, set allow-private = true"
    );
    assert!(site.log().is_empty());

    // It is admitted where the user says so, at the port that was given: the refusals above were the guard's.
    let fetcher = HttpFetcher::new(settings(), given().allowing_private(true)).unwrap();
    let other_port: PageUrl = format!("http://evil.example:{}/", port ^ 1).parse().unwrap();
    let outcome = fetcher.exchange(Request::get(&other_port)).await;
    assert!(matches!(outcome, Err(TransportError::Refused(_))), "{outcome:?}");
    assert_eq!(fetcher.exchange(Request::get(&named)).await.unwrap().response.body, b"secret");
}

#[tokio::test]
async fn a_user_agent_that_cannot_be_sent_is_refused() {
    let refused = HttpFetcher::new(HttpSettings::new("a\nb"), AddressGuard::public_only());
    let message = refused.unwrap_err().to_string();
    assert_eq!(message, "the user agent \"a\\nb\" has characters that no header may have");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 1 << 16, 2, 22);
    encoder.write_all(bytes).unwrap();
    encoder.into_inner()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}
