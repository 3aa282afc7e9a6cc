//! `crawls/{crawl id}/operations/{instance}`: what a process cost.

use recrawl_core::model::crawl::Operations;
use serde::{Deserialize, Serialize};

/// The operations that one process made for a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OperationsDocument {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) deletes: u64,
    pub(crate) messages: u64,
    pub(crate) stored_bytes: u64,
    pub(crate) busy_ms: u64,
}

impl From<OperationsDocument> for Operations {
    fn from(document: OperationsDocument) -> Self {
        Self {
            reads: document.reads,
            writes: document.writes,
            deletes: document.deletes,
            messages: document.messages,
            stored_bytes: document.stored_bytes,
            busy_ms: document.busy_ms,
        }
    }
}
