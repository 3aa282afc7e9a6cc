//! Small things that are remembered.

use async_trait::async_trait;
use recrawl_core::ports::{Memo, MemoIndex, Memos, StoreError};

use super::FirestoreStore;
use crate::client::{Query, delete, replace};
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

#[async_trait]
impl MemoIndex for FirestoreStore {
    async fn memos_with_prefix(&self, prefix: &str) -> Result<Vec<(String, Memo)>, StoreError> {
        let query = Query::of("memos").beginning_with("key", prefix);
        let found = self.client.query(self.paths.root(), query).await?;
        found.iter().map(|document| shape::read::<MemoDocument>(document)?.into_named_memo()).collect()
    }

    async fn delete_memo(&self, key: &str) -> Result<(), StoreError> {
        Ok(self.client.commit(vec![delete(self.paths.memo(key), None)]).await?)
    }
}
