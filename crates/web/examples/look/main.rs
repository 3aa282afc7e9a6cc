//! Serves a small history from memory, to look at: `cargo run -p recrawl-web --example look -- 8080`
//!
//! Buttons pretend. With `read-only` behind the port there are none; with `token`, they want the token
//! `look`; with `empty`, nothing was crawled yet.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::prices::PriceTable;
use recrawl_web::access::Access;
use recrawl_web::crawl_control::CrawlControl;
use recrawl_web::{App, router};

mod extremes;
mod harness;
mod history;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().and_then(|port| port.parse().ok()).unwrap_or(8080);
    let way = arguments.next();
    let harness: Arc<dyn CrawlControl> = Arc::new(harness::Harness::new(Duration::from_millis(700)));
    let access =
        if way.as_deref() == Some("token") { Access::with_token("look") } else { Access::for_everybody() };
    let store = match way.as_deref() {
        Some("empty") => MemoryStore::default(),
        Some(_) | None => extremes::beside(history::town().await).await,
    };
    let store = Arc::new(store);
    let app = App {
        library: store.clone(),
        search: Some(store),
        crawl_control: (way.as_deref() != Some("read-only")).then_some(harness),
        access: Arc::new(access),
        reader: Arc::new(|_| Arc::new(history::extractor())),
        public_url: None,
        prices: PriceTable::USUAL,
        clock: Arc::new(Timestamp::now),
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("http://{}/", listener.local_addr()?);
    axum::serve(listener, router(app)).await
}
