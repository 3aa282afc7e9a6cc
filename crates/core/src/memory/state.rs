//! Caches and decisions in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::ports::{StateEntry, StateGroup, StateKey, StateStore, StoreError};

#[async_trait]
impl StateStore for MemoryStore {
    async fn state(&self, key: &StateKey) -> Result<Option<StateEntry>, StoreError> {
        Ok(self.locked().entries.get(key.as_str()).cloned())
    }

    async fn save_state(&self, key: &StateKey, entry: &StateEntry) -> Result<(), StoreError> {
        self.locked().entries.insert(key.as_str().to_owned(), entry.clone());
        Ok(())
    }

    async fn replace_state(
        &self,
        key: &StateKey,
        before: Option<&StateEntry>,
        entry: &StateEntry,
    ) -> Result<bool, StoreError> {
        let mut state = self.locked();
        let is_as_before = state.entries.get(key.as_str()) == before;
        if is_as_before {
            state.entries.insert(key.as_str().to_owned(), entry.clone());
        }
        Ok(is_as_before)
    }

    async fn delete_state(&self, key: &StateKey) -> Result<(), StoreError> {
        self.locked().entries.remove(key.as_str());
        Ok(())
    }

    async fn states(&self, group: &StateGroup) -> Result<Vec<StateEntry>, StoreError> {
        let state = self.locked();
        let of_group = state.entries.iter().filter(|(key, _)| key.starts_with(group.prefix()));
        Ok(of_group.map(|(_, entry)| entry.clone()).collect())
    }

    async fn delete_states(&self, group: &StateGroup) -> Result<(), StoreError> {
        self.locked().entries.retain(|key, _| !key.starts_with(group.prefix()));
        Ok(())
    }
}
