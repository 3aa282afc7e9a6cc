//! What goes wrong, and what the caller does next.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recrawl_core::panics::Panic;
use recrawl_core::ports::{QueueError, Source, StoreError};
use rusqlite::ErrorCode;
use thiserror::Error;

/// Why a database was not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is no such file, and reading creates none.
    #[error("there is no database {}", .0.display())]
    Missing(PathBuf),
    /// The file is something else; it was not touched.
    #[error("{} is not a Recrawl database", .0.display())]
    Foreign(PathBuf),
    /// The file was written by a version of the program that this one does not know.
    #[error("{} has format {found}, and this recrawl knows formats up to {known}; a newer recrawl is needed", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that is known.
        known: i64,
    },
    /// The file has to be brought up to date, which reading does not do.
    #[error("{} has the older format {found}; the next crawl into it brings it up to date", .path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// The file was ours and cannot be read any more.
    #[error("{} is damaged", .0.display())]
    Damaged(PathBuf),
    /// Another process crawls into the file.
    #[error("another recrawl (pid {pid}) is crawling into {}", .path.display())]
    Crawling {
        /// The file.
        path: PathBuf,
        /// The process.
        pid: String,
    },
    /// The file cannot be opened.
    #[error("{} cannot be opened", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Source,
    },
}

impl OpenError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Failed { path: path.to_owned(), source: Box::new(error) }
    }

    pub(crate) fn new(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(path),
            Some(_) | None => Self::Failed { path, source: Box::new(error) },
        }
    }
}

/// Why a query was not answered.
#[derive(Debug, Error)]
pub enum QueryError {
    /// The database was not opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The query is more or less than one statement.
    #[error("a query is exactly one statement")]
    NotOne,
    /// The statement would change something, or answers nothing.
    #[error("only statements that read are allowed, such as SELECT")]
    NotReading,
    /// The database refuses the query, for instance because of its syntax.
    #[error("the query cannot be answered")]
    Refused(#[source] rusqlite::Error),
}

/// The error of a transaction, shared by everyone whose write was in it.
#[derive(Debug, Clone, Error)]
pub(crate) enum WriteError {
    #[error(transparent)]
    Database(Arc<rusqlite::Error>),
    #[error("the database is open for reading only")]
    ReadOnly,
    #[error("the writer of the database has ended")]
    Ended,
    #[error(
        "the writer of the database stumbled: {0}; what was saved before is safe, and the same command goes on with it"
    )]
    Broken(Panic),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

impl From<WriteError> for StoreError {
    fn from(error: WriteError) -> Self {
        let lasting = matches!(&error, WriteError::Database(database) if is_corrupt(database));
        if lasting { Self::Corrupt(Box::new(error)) } else { Self::Unavailable(Box::new(error)) }
    }
}

impl From<WriteError> for QueueError {
    fn from(error: WriteError) -> Self {
        Self::Unavailable(Box::new(error))
    }
}

/// Says what an error means for the caller of a store.
pub(crate) fn store_error(error: rusqlite::Error) -> StoreError {
    if is_corrupt(&error) {
        StoreError::Corrupt(Box::new(error))
    } else {
        StoreError::Unavailable(Box::new(error))
    }
}

/// Says what an error means for the caller of a queue.
pub(crate) fn queue_error(error: rusqlite::Error) -> QueueError {
    QueueError::Unavailable(Box::new(error))
}

/// Reports a stored value that cannot be read.
pub(crate) fn unreadable(what: impl Into<Source>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Null, what.into())
}

fn is_corrupt(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => true,
        other => {
            matches!(other.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        }
    }
}
