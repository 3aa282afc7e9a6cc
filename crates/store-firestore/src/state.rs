//! Caches and decisions: the collection `memos`.

use async_trait::async_trait;
use recrawl_core::ports::{StateEntry, StateGroup, StateKey, StateKind, StateStore, StoreError};

use crate::client::{BATCH, Query, delete, replace};
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
