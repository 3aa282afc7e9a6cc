//! For how long the service is left alone, remembered from one process to the next.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::back_off::Hold;
use recrawl_core::ports::{StateStore, StoreError};
use recrawl_core::url::HostKey;
use tokio::sync::OnceCell;

use super::ArchiveWorker;

/// Where it is remembered.
pub(super) struct Rests {
    memory: Arc<dyn StateStore>,
    host: HostKey,
    recalled: OnceCell<()>,
}

impl Rests {
    pub(super) fn new(memory: Arc<dyn StateStore>, host: HostKey) -> Self {
        Self { memory, host, recalled: OnceCell::new() }
    }

    async fn read(&self) -> Result<Option<Hold>, StoreError> {
        let entry = self.memory.state(&Hold::key(&self.host)).await?;
        Ok(entry.as_ref().and_then(Hold::from_entry))
    }
}

impl ArchiveWorker {
    /// Leaves the service alone for as long as a process before was to; looked up once.
    pub(super) async fn recall_rest(&self, now: Timestamp) {
        let Some(rests) = &self.rests else { return };
        let recalled = rests.recalled.get_or_try_init(|| async {
            if let Some(left) = rests.read().await?.and_then(|hold| hold.left(now)) {
                self.pace.rest_for(left);
            }
            Ok::<(), StoreError>(())
        });
        if let Err(error) = recalled.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "it is not known whether the service is left alone"
            );
        }
    }

    /// Remembers for how long the service is left alone, if that is longer than a moment.
    pub(super) async fn remember_rest(&self, now: Timestamp) {
        let Some(rests) = &self.rests else { return };
        let lasts = self.pace.rests_for();
        if lasts < Hold::SHORTEST {
            return;
        }
        let entry = Hold { since: now, lasts }.to_entry();
        // This process leaves it alone all the same.
        if let Err(error) = rests.memory.save_state(&Hold::key(&rests.host), &entry).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "that the service is left alone is not remembered"
            );
        }
    }
}
