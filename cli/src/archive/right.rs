//! One archiving process at a time for a store, so that the pace holds.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use anyhow::Context;

/// The right to archive what waits in a store; the system takes it back when the process ends.
pub(crate) struct RightToArchive {
    _file: File,
}

impl RightToArchive {
    pub(crate) fn take(store: &Path) -> anyhow::Result<Self> {
        let mut side = OsString::from(store);
        side.push(".archiving");
        let side = Path::new(&side);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(side);
        let file = file.with_context(|| format!("cannot write {}", side.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                anyhow::bail!("another process archives what waits in {}: let it finish", store.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", side.display()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_right_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("recrawl.db");
        let first = RightToArchive::take(&store).unwrap();
        assert!(RightToArchive::take(&store).is_err());
        drop(first);
        assert!(RightToArchive::take(&store).is_ok());
    }
}
