//! Ending a run before its time.

use std::sync::Arc;

use tokio::sync::watch;

/// How a run ends before its time, after the pages in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMode {
    /// The crawl stays open, and goes on with the next run.
    Pause,
    /// The crawl is closed as partial, for this reason.
    Close(&'static str),
}

/// Lets others end a run before its time. Clones speak for the same run.
#[derive(Debug, Clone, Default)]
pub struct StopHandle(Arc<watch::Sender<Option<StopMode>>>);

impl StopHandle {
    /// Asks the run to end like this, whatever was asked for before.
    pub fn ask(&self, stop_mode: StopMode) {
        self.0.send_replace(Some(stop_mode));
    }

    /// Returns what was asked for last.
    pub fn asked(&self) -> Option<StopMode> {
        *self.0.borrow()
    }

    /// Waits until the run shall end, however.
    pub async fn wait(&self) {
        let mut changes = self.0.subscribe();
        let _ = changes.wait_for(Option::is_some).await;
    }

    /// Waits until the run shall end like this.
    pub async fn wait_for(&self, stop_mode: StopMode) {
        let mut changes = self.0.subscribe();
        // The sender lives as long as this value, so there is no other end of the wait.
        let _ = changes.wait_for(|asked| *asked == Some(stop_mode)).await;
    }
}
