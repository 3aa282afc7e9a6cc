//! Ending a run before its time.

use std::sync::Arc;

use tokio::sync::watch;

/// How a run ends before its time, after the pages in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halting {
    /// The crawl stays open, and goes on with the next run.
    Rest,
    /// The crawl is closed as partial, for this reason.
    Close(&'static str),
}

/// Lets others end a run before its time. Clones speak for the same run.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<watch::Sender<Option<Halting>>>);

impl Halt {
    /// Asks the run to end like this, whatever was asked for before.
    pub fn ask(&self, halting: Halting) {
        self.0.send_replace(Some(halting));
    }

    /// Returns what was asked for last.
    pub fn asked(&self) -> Option<Halting> {
        *self.0.borrow()
    }

    /// Waits until the run shall end like this.
    pub async fn wait_for(&self, halting: Halting) {
        let mut changes = self.0.subscribe();
        // The sender lives as long as this value, so there is no other end of the wait.
        let _ = changes.wait_for(|asked| *asked == Some(halting)).await;
    }
}
