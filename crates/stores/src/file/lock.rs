//! Locks beside a store: one process at a time archives, and one notifies. The system releases them when the process ends.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::error::AccessError;

/// How long a process that notifies waits for another.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often it looks whether the other has finished.
const LOOK: Duration = Duration::from_millis(100);

/// Held by the process that archives what waits in a store, so that the pace of the service holds.
#[derive(Debug)]
pub struct ArchiveLock {
    _file: File,
}

impl ArchiveLock {
    /// Takes the lock; that another process holds it is an error.
    pub fn take(store: &Path) -> Result<Self, AccessError> {
        match lock_beside(store, ".archiving")? {
            Some(file) => Ok(Self { _file: file }),
            None => Err(AccessError::Busy(
                format!("another process is archiving from {}: let it finish", store.display()).into(),
            )),
        }
    }
}

/// Held by the process that sends the notifications that wait in a store, so that nobody gets one twice.
#[derive(Debug)]
pub struct NotifyLock {
    _file: File,
}

impl NotifyLock {
    /// Takes the lock; `None` where another process holds it.
    pub fn take(store: &Path) -> Result<Option<Self>, AccessError> {
        Ok(lock_beside(store, ".telling")?.map(|file| Self { _file: file }))
    }

    /// Takes the lock once another process has finished; `None` where that takes too long.
    ///
    /// The system wakes nobody when a file is unlocked, so this looks again and again.
    pub async fn wait(store: &Path) -> Result<Option<Self>, AccessError> {
        let begun = tokio::time::Instant::now();
        loop {
            let lock = Self::take(store)?;
            if lock.is_some() || begun.elapsed() > PATIENCE {
                return Ok(lock);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Locks the file beside `store` whose name ends so; `None` where another process has locked it.
fn lock_beside(store: &Path, suffix: &str) -> Result<Option<File>, AccessError> {
    // However the file is named, it is one store.
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    let mut beside = OsString::from(store);
    beside.push(suffix);
    let beside = Path::new(&beside);
    let failed = |what: &str, error: io::Error| {
        AccessError::Failed(format!("cannot {what} {}: {error}", beside.display()).into())
    };
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(beside);
    let file = file.map_err(|error| failed("write", error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed("lock", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_has_a_lock_at_a_time_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let (store, link) = (folder.path().join("recrawl.db"), folder.path().join("link.db"));
        std::fs::write(&store, "").unwrap();
        std::os::unix::fs::symlink(&store, &link).unwrap();
        let notifying = NotifyLock::take(&store).unwrap();
        assert!(notifying.is_some());
        assert!(NotifyLock::take(&store).unwrap().is_none() && NotifyLock::take(&link).unwrap().is_none());
        let archiving = ArchiveLock::take(&store).unwrap();
        assert!(ArchiveLock::take(&store).is_err() && ArchiveLock::take(&link).is_err());
        drop((notifying, archiving));
        assert!(NotifyLock::take(&link).unwrap().is_some());
        assert!(ArchiveLock::take(&link).is_ok());
    }
}
