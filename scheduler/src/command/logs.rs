//! Logs: a sentence each on stderr, for whoever typed the command or reads what a unit of systemd printed.

use std::fmt::{self, Write as _};
use std::io::stderr;

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Begins to log what `RUST_LOG` names, or else what is worth telling; each line with its time if the command stays.
pub(super) fn begin(with_time: bool) {
    let usual = if with_time { "warn,scheduler=info" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    // It fails where logs have begun already, as in tests.
    let _ = lines.event_format(Sentences { with_time }).try_init();
}

/// Writes an event as a sentence: `2026-11-16 03:00 UTC: asked for a crawl (page https://example.org/)`.
struct Sentences {
    with_time: bool,
}

impl<S, N> FormatEvent<S, N> for Sentences
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut words = Words::default();
        event.record(&mut words);
        if self.with_time {
            write!(writer, "{}: ", Timestamp::now().strftime("%Y-%m-%d %H:%M UTC"))?;
        }
        match *event.metadata().level() {
            Level::ERROR => write!(writer, "error: ")?,
            Level::WARN => write!(writer, "warning: ")?,
            _ => {}
        }
        let Words { message, fields } = words;
        if fields.is_empty() {
            writeln!(writer, "{message}")
        } else {
            writeln!(writer, "{message} ({fields})")
        }
    }
}

/// What an event says, and of what.
#[derive(Default)]
struct Words {
    message: String,
    fields: String,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
            return;
        }
        let separator = if self.fields.is_empty() { "" } else { ", " };
        // `page.url` is the address of a page.
        let name = field.name().trim_end_matches(".url").trim_end_matches(".id");
        let _ = write!(self.fields, "{separator}{name} {value:?}");
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let mut told = value.to_string();
        let mut source = value.source();
        while let Some(error) = source {
            let _ = write!(told, ": {error}");
            source = error.source();
        }
        self.record_debug(field, &format_args!("{told}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn logged(with_time: bool, log: impl FnOnce()) -> String {
        #[derive(Clone, Default)]
        struct Lines(Arc<Mutex<Vec<u8>>>);
        impl std::io::Write for Lines {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().expect("nobody panics").extend(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .event_format(Sentences { with_time })
            .finish();
        tracing::subscriber::with_default(subscriber, log);
        let bytes = lines.0.lock().expect("nobody panics").clone();
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn events_are_sentences() {
        let told = logged(false, || {
            tracing::info!(page.url = %"https://example.org/", due = %"Monday", "asked for a crawl");
            let error: &dyn std::error::Error = &std::io::Error::other("no topic");
            tracing::warn!(error, "the tick was not asked for and is tried again");
            tracing::error!("stopped");
        });
        let expected = "asked for a crawl (page https://example.org/, due Monday)\n\
                        warning: the tick was not asked for and is tried again (error no topic)\n\
                        error: stopped\n";
        assert_eq!(told, expected);
    }

    #[test]
    fn a_command_that_stays_says_when() {
        let told = logged(true, || tracing::info!("stopped by SIGTERM"));
        let (time, words) = told.split_once(": ").expect("a time");
        assert_eq!(words, "stopped by SIGTERM\n");
        assert!(time.ends_with(" UTC") && time.len() == "2026-11-16 03:00 UTC".len(), "{told}");
    }
}
