//! One process at a time tells what waits in a store, so that nobody is told twice.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often it is looked whether it has finished.
const LOOK: Duration = Duration::from_millis(100);

/// The right to tell what waits in a store; the system takes it back when the process ends.
pub(super) struct RightToTell {
    _file: File,
}

impl RightToTell {
    /// Takes the right; nothing where another process has it.
    pub(super) fn take(store: &Path) -> anyhow::Result<Option<Self>> {
        // However the file is named, it is one store.
        let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
        let mut side = OsString::from(store);
        side.push(".telling");
        let side = Path::new(&side);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(side);
        let file = file.with_context(|| format!("cannot write {}", side.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", side.display()))
            }
        }
    }

    /// Takes the right once another process has finished; nothing where that takes too long.
    pub(super) async fn wait(store: &Path) -> anyhow::Result<Option<Self>> {
        let begun = tokio::time::Instant::now();
        loop {
            let right = Self::take(store)?;
            if right.is_some() || begun.elapsed() > PATIENCE {
                return Ok(right);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_right_at_a_time_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let (store, link) = (folder.path().join("recrawl.db"), folder.path().join("link.db"));
        std::fs::write(&store, "").unwrap();
        std::os::unix::fs::symlink(&store, &link).unwrap();
        let first = RightToTell::take(&store).unwrap();
        assert!(first.is_some());
        assert!(RightToTell::take(&store).unwrap().is_none() && RightToTell::take(&link).unwrap().is_none());
        drop(first);
        assert!(RightToTell::take(&link).unwrap().is_some());
    }
}
