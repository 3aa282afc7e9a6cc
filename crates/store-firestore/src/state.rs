//! Caches and decisions: the collection `memos`.

use async_trait::async_trait;
use firestore::timestamp_utils::from_timestamp;
use jiff::Timestamp;
use recrawl_core::ports::{StateEntry, StateGroup, StateKey, StateKind, StateStore, StoreError};

use crate::client::{BATCH, Failure, Query, create, delete, merge, replace};
use crate::documents::{self, StateDocument, unreadable};
use crate::store::FirestoreStore;

#[async_trait]
impl StateStore for FirestoreStore {
    async fn state(&self, key: &StateKey) -> Result<Option<StateEntry>, StoreError> {
        let found = self.client.get(&self.paths.state(key), &[]).await?;
        found.map(|document| documents::read::<StateDocument>(&document)?.into_entry()).transpose()
    }

    async fn save_state(&self, key: &StateKey, entry: &StateEntry) -> Result<(), StoreError> {
        let name = self.paths.state(key);
        let write = match (StateDocument::new(key, entry), key.kind()) {
            (Some(document), _) => replace(documents::write(name, &document)?),
            // What is lost is fetched again, and an older one would be wrong.
            (None, StateKind::Cache) => delete(name, None),
            (None, StateKind::Decision) => {
                return Err(unreadable(format!("{} is too large for a document", key.as_str())));
            }
        };
        Ok(self.client.commit(vec![write]).await?)
    }

    async fn replace_state(
        &self,
        key: &StateKey,
        before: Option<&StateEntry>,
        entry: &StateEntry,
    ) -> Result<bool, StoreError> {
        let name = self.paths.state(key);
        let found = self.client.get(&name, &[]).await?;
        let there = found
            .as_ref()
            .map(|document| documents::read::<StateDocument>(document)?.into_entry())
            .transpose()?;
        if !is_same(there.as_ref(), before) {
            return Ok(false);
        }
        let document = StateDocument::new(key, entry)
            .ok_or_else(|| unreadable(format!("{} is too large for a document", key.as_str())))?;
        let document = documents::write(name, &document)?;
        let write = match found {
            Some(found) => merge(document, &StateDocument::FIELDS, found.update_time),
            None => create(document),
        };
        match self.client.commit(vec![write]).await {
            Ok(()) => Ok(true),
            Err(Failure::Exists | Failure::Missing | Failure::Changed) => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn delete_state(&self, key: &StateKey) -> Result<(), StoreError> {
        Ok(self.client.commit(vec![delete(self.paths.state(key), None)]).await?)
    }

    async fn states(&self, group: &StateGroup) -> Result<Vec<StateEntry>, StoreError> {
        let query = Query::of("memos").beginning_with("key", group.prefix());
        let found = self.client.query(self.paths.root(), query).await?;
        found.iter().map(|document| documents::read::<StateDocument>(document)?.into_entry()).collect()
    }

    async fn delete_states(&self, group: &StateGroup) -> Result<(), StoreError> {
        let query = Query::of("memos").beginning_with("key", group.prefix()).fields(&["key"]);
        let found = self.client.query(self.paths.root(), query).await?;
        for batch in found.chunks(BATCH) {
            let deletes = batch.iter().map(|document| delete(document.name.clone(), None));
            self.client.commit(deletes.collect()).await?;
        }
        Ok(())
    }
}

/// A look at an entry, timed by the clock of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedLook {
    /// The entry, and when it was written.
    pub entry: Option<(StateEntry, Timestamp)>,
    /// When it was looked at.
    pub at: Timestamp,
}

impl FirestoreStore {
    /// Looks at an entry by the clock of the database, which tells whose clock is wrong.
    pub async fn timed_state(&self, key: &StateKey) -> Result<TimedLook, StoreError> {
        let (found, at) = self.client.get_with_time(&self.paths.state(key)).await?;
        let entry = found
            .map(|document| {
                let written_at =
                    document.update_time.ok_or_else(|| unreadable("a document without its time"))?;
                let entry = documents::read::<StateDocument>(&document)?.into_entry()?;
                Ok::<_, StoreError>((entry, from_timestamp(written_at).map_err(unreadable)?))
            })
            .transpose()?;
        Ok(TimedLook { entry, at })
    }
}

/// Tells whether two entries are one: Firestore keeps microseconds.
fn is_same(one: Option<&StateEntry>, other: Option<&StateEntry>) -> bool {
    let kept = |entry: &StateEntry| (entry.saved_at.as_microsecond(), entry.value.clone());
    one.map(kept) == other.map(kept)
}
