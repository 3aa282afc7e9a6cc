//! The end of a process.

use std::sync::Arc;
use std::time::Duration;

use crawl_fn::run;
use futures_util::future::join_all;
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{Store, StoreExt};
use recrawl_testkit::site::{Gate, Page, Site};
use reqwest::StatusCode;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::stage::{Pusher, config, deps, linked, site_id};

#[tokio::test]
async fn what_is_under_way_is_finished_and_everything_else_is_sent_away() {
    let (site, gate) = (Site::start().await, Gate::shut());
    site.page("/", Page::html("root"));
    for path in ["/a", "/b", "/c"] {
        site.page(path, Page::html(path).behind(&gate));
    }
    let store: Arc<MemoryStore> = Arc::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let pusher = Pusher::to(&listener);
    let (stop, stopped) = oneshot::channel::<()>();
    let deps = deps(&store);
    let mut slow = config(&site);
    slow.site.crawl.delay = Some(Duration::from_millis(100));
    let running =
        tokio::spawn(run(listener, slow, move || std::future::ready(Ok(deps.clone())), async move {
            drop(stopped.await);
        }));
    pusher.seed(&site.url(), "weekly").await;
    let crawl = store.crawl_under_way(&site_id()).await.unwrap().unwrap().id;
    let pages: Vec<_> = ["/a", "/b", "/c"].iter().map(|path| linked(&site, crawl, path)).collect();
    let answering = join_all(pages.iter().map(|page| pusher.page(page)));
    let stopping = async {
        tokio::select! {
            () = site.asked_for("/a", 1) => {}
            () = site.asked_for("/b", 1) => {}
            () = site.asked_for("/c", 1) => {}
        }
        stop.send(()).unwrap();
        while pusher.get("/readyz").await.0 != StatusCode::SERVICE_UNAVAILABLE {}
        // It listens still, and says no.
        assert_eq!(pusher.page(&linked(&site, crawl, "/d")).await, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(pusher.get("/healthz").await.0, StatusCode::OK);
        gate.open();
    };
    let (answers, ()) = tokio::join!(answering, stopping);
    let done = answers.iter().filter(|status| **status == StatusCode::NO_CONTENT).count();
    assert_eq!(done, 1, "{answers:?}");
    assert!(answers.iter().all(|status| [204, 503].contains(&status.as_u16())), "{answers:?}");
    running.await.unwrap().unwrap();
    let recorded = store.pages(&site_id(), crawl, None, 10).await.unwrap();
    assert_eq!(recorded.len(), 2, "the root, and the page under way: {recorded:?}");
}
