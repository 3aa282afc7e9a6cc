//! Logs: text on a terminal, else JSON as Cloud Logging reads it; always on stderr.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Begins to log what `RUST_LOG` names, or else what is worth telling.
pub(super) fn begin() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    // It fails where logs have begun already, as in tests.
    let _ = if stderr().is_terminal() {
        registry.with(tracing_subscriber::fmt::layer().with_writer(stderr)).try_init()
    } else {
        registry.with(tracing_stackdriver::layer().with_writer(stderr)).try_init()
    };
}
