use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;
use tower::ServiceExt;

use super::{get, town};

#[tokio::test]
async fn the_progress_of_an_open_crawl_is_told_at_once() {
    let request = Request::get("/events/park.example").body(Body::empty()).unwrap();
    let response = town().await.oneshot(request).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let first = response.into_body().into_data_stream().next().await.unwrap().unwrap();
    let first = String::from_utf8(first.to_vec()).unwrap();
    assert!(first.contains("event: progress"), "{first}");
    assert!(
        first.contains("\"crawl\":\"crawl-2026-11-16\"")
            && first.contains("\"last_visit\":\"2026-11-16T03:00:01Z\"")
    );
}

#[tokio::test]
async fn a_site_without_an_open_crawl_has_no_events() {
    assert_eq!(get(&town().await, "/events/example.org-town").await.body, "");
}
