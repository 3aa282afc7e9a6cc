//! Memos in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::ports::{Memo, MemoIndex, Memos, StoreError};

#[async_trait]
impl Memos for MemoryStore {
    async fn memo(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        Ok(self.state().memos.get(key).cloned())
    }

    async fn save_memo(&self, key: &str, memo: &Memo) -> Result<(), StoreError> {
        self.state().memos.insert(key.to_owned(), memo.clone());
        Ok(())
    }
}

#[async_trait]
impl MemoIndex for MemoryStore {
    async fn memos_with_prefix(&self, prefix: &str) -> Result<Vec<(String, Memo)>, StoreError> {
        let state = self.state();
        let found = state.memos.iter().filter(|(key, _)| key.starts_with(prefix));
        let mut found: Vec<(String, Memo)> = found.map(|(key, memo)| (key.clone(), memo.clone())).collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(found)
    }

    async fn delete_memo(&self, key: &str) -> Result<(), StoreError> {
        self.state().memos.remove(key);
        Ok(())
    }
}
