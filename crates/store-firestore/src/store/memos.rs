//! Small things that are remembered.

use async_trait::async_trait;
use recrawl_core::ports::{Memo, Memos, StoreError};

use super::FirestoreStore;
use crate::client::{delete, replace};
use crate::shape::{self, MemoDocument};

#[async_trait]
impl Memos for FirestoreStore {
    async fn memo(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        let found = self.client.get(&self.paths.memo(key), &[]).await?;
        found.map(|document| shape::read::<MemoDocument>(&document)?.into_memo()).transpose()
    }

    async fn save_memo(&self, key: &str, memo: &Memo) -> Result<(), StoreError> {
        let name = self.paths.memo(key);
        let write = match MemoDocument::new(key, memo) {
            Some(document) => replace(shape::write(name, &document)?),
            // What is lost is fetched again, and an older one would be wrong.
            None => delete(name, None),
        };
        Ok(self.client.commit(vec![write]).await?)
    }
}
