//! Publishing where nobody listens.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use recrawl_core::ports::QueueError;
use recrawl_queue_pubsub::{PubsubSettings, Topics};

#[tokio::test]
async fn a_service_that_cannot_be_reached_is_told_in_time_and_nothing_is_counted() {
    // Free a moment ago, so hardly anybody listens there now.
    let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let emulator = address.map(|address| address.to_string()).ok();
    let settings = PubsubSettings {
        emulator,
        time_out: Duration::from_millis(500),
        ..PubsubSettings::new("demo-nobody")
    };
    let topics = Topics::connect(settings).await.expect("connecting asks nobody");
    let began = Instant::now();
    let error = topics.publish_seed("https://example.org/").await.expect_err("nobody listens");
    assert!(matches!(error, QueueError::Unavailable(_)), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(topics.counted(), 0);
}
