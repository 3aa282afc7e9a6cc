//! Redirects that lead round in circles, nowhere, or where nobody may go.

use std::io;

use super::{Ask, Case, html};
use crate::listener::{Connection, Then};

const REDIRECTED: &[&str] = &["new", "moved", "failed", "excluded"];

/// In the second crawl every hop of the first begins a chain, until so many of one shape are seen that it is a trap.
const AGAIN: usize = 180;

pub(super) const CASES: &[Case] = &[
    Case::new("redirect-self", "a redirect to itself", |_, connection| to(connection, "/bad"))
        .bad(REDIRECTED),
    Case::new("redirect-circle", "two redirects to each other", |ask, connection| match ask.path {
        "/bad" => to(connection, "/worse"),
        "/worse" => to(connection, "/bad"),
        _ => Ok(None),
    })
    .everywhere(),
    Case::new("redirect-chain", "a chain of redirects without end", chain).everywhere().requests(60),
    Case::new("redirect-chain-query", "a chain of redirects through queries", |ask, connection| {
        if ask.path != "/bad" {
            return Ok(None);
        }
        to(connection, &format!("/bad?hop={}", ask.request.number))
    })
    .everywhere()
    .requests(AGAIN),
    Case::new("redirect-everything", "every page redirects to a new one", |ask, connection| {
        if ask.path == "/robots.txt" || ask.path.contains("sitemap") {
            return Ok(None);
        }
        to(connection, &format!("/more/{}", ask.request.number))
    })
    .everywhere()
    .hopeless(&[0, 1, 3])
    .requests(AGAIN),
    Case::new("redirect-file", "a redirect to file:", |_, connection| to(connection, "file:///etc/passwd"))
        .bad(REDIRECTED),
    Case::new("redirect-javascript", "a redirect to javascript:", |_, connection| {
        to(connection, "javascript:alert(1)")
    })
    .bad(REDIRECTED),
    Case::new("redirect-data", "a redirect to data:", |_, connection| to(connection, "data:text/html,<p>x"))
        .bad(REDIRECTED),
    Case::new("redirect-metadata", "a redirect to the metadata service of a cloud", |_, connection| {
        to(connection, "http://169.254.169.254/computeMetadata/v1/")
    })
    .bad(REDIRECTED),
    Case::new("redirect-inside", "a redirect to a machine inside", |_, connection| {
        to(connection, "http://10.0.0.5/admin")
    })
    .bad(REDIRECTED),
    Case::new("redirect-stranger", "a redirect to another site", |ask, connection| {
        to(connection, &format!("{}/page", ask.stranger))
    })
    .bad(REDIRECTED),
    Case::new("redirect-1mb", "an address of 50 kB to go to", |_, connection| {
        to(connection, &"/x".repeat(25_000))
    })
    .bad(REDIRECTED),
    Case::new("redirect-nowhere", "a redirect without an address", |_, connection| {
        connection.respond("302 Found", &[], b"").map(Some)
    })
    .bad(REDIRECTED),
    Case::new("redirect-no-url", "a redirect to what is no address", |_, connection| {
        to(connection, "http://[::1")
    })
    .bad(REDIRECTED),
    Case::new("redirect-two", "two addresses to go to", |_, connection| {
        connection.respond("302 Found", &["Location: /good-1", "Location: /good-2"], b"").map(Some)
    })
    .bad(REDIRECTED),
    Case::new("redirect-bytes", "an address that is not UTF-8", |_, connection| {
        connection.send(b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\xff\r\nContent-Length: 0\r\n\r\n")?;
        Ok(Some(Then::Keep))
    })
    .bad(REDIRECTED),
    Case::new("refresh-self", "a page that refreshes to itself at once", |_, connection| {
        html(connection, "<meta http-equiv=refresh content='0;url=/bad'><p>Wait").map(Some)
    })
    .bad(&["new"]),
    Case::new("refresh-chain", "pages that refresh to ever new ones", |ask, connection| {
        let number = match ask.path {
            "/bad" => 0,
            path => match path.strip_prefix("/refresh-").and_then(|number| number.parse::<usize>().ok()) {
                Some(number) => number,
                None => return Ok(None),
            },
        };
        html(connection, format!("<meta http-equiv=refresh content='0;url=/refresh-{}'><p>Wait", number + 1))
            .map(Some)
    })
    .everywhere()
    .flags(&["--max-time", "5s"])
    .seconds(10.0, 8.0)
    .requests(400),
];

fn to(connection: &mut Connection, address: &str) -> io::Result<Option<Then>> {
    let location = format!("Location: {address}");
    connection.respond("302 Found", &[&location, "Content-Type: text/html"], b"<p>Elsewhere").map(Some)
}

fn chain(ask: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    if ask.path == "/bad" {
        return to(connection, "/hop-1");
    }
    match ask.path.strip_prefix("/hop-").and_then(|number| number.parse::<usize>().ok()) {
        Some(number) => to(connection, &format!("/hop-{}", number + 1)),
        None => Ok(None),
    }
}
