//! Logs as Cloud Logging reads them.

use std::io::{self, Write};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::last_error::LastError;

/// What is logged where nobody says otherwise: what happens here, and what goes wrong elsewhere.
pub(crate) const DEFAULT_FILTER: &str = "warn,crawl_fn=info,scheduler=info,recrawl_core=info,\
     recrawl_engine=info,recrawl_fetch=info,recrawl_archive=info,recrawl_queue_pubsub=info,\
     recrawl_store_firestore=info";

/// How a span names its trace; page addresses and the like are escaped, so nothing else looks like it.
const NAMED: &[u8] = br#""trace":"projects/"#;

/// Logs JSON lines to standard output, as far as `filter` admits them.
pub fn start_logging(filter: EnvFilter) {
    let layer =
        tracing_stackdriver::layer().with_source_location(false).with_writer(TraceLifting(io::stdout));
    tracing_subscriber::registry().with(filter).with(layer).with(LastError).init();
}

/// Puts the trace of a line's span where Cloud Logging looks for it.
///
/// The formatter does that for OpenTelemetry alone, and changes the names of all other fields.
#[derive(Debug, Clone, Copy)]
pub struct TraceLifting<M>(pub M);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for TraceLifting<M> {
    type Writer = Lifting<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Lifting(self.0.make_writer())
    }
}

/// Writes lines, each with its trace; see [`TraceLifting`].
#[derive(Debug)]
pub struct Lifting<W>(W);

impl<W: Write> Write for Lifting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, line: &[u8]) -> io::Result<()> {
        match lifted(line) {
            Some(line) => self.0.write_all(&line),
            None => self.0.write_all(line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns a line with its trace as a field of its own, if it has one. A line is one whole JSON object.
fn lifted(line: &[u8]) -> Option<Vec<u8>> {
    let at = line.windows(NAMED.len()).position(|window| window == NAMED)?;
    let value = &line[at + br#""trace":"#.len()..];
    let end = 1 + value.iter().skip(1).position(|byte| *byte == b'"')?;
    let object = line.strip_suffix(b"}\n")?;
    Some([object, br#","logging.googleapis.com/trace":"#, &value[..=end], b"}\n"].concat())
}

#[cfg(test)]
mod tests {
    use recrawl_testkit::log::Log;

    use super::*;

    fn logged(log: impl FnOnce()) -> serde_json::Value {
        let lines = Log::default();
        let writer = lines.clone();
        let layer = tracing_stackdriver::layer()
            .with_source_location(false)
            .with_writer(TraceLifting(move || writer.clone()));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log);
        serde_json::from_str(&lines.text()).unwrap()
    }

    #[test]
    fn every_line_of_a_push_carries_its_trace_where_it_is_looked_for() {
        let trace = "projects/p/traces/0af7651916cd43dd8448eb211c80319c";
        let line = logged(|| {
            let span = tracing::info_span!("push", trace, page.url = tracing::field::Empty);
            let _in_it = span.enter();
            span.record("page.url", r#"https://a/"trace":"projects/x"#);
            let nested = tracing::info_span!("deeper");
            let _in_it = nested.enter();
            tracing::warn!(fetch_ms = 7, http_request.latency = "0.1s", "a sitemap");
        });
        assert_eq!(line["logging.googleapis.com/trace"], trace);
        assert_eq!(line["severity"], "WARNING");
        assert_eq!(line["message"], "a sitemap");
        assert_eq!(line["fetchMs"], 7);
        assert_eq!(line["httpRequest"]["latency"], "0.1s");
        assert_eq!(line["spans"][0]["page.url"], r#"https://a/"trace":"projects/x"#);
    }

    #[test]
    fn a_line_without_a_trace_is_left_alone() {
        let line = logged(|| {
            let span = tracing::info_span!("push", trace = Option::<String>::None);
            let _in_it = span.enter();
            tracing::info!("started");
        });
        assert_eq!(line.get("logging.googleapis.com/trace"), None);
        assert_eq!(line["message"], "started");
    }
}
