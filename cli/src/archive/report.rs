//! What became of each request, a line as it happens, and a summary.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use recrawl_archive::{ArchiveOutcome, ArchiveWorker, Drained};
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::ports::ArchiveRequest;

use super::waiting::{Waiting, later};
use crate::output::{self, sanitize_for_terminal};

pub(super) struct Report {
    archive_worker: Arc<ArchiveWorker>,
    /// Why lines cannot be written any more.
    failed: Mutex<Option<io::Error>>,
}

impl Report {
    pub(super) fn new(archive_worker: Arc<ArchiveWorker>) -> Self {
        Self { archive_worker, failed: Mutex::default() }
    }

    /// Writes what became of a request; a reader that has gone stops the work.
    pub(super) fn line(&self, request: &ArchiveRequest, outcome: &ArchiveOutcome) {
        let Some(line) = line(request, outcome) else { return };
        let mut out = output::styled();
        if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
            self.archive_worker.stop();
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    /// Writes the summary.
    pub(super) fn end(&self, total: &Drained, waiting: &Waiting) -> io::Result<()> {
        if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        let waiting = waiting.words();
        let mut out = output::styled();
        if total.taken == 0 && waiting.is_none() {
            writeln!(out, "nothing waits to be archived")?;
        } else {
            let failed = (total.failed > 0).then(|| format!("{} failed", total.failed));
            let captured = format!("{} captured", total.captured);
            let parts: Vec<String> = [Some(captured), failed, waiting].into_iter().flatten().collect();
            writeln!(out, "{}", parts.join(", "))?;
        }
        out.flush()
    }
}

fn line(request: &ArchiveRequest, outcome: &ArchiveOutcome) -> Option<String> {
    let url = request.page.as_str();
    match outcome {
        ArchiveOutcome::Done(archive) => {
            let (word, note) = match archive.state {
                ArchiveState::Captured => ("captured", archive.wayback_url.as_deref().unwrap_or_default()),
                ArchiveState::Failed => ("failed", archive.error.as_deref().unwrap_or_default()),
                ArchiveState::Queued | ArchiveState::Submitted => return None,
            };
            Some(format!("{word:<9} {}: {}", sanitize_for_terminal(url), sanitize_for_terminal(note)))
        }
        // What was put off by a pause or a stop is not worth a line for each page.
        ArchiveOutcome::Deferred(archive, time) if archive.not_before == Some(*time) => {
            Some(later(url, archive, *time))
        }
        ArchiveOutcome::Deferred(..) | ArchiveOutcome::NotRecorded => None,
    }
}
