//! A receiver of webhooks that fails on purpose.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};

/// What goes wrong with one request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    Status(u16),
    RetryAfter(u16, &'static str),
    Says(u16, &'static str),
    Redirect,
    Hang,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

#[derive(Debug, Default)]
struct Book {
    plan: VecDeque<Fault>,
    resets: usize,
    received: Vec<Received>,
}

/// A receiver on a port of its own.
#[derive(Debug, Clone)]
pub(crate) struct Receiver {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

impl Receiver {
    pub(crate) async fn start(plan: impl IntoIterator<Item = Fault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let book = Arc::new(Mutex::new(Book { plan: plan.into_iter().collect(), ..Book::default() }));
        let receiver = Self { book: Arc::clone(&book), address: listener.local_addr().unwrap() };
        let router = Router::new().fallback(receive).with_state(Arc::clone(&book));
        tokio::spawn(async move { axum::serve(Rude { listener, book }, router).await });
        receiver
    }

    /// Breaks the next connections as soon as they are made.
    pub(crate) fn reset(&self, connections: usize) {
        self.book.lock().unwrap().resets = connections;
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.book.lock().unwrap().received.clone()
    }
}

async fn receive(
    State(book): State<Arc<Mutex<Book>>>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let fault = {
        let mut book = book.lock().unwrap();
        book.received.push(Received { uri: uri.to_string(), headers, body });
        book.plan.pop_front()
    };
    let status = |code| StatusCode::from_u16(code).unwrap();
    match fault {
        None => StatusCode::NO_CONTENT.into_response(),
        Some(Fault::Status(code)) => status(code).into_response(),
        Some(Fault::Says(code, text)) => (status(code), text).into_response(),
        Some(Fault::RetryAfter(code, wait)) => (status(code), [("retry-after", wait)]).into_response(),
        Some(Fault::Redirect) => (StatusCode::FOUND, [("location", "/elsewhere")]).into_response(),
        Some(Fault::Hang) => {
            tokio::time::sleep(Duration::from_secs(30)).await;
            Bytes::new().into_response()
        }
    }
}

/// Drops connections where that is asked for.
struct Rude {
    listener: TcpListener,
    book: Arc<Mutex<Book>>,
}

impl Listener for Rude {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let (stream, address) = self.listener.accept().await.unwrap();
            let mut book = self.book.lock().unwrap();
            if book.resets == 0 {
                return (stream, address);
            }
            book.resets -= 1;
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
