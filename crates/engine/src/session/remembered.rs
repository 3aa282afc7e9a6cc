//! What is remembered of a site from tick to tick, under a name of its own.

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Something that is remembered under a name of its own.
pub(crate) trait Persisted: Serialize + DeserializeOwned {
    /// Returns the name for `site`, or for all sites.
    fn key(site: &SiteId) -> StateKey;
}

/// Returns what is remembered of `site`; what cannot be read is forgotten.
pub(crate) async fn recall<T: Persisted>(
    state_store: &(impl StateStore + ?Sized),
    site: &SiteId,
) -> Result<Option<T>, StoreError> {
    let Some(memo) = state_store.state(&T::key(site)).await? else {
        return Ok(None);
    };
    let value = serde_json::from_str(&memo.value);
    Ok(value
        .inspect_err(|error| tracing::warn!(%error, key = T::key(site).as_str(), "a memo is not readable"))
        .ok())
}

/// Remembers `value` of `site`.
pub(crate) async fn remember<T: Persisted>(
    state_store: &(impl StateStore + ?Sized),
    site: &SiteId,
    value: &T,
    now: Timestamp,
) -> Result<(), StoreError> {
    let value = serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.into()))?;
    state_store.save_state(&T::key(site), &StateEntry { saved_at: now, value }).await
}
