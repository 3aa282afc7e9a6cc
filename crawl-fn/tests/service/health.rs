//! Whether the service is alive, and whether it can work.

use std::sync::Arc;
use std::time::Duration;

use crawl_fn::{Service, router};
use recrawl_core::memory::MemoryStore;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::stage::{Pusher, Stage, config, delivery, deps};

#[tokio::test]
async fn a_connected_service_is_alive_and_ready() {
    let site = Site::start().await;
    let stage = Stage::start(&site).await;
    assert_eq!(stage.pusher.get("/healthz").await, (StatusCode::OK, "alive\n".to_owned()));
    assert_eq!(stage.pusher.get("/readyz").await, (StatusCode::OK, "ready\n".to_owned()));
    assert_eq!(stage.pusher.get("/").await.0, StatusCode::NOT_FOUND);
    assert_eq!(stage.pusher.get("/pubsub/crawl").await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn pushes_wait_until_everything_is_connected() {
    let site = Site::start().await;
    site.page("/", Page::html("root"));
    let service = Service::new(config(&site)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let pusher = Pusher::to(&listener);
    let routes = router(service.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let store: Arc<MemoryStore> = Arc::default();
    let (deps, gate) = (deps(&store), Arc::new(Notify::new()));
    tokio::spawn({
        let gate = gate.clone();
        async move {
            // The first attempt fails.
            let attempts = std::sync::atomic::AtomicU32::new(0);
            let connect = || async {
                gate.notified().await;
                let attempt = attempts.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                if attempt == 0 { Err(anyhow::anyhow!("down")) } else { Ok(deps.clone()) }
            };
            service.connect(connect).await;
        }
    });
    assert_eq!(pusher.get("/healthz").await.0, StatusCode::OK);
    let (status, reason) = pusher.get("/readyz").await;
    assert_eq!((status, reason.as_str()), (StatusCode::SERVICE_UNAVAILABLE, "not connected yet\n"));
    let push = tokio::spawn({
        let (pusher, seed) = (pusher.clone(), delivery(&site.url(), "weekly"));
        async move { pusher.push(&seed).await }
    });
    gate.notify_one();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!push.is_finished());
    gate.notify_one();
    assert_eq!(push.await.unwrap(), StatusCode::NO_CONTENT);
    assert_eq!(pusher.get("/readyz").await.0, StatusCode::OK);
}
