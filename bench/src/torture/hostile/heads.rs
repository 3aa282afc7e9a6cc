//! Heads of answers that are slow, endless, huge or no HTTP.

use std::io;
use std::time::Duration;

use super::{Ask, Case, flood, pieces};
use crate::listener::{Connection, Then};

const GOOD_BODY: &str = "Content-Type: text/html\r\nContent-Length: 14\r\n\r\n<p>A good body";

pub(super) const CASES: &[Case] = &[
    Case::new("head-slow", "a head of which a byte comes every 300 ms", slow),
    Case::new("head-never", "a request that is never answered", never),
    Case::new("head-endless", "headers without end", endless).requests(60),
    Case::new("head-line-endless", "one header line without end", endless_line).requests(60),
    Case::new("head-1mb", "a header of 1 MB", huge),
    Case::new("cookies-10000", "10,000 cookies in one answer", cookies),
    Case::new("head-nul", "NUL bytes in a header", |_, connection| raw(connection, "X: a\0b\r\n")),
    Case::new("head-no-colon", "a header line without a colon", |_, connection| {
        raw(connection, "this is no header\r\n")
    })
    .bad(&["failed", "new"]),
    Case::new("head-folded", "a folded header", |_, connection| raw(connection, "X: a\r\n b\r\n"))
        .bad(&["failed", "new"]),
    Case::new("head-latin", "a header in Latin-1 and control characters", |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9 \x01\r\n")?;
        whole(connection, GOOD_BODY)
    })
    .bad(&["failed", "new"]),
    Case::new("status-999", "a status of 999", |_, connection| status(connection, "999 What")),
    Case::new("status-000", "a status of 000", |_, connection| status(connection, "000 Nothing")),
    Case::new("status-1000", "a status of four digits", |_, connection| status(connection, "1000 Much")),
    Case::new("status-text", "a status line without a number", |_, connection| status(connection, "OK fine")),
    Case::new("status-empty", "an empty status line", |_, connection| whole(connection, "\r\n\r\n\r\n")),
    Case::new("status-299", "a success that nobody knows", |_, connection| status(connection, "299 Fine"))
        .bad(&["failed", "new"]),
    Case::new("http-0-9", "an answer without any head", |_, connection| {
        whole(connection, "<html><title>0.9</title><p>Hello</html>")
    }),
    Case::new("http-3-7", "a version of HTTP that does not exist", |_, connection| {
        whole(connection, &format!("HTTP/3.7 200 OK\r\n{GOOD_BODY}"))
    }),
    Case::new("tls-on-http", "the first bytes of TLS in place of an answer", |_, connection| {
        connection.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])?;
        Ok(Some(Then::Close))
    }),
    Case::new("early-hints-flood", "interim answers without end", |_, connection| {
        flood(connection, &b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n".repeat(100))
    })
    .seconds(25.0, 10.0)
    .requests(60),
    Case::new("continue-1000", "a thousand interim answers, then a good one", |_, connection| {
        connection.send(b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000))?;
        whole(connection, &format!("HTTP/1.1 200 OK\r\n{GOOD_BODY}"))
    })
    .bad(&["failed", "new"]),
    Case::new("upgrade-unasked", "another protocol that nobody asked for", |_, connection| {
        connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: upgrade\r\n\r\n")?;
        connection.wait(Duration::from_secs(5))?;
        Ok(Some(Then::Close))
    }),
    Case::new("partial-unasked", "a 206 that nobody asked for", |_, connection| {
        let headers = ["Content-Type: text/html", "Content-Range: bytes 0-13/90000"];
        connection.respond("206 Partial Content", &headers, b"<p>A good body").map(Some)
    }),
    Case::new("not-modified-unasked", "a 304 that nobody asked for", |_, connection| {
        whole(connection, "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")
    }),
    Case::new("no-content-with-body", "a 204 with a body behind it", |_, connection| {
        connection.send("HTTP/1.1 204 No Content\r\nContent-Length: 14\r\n\r\n<p>A good body")?;
        Ok(Some(Then::Keep))
    })
    .bad(&["failed", "new"]),
    Case::new("two-answers", "a second answer behind the first, for whoever asks next", |_, connection| {
        let poison = "<title>Poison</title><p>This belongs to nobody";
        let second = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{poison}", poison.len());
        connection.send(format!("HTTP/1.1 200 OK\r\n{GOOD_BODY}{second}"))?;
        Ok(Some(Then::Keep))
    })
    .bad(&["failed", "new"]),
    Case::new("garbage-between", "garbage on a connection that is kept", |_, connection| {
        connection.send(format!("HTTP/1.1 200 OK\r\n{GOOD_BODY}"))?;
        connection.wait(Duration::from_millis(5))?;
        connection.send(b"\0\xff garbage \r\n\r\n garbage".repeat(100))?;
        Ok(Some(Then::Keep))
    })
    .bad(&["failed", "new"]),
    Case::new("etag-100kb", "an entity tag of 100 kB and dates of other centuries", |_, connection| {
        let tag = "t".repeat(100_000);
        let head = format!(
            "HTTP/1.1 200 OK\r\nETag: \"{tag}\"\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\
             Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT\r\nExpires: -1\r\nCache-Control: max-age=99999999999999999999\r\n"
        );
        connection.send(head + GOOD_BODY)?;
        Ok(Some(Then::Keep))
    })
    .bad(&["failed", "new"]),
];

fn whole(connection: &mut Connection, answer: &str) -> io::Result<Option<Then>> {
    connection.send(answer)?;
    Ok(Some(Then::Close))
}

fn raw(connection: &mut Connection, header: &str) -> io::Result<Option<Then>> {
    whole(connection, &format!("HTTP/1.1 200 OK\r\n{header}{GOOD_BODY}"))
}

fn status(connection: &mut Connection, status: &str) -> io::Result<Option<Then>> {
    whole(connection, &format!("HTTP/1.1 {status}\r\n{GOOD_BODY}"))
}

fn slow(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    for byte in format!("HTTP/1.1 200 OK\r\n{GOOD_BODY}").bytes() {
        connection.send([byte])?;
        connection.wait(Duration::from_millis(300))?;
    }
    Ok(Some(Then::Close))
}

fn never(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    connection.wait(Duration::from_mins(1))?;
    Ok(Some(Then::Close))
}

fn endless(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    connection.send("HTTP/1.1 200 OK\r\n")?;
    flood(connection, &b"X-More: and more and more\r\n".repeat(100))
}

fn endless_line(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    connection.send("HTTP/1.1 200 OK\r\nX-More: ")?;
    flood(connection, &b"more".repeat(1_000))
}

fn huge(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    let header = format!("X-Huge: {}\r\n", "x".repeat(1 << 20));
    raw(connection, &header)
}

fn cookies(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    let cookies = pieces(10_000, |number| format!("Set-Cookie: c{number}=1\r\n"));
    raw(connection, &cookies)
}
