//! Whether the service is alive, and whether it can work.

use std::sync::Arc;

use crawl_fn::{Service, router};
use recrawl_core::memory::MemoryStore;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};

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
    let (attempts, mut attempted) = watch::channel(0);
    tokio::spawn({
        let gate = gate.clone();
        async move {
            // The first attempt fails.
            let connect = || async {
                attempts.send_modify(|attempts| *attempts += 1);
                let is_first = *attempts.borrow() == 1;
                gate.notified().await;
                if is_first { Err(anyhow::anyhow!("down")) } else { Ok(deps.clone()) }
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
    attempted.wait_for(|attempts| *attempts == 2).await.unwrap();
    assert!(!push.is_finished());
    gate.notify_one();
    assert_eq!(push.await.unwrap(), StatusCode::NO_CONTENT);
    assert_eq!(pusher.get("/readyz").await.0, StatusCode::OK);
}
