//! The map `archive` of a page.

use firestore::FirestoreTimestamp;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{cut, time, unreadable};

/// The longest text of somebody else's that is kept; no honest one is as long.
const LIMIT: usize = 10_000;

/// What became of the wish to have a page archived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArchiveMap {
    state: String,
    requested_at: FirestoreTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    captured_at: Option<FirestoreTimestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wayback_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default)]
    attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_before: Option<FirestoreTimestamp>,
    /// When something is to be done next; only while it is not over. One field, so that the index which
    /// every field has by itself answers the query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due_at: Option<FirestoreTimestamp>,
}

impl From<&Archive> for ArchiveMap {
    fn from(archive: &Archive) -> Self {
        let due_at = archive.not_before.unwrap_or(archive.requested_at);
        let short = |text: &Option<String>| text.as_deref().map(|text| cut(text, LIMIT));
        Self {
            state: archive.state.word().to_owned(),
            requested_at: time(archive.requested_at),
            job_id: short(&archive.job_id),
            captured_at: archive.captured_at.map(time),
            wayback_url: short(&archive.wayback_url),
            error: short(&archive.error),
            attempts: archive.attempts,
            not_before: archive.not_before.map(time),
            due_at: (!archive.state.is_over()).then(|| time(due_at)),
        }
    }
}

impl TryFrom<ArchiveMap> for Archive {
    type Error = StoreError;

    fn try_from(map: ArchiveMap) -> Result<Self, StoreError> {
        let state = ArchiveState::from_word(&map.state);
        Ok(Self {
            state: state.ok_or_else(|| unreadable(format!("{:?} is not a state", map.state)))?,
            requested_at: map.requested_at.0,
            job_id: map.job_id,
            captured_at: map.captured_at.map(|time| time.0),
            wayback_url: map.wayback_url,
            error: map.error,
            attempts: map.attempts,
            not_before: map.not_before.map(|time| time.0),
        })
    }
}
