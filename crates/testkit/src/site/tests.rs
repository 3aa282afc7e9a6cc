use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::{Gate, Page, Site};

/// Sends one request on a connection of its own and reads to its end.
fn ask(site: &Site, path: &str, headers: &str) -> String {
    ask_at(site.address(), path, headers)
}

fn ask_at(address: SocketAddr, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    // A reset connection is an error of the read; what came before it counts.
    let _ = stream.read_to_end(&mut answer);
    answer.into_iter().map(char::from).collect()
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn a_planted_page_is_answered_and_a_removed_one_is_not() {
    let site = Site::start_blocking();
    site.page("/a", Page::html("one"));
    let answer = ask(&site, "/a", "");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\none"), "{answer}");
    site.remove("/a");
    assert!(ask(&site, "/a", "").starts_with("HTTP/1.1 404 "));
    let statuses: Vec<_> = site.log().iter().map(|logged| logged.status).collect();
    assert_eq!(statuses, [Some(200), Some(404)]);
}

#[test]
fn an_unchanged_page_is_answered_with_304_by_tag_or_date() {
    let site = Site::start_blocking();
    site.page("/a", Page::html("one"));
    let first = ask(&site, "/a", "");
    let tag = format!("If-None-Match: {}\r\n", header(&first, "ETag").unwrap());
    let date = format!("If-Modified-Since: {}\r\n", header(&first, "Last-Modified").unwrap());
    let old = "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for (conditions, status) in [
        (tag.as_str(), "304"),
        (&date, "304"),
        (old, "200"),
        (&format!("If-None-Match: \"x\"\r\n{date}"), "200"),
        (&format!("If-None-Match: \"x\", W/{}", &tag["If-None-Match: ".len()..]), "304"),
    ] {
        let answer = ask(&site, "/a", conditions);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{conditions}: {answer}");
    }
    site.page("/a", Page::html("two"));
    assert!(ask(&site, "/a", &tag).starts_with("HTTP/1.1 200 "));
    site.page("/a", Page::html("three").with_lying_validators());
    assert!(ask(&site, "/a", &tag).starts_with("HTTP/1.1 304 "));
    site.page("/a", Page::html("three").without_validators());
    let answer = ask(&site, "/a", &tag);
    assert!(answer.starts_with("HTTP/1.1 200 ") && header(&answer, "ETag").is_none());
}

#[test]
fn a_page_can_fail_at_first() {
    let site = Site::start_blocking();
    let trouble = Page::status(503).with_retry_after("2");
    site.page("/a", Page::html("well").after(2, trouble));
    assert_eq!(header(&ask(&site, "/a", ""), "Retry-After"), Some("2"));
    assert!(ask(&site, "/a", "").starts_with("HTTP/1.1 503 "));
    assert!(ask(&site, "/a", "").ends_with("well"));
}

#[test]
fn bodies_arrive_in_the_way_that_was_planted() {
    let site = Site::start_blocking();
    site.page("/chunked", Page::text("abcde").chunked(2))
        .page("/drip", Page::text("abc").dripping(1, Duration::from_millis(20)))
        .page("/reset", Page::text("abcdef").reset_after(3))
        .page("/end", Page::text("abcdef").ended_after(3))
        .page("/close", Page::closed())
        .page("/late", Page::text("x").delayed(Duration::from_millis(50)))
        .page("/latin", Page::text("x").with_header("X-Name", "caf\u{e9}"))
        .redirect("/old", "/new", 301);
    assert!(ask(&site, "/chunked", "").ends_with("\r\n\r\n2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n"));
    let start = Instant::now();
    assert!(ask(&site, "/drip", "").ends_with("\r\n\r\nabc"));
    assert!(start.elapsed() >= Duration::from_millis(60));
    for path in ["/reset", "/end"] {
        let answer = ask(&site, path, "");
        assert!(answer.contains("Content-Length: 6\r\n") && answer.ends_with("\r\n\r\nabc"), "{answer}");
    }
    assert_eq!(ask(&site, "/close", ""), "");
    let start = Instant::now();
    ask(&site, "/late", "");
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!(header(&ask(&site, "/latin", ""), "X-Name"), Some("caf\u{e9}"));
    assert_eq!(header(&ask(&site, "/old", ""), "Location"), Some("/new"));
    assert_eq!(site.requests_for("/close")[0].status, None);
}

#[tokio::test]
async fn an_answer_waits_behind_its_gate_until_that_is_opened() {
    let (site, gate) = (Site::start().await, Gate::shut());
    site.page("/", Page::text("x").behind(&gate));
    let address = site.address();
    let asking = tokio::task::spawn_blocking(move || ask_at(address, "/", ""));
    site.asked_for("/", 1).await;
    assert!(site.log()[0].sent == 0 && !asking.is_finished());
    gate.open();
    assert!(asking.await.unwrap().ends_with('x'));
}

#[test]
fn the_log_tells_what_was_asked_and_sent() {
    let site = Site::start_blocking();
    site.page("/a?b=c", Page::text("0123456789").without_validators());
    let answer = ask(&site, "/a?b=c", "X-Test: yes\r\n");
    let logged = &site.requests_for("/a?b=c")[0];
    assert_eq!((logged.method.as_str(), logged.header("x-test")), ("GET", Some("yes")));
    assert_eq!(logged.sent, answer.len() as u64);
    assert_eq!(site.bytes_sent(), logged.sent);
    site.clear_log();
    assert!(site.log().is_empty());
}
