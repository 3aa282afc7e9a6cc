//! Serves a small history from memory, to look at: `cargo run -p recrawl-web --example look -- 8080`

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_web::access::Access;
use recrawl_web::{App, router};

mod history;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(8080);
    let app = App {
        library: Arc::new(history::town().await),
        search: None,
        controls: None,
        access: Arc::new(Access::with_token("look")),
        extractor: Arc::new(history::extractor()),
        public_url: None,
        clock: Arc::new(Timestamp::now),
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("http://{}/", listener.local_addr()?);
    axum::serve(listener, router(app)).await
}
