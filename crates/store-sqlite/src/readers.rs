//! A small pool of connections that read.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::connection::open_for_reading;
use crate::error::{OpenError, explained};

/// Connections that are kept while nobody reads.
const IDLE: usize = 4;

/// Lends connections that read; one is opened where none is idle.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn open(path: PathBuf) -> Result<Self, OpenError> {
        let first = open_for_reading(&path)?;
        Ok(Self { path, idle: Mutex::new(vec![first]) })
    }

    /// Reads with a connection of the pool.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open_for_reading(&self.path).map_err(|error| as_database_error(&error))?,
        };
        let result = read(&connection).map_err(|error| explained(self.path.to_str(), error));
        let mut idle = self.idle();
        if idle.len() < IDLE {
            idle.push(connection);
        }
        result
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        // A connection is outside the list while it is used, so a panic leaves the list whole.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn as_database_error(error: &OpenError) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
    rusqlite::Error::SqliteFailure(code, Some(error.to_string()))
}
