//! The router over a history in memory: pages, API, feeds, Memento, and what protects them.

#![expect(clippy::unwrap_used, reason = "a test that fails panics with what came instead")]

mod api;
mod commands;
mod cost;
#[path = "../../examples/look/county.rs"]
mod county;
mod events;
#[path = "../../examples/look/extremes.rs"]
mod extremes;
mod feed_pages;
mod feeds;
mod forms;
#[path = "../../examples/look/harness.rs"]
mod harness;
#[path = "../../examples/look/history.rs"]
mod history;
mod keeping;
mod marks;
mod memento;
mod pages;
mod recent;
mod review;
mod search;
mod security;
mod spreadsheet;
mod states;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::prices::PriceTable;
use recrawl_web::access::Access;
use recrawl_web::crawl_control::CrawlControl;
use recrawl_web::{App, router};
use tower::ServiceExt;

use self::harness::Harness;

/// The page of the town that changed most often.
const BRIDGE: &str = "url=https%3A%2F%2Fexample.org%2Ftown%2Fservices%2Fbridge";

/// An answer, read to its end.
struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Answered {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Returns what serves `store`; time stands still an hour after the last crawl.
fn app(store: MemoryStore) -> App {
    let now: Timestamp = "2026-11-16T04:00:00Z".parse().unwrap();
    App {
        library: Arc::new(store),
        search: None,
        crawl_control: None,
        access: Arc::new(Access::with_token("open sesame")),
        reader: Arc::new(|_| Arc::new(history::extractor())),
        public_url: None,
        prices: PriceTable::USUAL,
        clock: Arc::new(move || now),
    }
}

/// Returns what serves `store` and does things, or pretends to.
fn staffed(store: MemoryStore, access: Access) -> (Router, Arc<Harness>) {
    let harness = Arc::new(Harness::new(Duration::ZERO));
    let crawl_control: Arc<dyn CrawlControl> = harness.clone();
    (router(App { crawl_control: Some(crawl_control), access: Arc::new(access), ..app(store) }), harness)
}

async fn town() -> Router {
    router(app(history::town().await))
}

async fn ask(router: &Router, request: Request<Body>) -> Answered {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    Answered {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    }
}

async fn get(router: &Router, address: &str) -> Answered {
    get_with(router, address, &[]).await
}

async fn get_with(router: &Router, address: &str, headers: &[(&str, &str)]) -> Answered {
    let mut request = Request::get(address).header(header::HOST, "recrawl.test");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    ask(router, request.body(Body::empty()).unwrap()).await
}
