//! What is remembered from tick to tick.

use jiff::Timestamp;
use jiff::civil::Date;
use recrawl_core::decide::Audited;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Something that is remembered under a name of its own.
pub(super) trait Persisted: Serialize + DeserializeOwned {
    /// Returns the name for `site`, or for all sites.
    fn key(site: &SiteId) -> StateKey;
}

impl Persisted for Audited {
    fn key(site: &SiteId) -> StateKey {
        StateKey::last_audit(site)
    }
}

/// Suspect crawls whose findings wait for somebody to accept them.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingAcceptance {
    pub(super) crawls: Vec<CrawlId>,
}

impl Persisted for PendingAcceptance {
    fn key(site: &SiteId) -> StateKey {
        StateKey::pending_acceptance(site)
    }
}

/// Crawls whose archive requests may not all be over.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Unarchived {
    pub(super) crawls: Vec<CrawlId>,
    pub(super) looked_at: Timestamp,
}

impl Persisted for Unarchived {
    fn key(site: &SiteId) -> StateKey {
        StateKey::unarchived_crawls(site)
    }
}

/// The last day on which nothing more was to be forgotten, or could be.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NothingToDelete {
    pub(super) on: Date,
}

impl Persisted for NothingToDelete {
    fn key(site: &SiteId) -> StateKey {
        StateKey::nothing_to_delete(site)
    }
}

/// What was deleted on a day, over all sites.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Deletes {
    pub(super) on: Date,
    pub(super) count: u64,
}

impl Persisted for Deletes {
    fn key(_: &SiteId) -> StateKey {
        StateKey::deletes_of_the_day()
    }
}

/// Returns what is remembered of `site`; what cannot be read is forgotten.
pub(super) async fn recall<T: Persisted>(
    memos: &(impl StateStore + ?Sized),
    site: &SiteId,
) -> Result<Option<T>, StoreError> {
    let Some(memo) = memos.state(&T::key(site)).await? else {
        return Ok(None);
    };
    let value = serde_json::from_str(&memo.value);
    Ok(value
        .inspect_err(|error| tracing::warn!(%error, key = T::key(site).as_str(), "a memo is not readable"))
        .ok())
}

/// Remembers `value` of `site`.
pub(super) async fn remember<T: Persisted>(
    memos: &(impl StateStore + ?Sized),
    site: &SiteId,
    value: &T,
    now: Timestamp,
) -> Result<(), StoreError> {
    let value = serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.into()))?;
    memos.save_state(&T::key(site), &StateEntry { saved_at: now, value }).await
}
