//! What is known of a page, in brief: some fields of its document.

use firestore::FirestoreTimestamp;
use recrawl_core::model::record::{FoundBy, PageSummary, Presence};
use recrawl_core::ports::StoreError;
use serde::Deserialize;

use super::unreadable;

/// The fields of a page that decide when it is visited again.
#[derive(Debug, Deserialize)]
pub(crate) struct PageSummaryDocument {
    url: String,
    depth: u32,
    found_by: FoundBy,
    presence: Presence,
    first_seen: FirestoreTimestamp,
    last_seen: FirestoreTimestamp,
    changes_detected: u32,
    #[serde(default)]
    observations: Option<u32>,
    change_frequency: f64,
}

impl PageSummaryDocument {
    pub(crate) const FIELDS: [&str; 9] = [
        "url",
        "depth",
        "found_by",
        "presence",
        "first_seen",
        "last_seen",
        "changes_detected",
        "observations",
        "change_frequency",
    ];

    /// Reads what is known of a page, as [`PageDocument`](super::PageDocument) is read.
    pub(crate) fn into_page_summary(self) -> Result<PageSummary, StoreError> {
        Ok(PageSummary {
            url: self.url.parse().map_err(unreadable)?,
            presence: self.presence,
            found_by: self.found_by,
            depth: self.depth,
            first_seen: self.first_seen.0,
            last_seen: self.last_seen.0,
            changes_detected: self.changes_detected,
            observations: self.observations.unwrap_or(self.changes_detected),
            change_frequency: self.change_frequency,
        })
    }
}
