//! Reading requests and sending answers.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use tokio::sync::oneshot;
use url::form_urlencoded;

use super::clerk::{Clerk, Reply};

type Shared = Arc<Mutex<Clerk>>;

/// Serves until the other half of `stopped` is dropped.
pub(super) fn run(listener: TcpListener, clerk: Shared, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has a thread and a poller left");
    let router = Router::new()
        .route("/save", post(submit))
        .route("/save/status/{job}", get(look))
        .route("/cdx/search/cdx", get(list))
        .with_state(clerk);
    runtime.block_on(async {
        listener.set_nonblocking(true).expect("a socket can be switched to non-blocking");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a runtime is running");
        tokio::select! {
            _ = axum::serve(listener, router) => {}
            _ = stopped => {}
        }
    });
}

async fn submit(State(clerk): State<Shared>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let form: Vec<_> = form_urlencoded::parse(&body).into_owned().collect();
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let reply = clerk.lock().expect("no holder of this lock panics").submit(&form, authorization);
    send(reply).await
}

async fn look(State(clerk): State<Shared>, Path(job): Path<String>) -> Response<Body> {
    let reply = clerk.lock().expect("no holder of this lock panics").look(&job);
    send(reply).await
}

async fn list(State(clerk): State<Shared>, RawQuery(query): RawQuery) -> Response<Body> {
    let query = query.unwrap_or_default();
    let value = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let reply = clerk.lock().expect("no holder of this lock panics").list(&value("url"), &value("from"));
    send(reply).await
}

async fn send(reply: Reply) -> Response<Body> {
    let answer = Response::builder();
    let answer = match reply {
        Reply::Json(status, value) => {
            let body = Body::from(if value.is_null() { String::new() } else { value.to_string() });
            answer.status(status).header(CONTENT_TYPE, "application/json").body(body)
        }
        Reply::RetryAfter(seconds) => answer.status(429).header(RETRY_AFTER, seconds).body(Body::empty()),
        Reply::Page => answer.header(CONTENT_TYPE, "text/html").body(Body::from("<h1>Save Page Now</h1>")),
        Reply::Hang => std::future::pending().await,
        // Ends the task of the connection, and with it the connection, without a word.
        Reply::Drop => std::panic::resume_unwind(Box::new("the connection is dropped on purpose")),
    };
    answer.expect("these headers are in order")
}
