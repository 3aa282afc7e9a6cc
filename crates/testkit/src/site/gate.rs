//! Answers that wait for the test, so that the test need not wait for a time.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds answers back until it is opened; it stays open.
#[derive(Debug, Clone)]
pub struct Gate {
    open: Arc<watch::Sender<bool>>,
}

impl Gate {
    /// Makes a gate that is shut.
    pub fn shut() -> Self {
        Self { open: Arc::new(watch::Sender::new(false)) }
    }

    /// Lets every answer pass that waits or will come.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until the gate is open.
    pub(super) async fn pass(&self) {
        let mut open = self.open.subscribe();
        // The sender lives as long as this gate.
        let _ = open.wait_for(|open| *open).await;
    }
}
