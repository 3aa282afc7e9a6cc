//! Reading requests and sending answers, faults included.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::Shared;
use super::answer::{Answer, answer};
use super::log::Logged;
use super::page::{Delivery, Page};

/// Serves until the other half of `stopped` is dropped.
pub(super) fn run(listener: TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has a thread and a poller left");
    runtime.block_on(async {
        tokio::select! {
            () = accept(listener, shared) => {}
            _ = stopped => {}
        }
    });
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    listener.set_nonblocking(true).expect("a socket can be switched to non-blocking");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a runtime is running");
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            // The client may hang up whenever it likes; that is no failure of the server.
            let _ = connection(stream, &shared).await;
        });
    }
}

async fn connection(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut read = Vec::new();
    while let Some(head) = read_head(&mut stream, &mut read).await? {
        let Some(mut logged) = Logged::parse(&head, Instant::now()) else {
            return Ok(());
        };
        // What is sent along is no beginning of the next request.
        let length = logged.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        skip(&mut stream, &mut read, length).await?;
        let page = shared.page_for(&logged.path);
        let answer = answer(&page, &logged);
        let answers = !matches!(page.delivery, Delivery::Close | Delivery::Never);
        logged.status = answers.then_some(answer.status);
        let closes = logged.header("connection") == Some("close");
        let entry = shared.note(logged);
        tokio::time::sleep(page.delay).await;
        if let Some(gate) = &page.gate {
            gate.pass().await;
        }
        let sent = |bytes| shared.note_sent(entry, bytes);
        if !send(&mut stream, page.delivery, &answer, sent).await? || closes {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads up to the empty line; none at the end of the stream. What follows stays in `read`.
async fn read_head(stream: &mut TcpStream, read: &mut Vec<u8>) -> io::Result<Option<String>> {
    loop {
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = read.drain(..end + 4).map(char::from).collect::<String>();
            return Ok(Some(head.trim_end().to_owned()));
        }
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
}

/// Reads `length` bytes, and forgets them.
async fn skip(stream: &mut TcpStream, read: &mut Vec<u8>, length: usize) -> io::Result<()> {
    while read.len() < length {
        if stream.read_buf(read).await? == 0 {
            break;
        }
    }
    read.drain(..length.min(read.len()));
    Ok(())
}

/// Sends an answer in the way its page says; tells whether the connection can be used again.
async fn send(
    stream: &mut TcpStream,
    delivery: Delivery,
    answer: &Answer,
    sent: impl Fn(usize),
) -> io::Result<bool> {
    let head = answer.head.as_slice();
    let body = answer.body.as_deref().unwrap_or_default();
    match delivery {
        Delivery::Close => return Ok(false),
        Delivery::Never => {
            // Until the client gives up.
            let _ = stream.read_u8().await;
            return Ok(false);
        }
        Delivery::Whole => put(stream, &[head, body].concat(), &sent).await?,
        Delivery::Chunked(_) if answer.body.is_none() => put(stream, head, &sent).await?,
        Delivery::Chunked(size) => {
            put(stream, head, &sent).await?;
            for chunk in body.chunks(size) {
                let length = format!("{:x}\r\n", chunk.len());
                put(stream, &[length.as_bytes(), chunk, b"\r\n"].concat(), &sent).await?;
            }
            put(stream, b"0\r\n\r\n", &sent).await?;
        }
        Delivery::Drip(size, pause) => {
            put(stream, head, &sent).await?;
            for drop in body.chunks(size) {
                put(stream, drop, &sent).await?;
                tokio::time::sleep(pause).await;
            }
        }
        Delivery::EndAfter(bytes) => {
            put(stream, &[head, &body[..bytes.min(body.len())]].concat(), &sent).await?;
            return Ok(false);
        }
        Delivery::ResetAfter(bytes) => {
            put(stream, &[head, &body[..bytes.min(body.len())]].concat(), &sent).await?;
            // What was sent must arrive first: a reset discards it.
            tokio::time::sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger()?;
            return Ok(false);
        }
    }
    Ok(true)
}

async fn put(stream: &mut TcpStream, bytes: &[u8], sent: &impl Fn(usize)) -> io::Result<()> {
    sent(bytes.len());
    stream.write_all(bytes).await
}

impl Shared {
    fn page_for(&self, path: &str) -> Page {
        match self.pages().get_mut(path) {
            Some(planted) => {
                planted.requests += 1;
                planted.page.for_request(planted.requests - 1).clone()
            }
            None => self.fallback(),
        }
    }

    fn fallback(&self) -> Page {
        let planted = self.fallback.lock().expect("no holder of this lock panics").clone();
        let absent = || Page::html("<title>Not found</title>").with_status(404).without_validators();
        planted.unwrap_or_else(absent)
    }

    fn note(&self, logged: Logged) -> Instant {
        let arrival = logged.arrival;
        self.log().push(logged);
        self.arrivals.send_replace(());
        arrival
    }

    fn note_sent(&self, arrival: Instant, bytes: usize) {
        // By its time and not by its place: the log may have been cleared meanwhile.
        if let Some(logged) = self.log().iter_mut().rev().find(|logged| logged.arrival == arrival) {
            logged.sent += bytes as u64;
        }
    }
}
