//! Why a report cannot be made.

use recrawl_core::ports::{QueueError, StoreError};
use thiserror::Error;

/// Why a report cannot be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The store does not have what was asked for. The text says so to whoever asked.
    #[error("{0}")]
    Absent(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The frontier failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
}
