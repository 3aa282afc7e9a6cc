//! What the service logs.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, Once};

use crawl_fn::TraceLifting;
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;
use serde_json::Value;
use tracing_subscriber::layer::SubscriberExt;

use crate::stage::{Stage, delivery, wrapped};

thread_local! {
    /// Where this thread's lines go, if anywhere. The tasks of a test run on its thread.
    static CAPTURED: RefCell<Option<Lines>> = const { RefCell::new(None) };
}

/// One subscriber for all: with one each, a test would now and then switch off the lines of another.
static SUBSCRIBED: Once = Once::new();

/// Log lines of this thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

/// Takes lines down until it is dropped.
pub(crate) struct Capturing;

impl Drop for Capturing {
    fn drop(&mut self) {
        CAPTURED.set(None);
    }
}

/// Writes to where the lines of this thread go.
struct Here;

impl Write for Here {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        CAPTURED.with_borrow(|lines| {
            if let Some(lines) = lines {
                lines.0.lock().unwrap().extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Takes down what is logged until the guard is dropped.
    pub(crate) fn capture(&self) -> Capturing {
        SUBSCRIBED.call_once(|| {
            let layer = tracing_stackdriver::layer().with_source_location(false);
            let layer = layer.with_writer(TraceLifting(|| Here));
            tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer)).unwrap();
        });
        CAPTURED.set(Some(self.clone()));
        Capturing
    }

    /// Returns everything as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Returns the lines of a crate.
    pub(crate) fn of(&self, name: &str) -> Vec<Value> {
        let lines = self.text();
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["target"].as_str().unwrap().starts_with(name)).collect()
    }

    /// Returns the lines that tell what a push came to.
    pub(crate) fn pushes(&self) -> Vec<Value> {
        let lines = self.of("crawl_fn").into_iter();
        lines.filter(|line| line["message"] == "a push was handled").collect()
    }
}

#[tokio::test]
async fn a_push_is_one_line_with_its_trace_and_figures() {
    let site = Site::start().await;
    let body = "<title>Root</title>confidential";
    site.page(
        "/",
        Page::html(body).with_header("ETag", "\"validator\"").with_header("Set-Cookie", "crumb=1"),
    );
    let stage = Stage::start(&site).await;
    let lines = Lines::default();
    let _capturing = lines.capture();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let with_password = site.url().replace("http://", "http://user:password@");
    for message in ["first", "again"] {
        let request = stage.pusher.client.post(format!("{}/pubsub/crawl", stage.pusher.url));
        let request = request.header("X-Cloud-Trace-Context", format!("{trace}/1;o=1"));
        let response = request.body(wrapped(&delivery(&with_password, message))).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
    }
    let pushes = lines.pushes();
    assert_eq!(pushes.len(), 2, "{}", lines.text());
    let [first, again] = [&pushes[0], &pushes[1]];
    let crawl = stage.under_way().await.unwrap().id;
    assert_eq!(first["logging.googleapis.com/trace"], format!("projects/demo-service/traces/{trace}"));
    assert_eq!(first["span"]["crawl.id"], crawl.to_string());
    assert_eq!(first["span"]["page.url"], site.at("/").to_string());
    assert_eq!((&first["outcome"], &first["verdict"]), (&"recorded".into(), &"new".into()));
    assert_eq!((&first["status"], &first["severity"]), (&200.into(), &"INFO".into()));
    assert!(first["fetchMs"].is_u64() && first["receivedBytes"].as_u64() > Some(body.len() as u64));
    assert!(first["waiting"].is_u64());
    assert_eq!(first["httpRequest"]["status"], 204);
    assert!(first["httpRequest"]["latency"].as_str().unwrap().ends_with('s'));
    assert_eq!(again["outcome"], "duplicate");
    for secret in ["password", "confidential", "validator", "crumb"] {
        assert!(!lines.text().contains(secret), "{secret}");
    }
}
