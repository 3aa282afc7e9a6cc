//! What was logged last with severity ERROR, for whoever asks from elsewhere whether the service works.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use recrawl_core::model::service_report::LoggedError;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// How much of a line is kept.
const KEPT: usize = 300;

/// One for the process, as its log is.
static LAST: Mutex<Option<LoggedError>> = Mutex::new(None);

/// Returns the last error of this process.
pub(crate) fn last_error() -> Option<LoggedError> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Keeps the last error that passes.
#[derive(Debug, Default, Clone, Copy)]
pub struct LastError;

impl<S: Subscriber> Layer<S> for LastError {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() != Level::ERROR {
            return;
        }
        let mut words = Words::default();
        event.record(&mut words);
        let Words { message, reason } = words;
        let separator = if message.is_empty() || reason.is_empty() { "" } else { ": " };
        let what = format!("{message}{separator}{reason}");
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(KEPT).collect();
        let error = LoggedError { at: Timestamp::now(), what };
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// What an event says, and why.
#[derive(Default)]
struct Words {
    message: String,
    reason: String,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "error" | "reason" | "panic" => self.reason = format!("{value:?}"),
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.record_debug(field, &format_args!("{}", crate::answer::chain(value)));
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn the_last_error_is_kept_in_words_and_warnings_are_not() {
        let registry = tracing_subscriber::registry().with(LastError);
        tracing::subscriber::with_default(registry, || {
            tracing::error!(reason = "first", "a page is given up");
            tracing::error!(error = "no\n topic", page = 7, "nothing can be archived");
            tracing::warn!("never mind");
        });
        let kept = last_error().expect("an error was logged");
        assert_eq!(kept.what, "nothing can be archived: no topic");
        assert!(Timestamp::now().duration_since(kept.at).as_secs() < 60);
    }
}
