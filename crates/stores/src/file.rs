//! What only a store in one file can do: locks, backup, integrity check, SQL.

mod lock;
mod scratch;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::model::finding::Finding;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::StoreError;
use recrawl_store_sqlite::{BackupError, OpenError, Options, QueryError, SqliteStore};
pub use recrawl_store_sqlite::{Guarded, Rows, Value};

pub use self::lock::{ArchiveLock, NotifyLock};
pub use self::scratch::Scratch;
use crate::error::AccessError;
use crate::open::{Access, EmbeddedStore};

/// Opens the store in the file at `path`.
pub fn open_file(path: impl AsRef<Path>, access: Access) -> Result<Arc<dyn EmbeddedStore>, AccessError> {
    let store = match access {
        Access::Read => SqliteStore::open_read_only(path)?,
        Access::Write | Access::Crawl => SqliteStore::open(path, &Options::default())?,
    };
    if access == Access::Crawl {
        store.lock_for_crawling()?;
    }
    Ok(Arc::new(store))
}

/// Tells whether a process crawls into the file, this one included.
///
/// That can be found out only by trying to take its lock, so it should be asked rarely.
pub fn is_being_crawled(path: impl AsRef<Path>) -> Result<bool, AccessError> {
    match SqliteStore::open_read_only(path)?.lock_for_crawling() {
        Ok(()) => Ok(false),
        Err(OpenError::Crawling { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Copies the store at `path` into the file `target` as it is now, and returns the size of the copy.
pub fn back_up(path: &Path, target: &Path) -> Result<u64, AccessError> {
    recrawl_store_sqlite::back_up(path, target).map_err(|error| match error {
        BackupError::Open(error) => error.into(),
        other => AccessError::Failed(Box::new(other)),
    })
}

/// Checks the integrity of the store at `path`; nothing is written.
pub fn check(path: &Path) -> Result<Vec<Finding>, AccessError> {
    Ok(recrawl_store_sqlite::check(path)?)
}

/// Runs one SQL statement that reads on the views of the store at `path`.
pub fn query(path: &Path, sql: &str) -> Result<Rows, AccessError> {
    recrawl_store_sqlite::query(path, sql).map_err(|error| match error {
        QueryError::Open(error) => error.into(),
        QueryError::NotOne | QueryError::NotReading => AccessError::Usage(error.to_string()),
        QueryError::Refused(error) => AccessError::Usage(format!("the query cannot be answered: {error}")),
    })
}

/// Opens the store at `path` for the SQL of people, who have tables of their own in it; makes it if needed.
pub fn open_for_sql(path: &Path) -> Result<Guarded, AccessError> {
    Ok(recrawl_store_sqlite::open_for_sql(path)?)
}

/// Opens the existing store at `path` for SQL that reads.
pub fn open_for_sql_reading(path: &Path) -> Result<Guarded, AccessError> {
    Ok(recrawl_store_sqlite::open_for_sql_reading(path)?)
}

#[async_trait]
impl EmbeddedStore for SqliteStore {
    fn path(&self) -> &Path {
        self.path()
    }

    async fn index_for_search(&self, site: Option<&SiteId>, limit: usize) -> Result<u64, StoreError> {
        Ok(self.index_for_search(site, limit).await?.waiting)
    }
}

/// Tells a file that was named wrongly from one that cannot be opened.
impl From<OpenError> for AccessError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Missing(_)
            | OpenError::Foreign(_)
            | OpenError::Newer { .. }
            | OpenError::Older { .. } => Self::Usage(error.to_string()),
            OpenError::Crawling { .. } => Self::Busy(Box::new(error)),
            OpenError::Damaged(_) | OpenError::Unfolded(_) | OpenError::Failed { .. } => {
                Self::Failed(Box::new(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_crawls_at_a_time_and_others_read_and_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recrawl.db");
        assert!(matches!(open_file(&path, Access::Read), Err(AccessError::Usage(_))), "it is missing");
        let crawled = open_file(&path, Access::Crawl).unwrap();
        assert_eq!(crawled.path(), path);
        assert!(matches!(open_file(&path, Access::Crawl), Err(AccessError::Busy(_))));
        assert!(is_being_crawled(&path).unwrap());
        open_file(&path, Access::Read).unwrap();
        open_file(&path, Access::Write).unwrap();
        drop(crawled);
        assert!(!is_being_crawled(&path).unwrap());
        open_file(&path, Access::Crawl).unwrap();
    }
}
