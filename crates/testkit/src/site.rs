//! A real web server on the loopback interface whose pages are planted and changed by a test.
//!
//! It is written by hand, because the faults a crawler must survive are those that a framework hides.

mod answer;
mod date;
mod gate;
mod log;
mod page;
mod serve;

use std::collections::HashMap;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use recrawl_core::url::PageUrl;
use tokio::sync::{oneshot, watch};

pub use gate::Gate;
pub use log::{Logged, assert_spaced};
pub use page::Page;

/// A web server with planted pages; it ends when it is dropped.
///
/// It runs on a thread of its own, so that its clock is not held up by the test, and sync tests can
/// use it too.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: oneshot::Sender<()>,
}

#[derive(Debug, Default)]
struct Shared {
    pages: Mutex<HashMap<String, Planted>>,
    fallback: Mutex<Option<Page>>,
    log: Mutex<Vec<Logged>>,
    /// Told of every request that was noted.
    arrivals: watch::Sender<()>,
}

#[derive(Debug)]
struct Planted {
    page: Page,
    requests: u32,
}

impl Site {
    /// Starts a server on a free port.
    pub fn start() -> impl Future<Output = Self> {
        std::future::ready(Self::start_blocking())
    }

    /// Starts a server on a free port, from a test that is not async.
    pub fn start_blocking() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on the loopback");
        let address = listener.local_addr().expect("a bound listener has an address");
        let shared = Arc::new(Shared::default());
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&shared);
        thread::spawn(move || serve::run(listener, served, stopped));
        Self { address, shared, _stop: stop }
    }

    /// Returns the address of the server, as `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the socket the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of a page; `path` starts with `/`.
    pub fn at(&self, path: &str) -> PageUrl {
        format!("{}{path}", self.url()).parse().expect("a planted path is in normal form")
    }

    /// Plants a page, in place of the one that was there. `path` may have a query.
    pub fn page(&self, path: &str, page: Page) -> &Self {
        self.shared.pages().insert(path.to_owned(), Planted { page, requests: 0 });
        self
    }

    /// Removes a page: it answers 404 from now on.
    pub fn remove(&self, path: &str) -> &Self {
        self.shared.pages().remove(path);
        self
    }

    /// Answers with `page` for every path where nothing is planted, in place of 404.
    pub fn fallback(&self, page: Page) -> &Self {
        *self.shared.fallback.lock().expect("no holder of this lock panics") = Some(page);
        self
    }

    /// Plants a redirect.
    pub fn redirect(&self, path: &str, target: &str, status: u16) -> &Self {
        self.page(path, Page::status(status).with_header("Location", target))
    }

    /// Returns every request in the order of arrival.
    pub fn log(&self) -> Vec<Logged> {
        self.shared.log().clone()
    }

    /// Returns the requests for one path, query included.
    pub fn requests_for(&self, path: &str) -> Vec<Logged> {
        let log = self.shared.log();
        log.iter().filter(|logged| logged.path == path).cloned().collect()
    }

    /// Waits until a path, query included, was asked for this often since the log was cleared.
    pub async fn asked_for(&self, path: &str, times: usize) {
        let mut arrivals = self.shared.arrivals.subscribe();
        while self.requests_for(path).len() < times {
            arrivals.changed().await.expect("the server outlives its handle");
        }
    }

    /// Forgets the requests so far.
    pub fn clear_log(&self) {
        self.shared.log().clear();
    }

    /// Returns how many bytes were sent since the log was cleared.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.log().iter().map(|logged| logged.sent).sum()
    }
}

impl Shared {
    fn pages(&self) -> MutexGuard<'_, HashMap<String, Planted>> {
        self.pages.lock().expect("no holder of this lock panics")
    }

    fn log(&self) -> MutexGuard<'_, Vec<Logged>> {
        self.log.lock().expect("no holder of this lock panics")
    }
}

#[cfg(test)]
mod tests;
