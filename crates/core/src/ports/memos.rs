use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;

/// A small thing worth remembering from one run to the next: a robots.txt, a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memo {
    /// When it was saved.
    pub saved_at: Timestamp,
    /// What its owner made of it.
    pub value: String,
}

/// Remembers small things by name. What is lost is fetched again.
///
/// # Contract
/// As of [`Store`](super::Store): what was saved is seen by every later read.
#[async_trait]
pub trait Memos: Send + Sync {
    /// Returns what was last saved under `key`.
    async fn memo(&self, key: &str) -> Result<Option<Memo>, StoreError>;

    /// Saves `memo` under `key`, replacing what was there.
    async fn save_memo(&self, key: &str, memo: &Memo) -> Result<(), StoreError>;
}

/// Lists and forgets memos: for things that wait to be done, one memo each.
///
/// # Contract
/// As of [`Memos`].
#[async_trait]
pub trait MemoIndex: Memos {
    /// Returns the memos whose keys begin with `prefix`, with their keys, by key.
    async fn memos_with_prefix(&self, prefix: &str) -> Result<Vec<(String, Memo)>, StoreError>;

    /// Forgets what was saved under `key`, if anything was.
    async fn delete_memo(&self, key: &str) -> Result<(), StoreError>;
}
