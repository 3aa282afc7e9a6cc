//! A consistent copy of a file that may be written meanwhile.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use recrawl_core::ports::Source;
use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

use crate::connection::open_for_reading;
use crate::error::{OpenError, explained};

/// Why no copy was made. What was begun is removed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file was not opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The copy was not written.
    #[error("{} could not be written", .path.display())]
    Failed {
        /// The copy.
        path: PathBuf,
        /// The reason.
        source: Source,
    },
    /// The copy is not whole.
    #[error("the copy is not whole ({0}): run `recrawl check` on the store")]
    NotWhole(String),
}

/// Copies the database at `path` to `target`, as it is at one moment, also while it is written; replaces what is there.
/// Returns the size of the copy in bytes.
///
/// The copy is written beside its place, looked through, and then takes its place: nobody ever sees half of it.
pub fn back_up(path: impl AsRef<Path>, target: impl AsRef<Path>) -> Result<u64, BackupError> {
    let (path, target) = (path.as_ref(), target.as_ref());
    // Says what is wrong with the file as every reading command does.
    drop(open_for_reading(path)?);
    let mut partial = target.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = PathBuf::from(partial);
    let copied = copy(path, &partial, target);
    if copied.is_err() {
        // There may be nothing, and nobody could do anything about it.
        let _ = fs::remove_file(&partial);
    }
    copied
}

fn copy(path: &Path, partial: &Path, target: &Path) -> Result<u64, BackupError> {
    let failed = |source: Source| BackupError::Failed { path: target.to_owned(), source };
    let io_failed = |error: io::Error| failed(Box::new(error));
    let said = |error| failed(Box::new(explained(path.to_str(), error)));
    let name = partial.to_str().ok_or_else(|| io_failed(io::ErrorKind::InvalidFilename.into()))?;
    match fs::remove_file(partial) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(io_failed(error)),
    }
    let connection = open_for_reading(path)?;
    // It writes another file, and to this one nothing.
    connection.pragma_update(None, "query_only", false).map_err(said)?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(said)?;
    drop(connection);
    expect_whole(partial).map_err(|error| match error {
        Ok(fault) => BackupError::NotWhole(fault),
        Err(error) => said(error),
    })?;
    let file = File::open(partial).map_err(io_failed)?;
    file.sync_all().map_err(io_failed)?;
    let size = file.metadata().map_err(io_failed)?.len();
    fs::rename(partial, target).map_err(io_failed)?;
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    // Not every system lets a folder be synced; the copy is there either way.
    if let Ok(folder) = File::open(parent.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
    Ok(size)
}

/// Returns the first fault of a file, or why it could not be looked through.
fn expect_whole(path: &Path) -> Result<(), Result<String, rusqlite::Error>> {
    let look = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
    };
    match look() {
        Ok(fault) if fault != "ok" => Err(Ok(fault)),
        Ok(_) => Ok(()),
        Err(error) => Err(Err(error)),
    }
}
