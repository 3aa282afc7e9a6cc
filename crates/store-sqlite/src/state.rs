//! Caches and decisions: the table `memo`.

use async_trait::async_trait;
use recrawl_core::ports::{Recorded, StateEntry, StateGroup, StateKey, StateStore, StoreError};
use rusqlite::OptionalExtension;

use crate::records::row::read_time;
use crate::store::SqliteStore;
use crate::writer::Command;

#[async_trait]
impl StateStore for SqliteStore {
    async fn state(&self, key: &StateKey) -> Result<Option<StateEntry>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT saved_at, value FROM memo WHERE key = ?1")?;
            let entry = select.query_row([key.as_str()], |row| {
                Ok(StateEntry { saved_at: read_time(row, 0)?, value: row.get(1)? })
            });
            entry.optional()
        })
    }

    async fn save_state(&self, key: &StateKey, entry: &StateEntry) -> Result<(), StoreError> {
        let command = Command::SaveState { key: key.as_str().to_owned(), entry: entry.clone() };
        self.write(command).await.map(drop)
    }

    async fn replace_state(
        &self,
        key: &StateKey,
        before: Option<&StateEntry>,
        entry: &StateEntry,
    ) -> Result<bool, StoreError> {
        let (key, before, entry) = (key.as_str().to_owned(), before.cloned(), entry.clone());
        Ok(self.write(Command::ReplaceState { key, before, entry }).await? == Recorded::First)
    }

    async fn delete_state(&self, key: &StateKey) -> Result<(), StoreError> {
        self.write(Command::DeleteStates(vec![key.as_str().to_owned()])).await.map(drop)
    }

    async fn states(&self, group: &StateGroup) -> Result<Vec<StateEntry>, StoreError> {
        Ok(self.read_group(group)?.into_iter().map(|(_, entry)| entry).collect())
    }

    async fn delete_states(&self, group: &StateGroup) -> Result<(), StoreError> {
        let keys: Vec<String> = self.read_group(group)?.into_iter().map(|(key, _)| key).collect();
        if keys.is_empty() {
            return Ok(());
        }
        self.write(Command::DeleteStates(keys)).await.map(drop)
    }
}

impl SqliteStore {
    fn read_group(&self, group: &StateGroup) -> Result<Vec<(String, StateEntry)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT key, saved_at, value FROM memo WHERE key >= ?1 ORDER BY key";
            let mut select = connection.prepare_cached(sql)?;
            let (mut rows, mut found) = (select.query([group.prefix()])?, Vec::new());
            while let Some(row) = rows.next()? {
                let key: String = row.get(0)?;
                if !key.starts_with(group.prefix()) {
                    break;
                }
                found.push((key, StateEntry { saved_at: read_time(row, 1)?, value: row.get(2)? }));
            }
            Ok(found)
        })
    }
}
