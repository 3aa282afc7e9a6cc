//! Bodies that are slow, endless, shorter or longer than they claim, or cut.

use std::io;
use std::time::Duration;

use super::{Ask, Case, flood};
use crate::listener::{Connection, Then};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
const BODY: &str = "<title>Bad</title><p>A good body";

pub(super) const CASES: &[Case] = &[
    Case::new("body-drip", "a body of which a byte comes every 200 ms", drip),
    Case::new("body-hang", "a head, and then nothing", |_, connection| {
        connection.send(format!("{HEAD}Content-Length: 100\r\n\r\n<p>"))?;
        connection.wait(Duration::from_mins(1))?;
        Ok(Some(Then::Close))
    }),
    Case::new("body-endless", "a body without end, until the connection is closed", |_, connection| {
        connection.send(format!("{HEAD}Connection: close\r\n\r\n{BODY}"))?;
        flood(connection, &b"<p>more and more </p>\n".repeat(1_000))
    })
    .bad(&["new", "failed"])
    .seconds(25.0, 12.0)
    .heavy(),
    Case::new("chunks-endless", "chunks without end", |_, connection| {
        chunked(connection)?;
        let text = b"<p>more and more </p>\n".repeat(1_000);
        let mut chunk = format!("{:x}\r\n", text.len()).into_bytes();
        chunk.extend(text);
        chunk.extend(b"\r\n");
        flood(connection, &chunk)
    })
    .bad(&["new", "failed"])
    .seconds(25.0, 12.0)
    .heavy(),
    Case::new("binary-endless", "an image without end", |_, connection| {
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n\r\n\x7fPNG")?;
        flood(connection, &[0xa5; 64 << 10])
    })
    .bad(&["new", "failed"])
    .seconds(25.0, 4.0),
    Case::new("length-too-long", "a body that ends before its length", |_, connection| {
        length(connection, "1000")
    }),
    Case::new("length-too-short", "a body longer than its length", |_, connection| length(connection, "10"))
        .bad(&["new", "failed"]),
    Case::new("length-negative", "a negative length", |_, connection| length(connection, "-5")),
    Case::new("length-huge", "a length of 2^63", |_, connection| length(connection, "9223372036854775808")),
    Case::new("length-beyond", "a length of forty digits", |_, connection| {
        length(connection, "1000000000000000000000000000000000000000")
    }),
    Case::new("length-words", "a length in words", |_, connection| length(connection, "a lot")),
    Case::new("length-twice", "two lengths that differ", |_, connection| {
        connection.send(format!("{HEAD}Content-Length: 5\r\nContent-Length: 14\r\n\r\n{BODY}"))?;
        Ok(Some(Then::Close))
    }),
    Case::new("length-and-chunks", "a length and chunks", |_, connection| {
        connection.send(format!(
            "{HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        ))?;
        Ok(Some(Then::Close))
    })
    .bad(&["new", "failed"]),
    Case::new("chunk-garbage", "a chunk whose length is no number", |_, connection| {
        chunk(connection, "zz\r\nabc\r\n")
    }),
    Case::new("chunk-huge", "a chunk of 2^64 - 1 bytes", |_, connection| {
        chunk(connection, "FFFFFFFFFFFFFFFF\r\nabc\r\n")
    }),
    Case::new("chunk-overflow", "a chunk whose length overflows", |_, connection| {
        chunk(connection, "FFFFFFFFFFFFFFFFFFFFFFFF\r\nabc\r\n")
    }),
    Case::new("chunk-cut", "a chunk that is cut", |_, connection| chunk(connection, "100\r\nabc")),
    Case::new("chunk-no-end", "chunks without the last one", |_, connection| {
        chunk(connection, "3\r\nabc\r\n")
    }),
    Case::new("chunk-extension", "a chunk extension without end", |_, connection| {
        chunked(connection)?;
        connection.send("3;x=")?;
        flood(connection, &b"more".repeat(1_000))
    }),
    Case::new("chunk-trailers", "trailers without end", |_, connection| {
        chunked(connection)?;
        connection.send("3\r\nabc\r\n0\r\n")?;
        flood(connection, &b"X-Trailer: more and more\r\n".repeat(100))
    })
    .bad(&["new", "failed"]),
    Case::new("chunks-of-a-byte", "200,000 chunks of a byte", |_, connection| {
        chunked(connection)?;
        for _ in 0..200 {
            connection.send(b"1\r\nx\r\n".repeat(1_000))?;
        }
        connection.send("0\r\n\r\n")?;
        Ok(Some(Then::Keep))
    })
    .bad(&["new", "failed"])
    .seconds(20.0, 4.0),
    Case::new("encoding-transfer-unknown", "a transfer encoding that nobody knows", |_, connection| {
        connection.send(format!("{HEAD}Transfer-Encoding: evil\r\n\r\n{BODY}"))?;
        Ok(Some(Then::Close))
    })
    .bad(&["new", "failed"]),
    Case::new("reset-at-once", "a reset in place of an answer", |_, _| Ok(Some(Then::Reset))),
    Case::new("reset-in-head", "a reset within the head", |_, connection| {
        connection.send("HTTP/1.1 200 OK\r\nContent-Ty")?;
        Ok(Some(Then::Reset))
    }),
    Case::new("reset-after-head", "a reset behind the head", |_, connection| {
        connection.send(format!("{HEAD}Content-Length: 1000\r\n\r\n"))?;
        Ok(Some(Then::Reset))
    }),
    Case::new("reset-in-body", "a reset within the body", |_, connection| {
        connection.send(format!("{HEAD}Content-Length: 1000\r\n\r\n{BODY}"))?;
        connection.wait(Duration::from_millis(20))?;
        Ok(Some(Then::Reset))
    }),
    Case::new("close-at-once", "a closed connection in place of an answer", |_, _| Ok(Some(Then::Close))),
    Case::new("reset-every-other", "a reset for every other request, whatever it asks for", |ask, _| {
        Ok((ask.request.number % 2 == 1).then_some(Then::Reset))
    })
    .everywhere()
    .flags(&["--retries", "5"])
    .requests(80),
];

fn chunked(connection: &mut Connection) -> io::Result<()> {
    connection.send(format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n"))
}

fn chunk(connection: &mut Connection, chunk: &str) -> io::Result<Option<Then>> {
    chunked(connection)?;
    connection.send(chunk)?;
    Ok(Some(Then::Close))
}

fn length(connection: &mut Connection, length: &str) -> io::Result<Option<Then>> {
    connection.send(format!("{HEAD}Content-Length: {length}\r\n\r\n{BODY}"))?;
    Ok(Some(Then::Close))
}

fn drip(_: &Ask<'_>, connection: &mut Connection) -> io::Result<Option<Then>> {
    connection.send(format!("{HEAD}Content-Length: 1000\r\n\r\n"))?;
    for _ in 0..1_000 {
        connection.send("x")?;
        connection.wait(Duration::from_millis(200))?;
    }
    Ok(Some(Then::Keep))
}
