//! What the service says of itself with each tick, so that `recrawl check` can tell from elsewhere whether it works.

use jiff::Timestamp;
use recrawl_core::model::service_report::{LoggedError, ServiceReport};
use recrawl_core::ports::{StateEntry, StateKey};

use crate::answer::chain;
use crate::last_error::last_error;
use crate::parts::Parts;

/// Saves the report; where that fails, the next tick does.
pub(crate) async fn save(parts: &Parts, now: Timestamp) {
    let key = StateKey::service_report();
    let error = match last_error() {
        Some(error) => Some(error),
        None => error_before(parts, &key).await,
    };
    let report = ServiceReport {
        at: now,
        started_at: parts.started_at,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: parts.config.revision.clone(),
        user_agent: parts.config.site.crawl.user_agent(),
        between_captures_ms: parts
            .deps
            .archive_worker
            .as_ref()
            .map(|worker| u64::try_from(worker.between_submissions().as_millis()).unwrap_or(u64::MAX)),
        last_error: error,
    };
    let value = serde_json::to_string(&report).expect("texts, times and numbers can be written");
    if let Err(error) = parts.deps.store.save_state(&key, &StateEntry { saved_at: now, value }).await {
        tracing::warn!(error = chain(&error), "the report of the service could not be saved");
    }
}

/// Returns what a process before this one logged last.
async fn error_before(parts: &Parts, key: &StateKey) -> Option<LoggedError> {
    let saved = parts.deps.store.state(key).await.ok()??;
    serde_json::from_str::<ServiceReport>(&saved.value).ok()?.last_error
}
