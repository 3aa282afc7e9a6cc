use std::sync::Arc;

use axum::extract::{ConnectInfo, Path};
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::*;

const LIMITS: Limits = Limits { total: 20, of_one: 20 };

/// A server on a port of its own.
struct Stage {
    address: SocketAddr,
    stop: Arc<Notify>,
    served: tokio::task::JoinHandle<()>,
}

impl Stage {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), Arc::new(Notify::new()));
        let from = |ConnectInfo(from): ConnectInfo<SocketAddr>| async move { from.ip().to_string() };
        let pages = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/from", get(from))
            .route("/echo", post(|body: String| async { body }))
            .route("/long/{length}", get(|Path(length): Path<usize>| async move { "x".repeat(length) }));
        let asked = stop.clone();
        let served =
            tokio::spawn(serve_within(listener, pages, async move { asked.notified().await }, LIMITS));
        Self { address, stop, served }
    }

    /// Connects, and sends this and no more.
    async fn send(&self, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        stream
    }

    async fn get(&self, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        rest(&mut self.send(&request).await).await
    }
}

/// Returns what comes until the other end closes the connection.
async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A connection that is cut with something unread ends with an error; what came before counts.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_sent_whole_is_ended_after_ten_seconds() {
    let stage = Stage::new().await;
    for (sent, answer) in [
        ("", ""),
        ("GET / HT", ""),
        ("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", ""),
        ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf", "HTTP/1.1 400"),
        (
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
            "HTTP/1.1 400",
        ),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200"),
    ] {
        let begun = Instant::now();
        let mut stream = stage.send(sent).await;
        let came = rest(&mut stream).await;
        let took = begun.elapsed();
        assert!(came.starts_with(answer) && came.is_empty() == answer.is_empty(), "{sent:?}: {came:?}");
        assert!((9..=11).contains(&took.as_secs()), "{sent:?}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_comes_in_time_is_read_and_it_is_known_from_where() {
    let stage = Stage::new().await;
    let head = "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\nfir";
    let mut stream = stage.send(head).await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    stream.write_all(b"st!").await.unwrap();
    assert!(rest(&mut stream).await.ends_with("\r\n\r\nfirst!"));
    assert!(stage.get("/from").await.ends_with("127.0.0.1"));
}

#[tokio::test(start_paused = true)]
async fn a_crowd_that_sends_nothing_keeps_nobody_out() {
    let stage = Stage::new().await;
    let mut crowd = Vec::new();
    for _ in 0..3 * LIMITS.total {
        crowd.push(stage.send("GET / HTTP/1.1\r\nHost: x\r\n").await);
    }
    let begun = Instant::now();
    assert!(stage.get("/").await.ends_with("here"));
    assert!(begun.elapsed() < Duration::from_secs(1), "nobody waits until the crowd is gone");
    assert_eq!(rest(&mut crowd[0]).await, "", "the first of them made room");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_is_given_up() {
    let stage = Stage::new().await;
    let mut stream = stage.send("GET /long/50000000 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    stream.readable().await.unwrap();
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert!(rest(&mut stream).await.len() < 50_000_000);
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_it_is_asked_to_whoever_is_connected() {
    let stage = Stage::new().await;
    let mut idle = stage.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    idle.readable().await.unwrap();
    stage.stop.notify_one();
    stage.served.await.unwrap();
    assert!(rest(&mut idle).await.ends_with("here"));
    assert!(TcpStream::connect(stage.address).await.is_err());
}
