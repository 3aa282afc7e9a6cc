//! What goes wrong, and what the caller does next.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recrawl_core::panics::Panic;
use recrawl_core::ports::{QueueError, Source, StoreError};
use rusqlite::{ErrorCode, ffi};
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
    /// The file was written by an older version of the program, whose format this one does not read.
    #[error("{} has the older format {found}, which this recrawl cannot read; crawl into a new file", .path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// The file was ours and cannot be read any more.
    #[error("{file} is damaged; run `recrawl check --store {file}`, which says what to do", file = .0.display())]
    Damaged(PathBuf),
    /// The file is in a folder that cannot be written, and its last changes are in a log beside it.
    #[error(
        "{file} cannot be read where it is: its last changes are in {file}-wal, and its folder cannot be written. Copy both \
         files into a folder that can be, and read them there",
        file = .0.display()
    )]
    Unfolded(PathBuf),
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
            Some(_) | None => {
                let source = Box::new(Sentence(explained(path.to_str(), error)));
                Self::Failed { path, source }
            }
        }
    }
}

/// An error of SQLite, told by its sentence alone: what SQLite calls its cause is a number and the same words.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Sentence(pub(crate) rusqlite::Error);

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
    Refused(#[source] Source),
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
        // The sentence alone: what SQLite calls its cause is a number and the same words.
        let sentence: Source = error.to_string().into();
        if lasting { Self::Corrupt(sentence) } else { Self::Unavailable(sentence) }
    }
}

impl From<WriteError> for QueueError {
    fn from(error: WriteError) -> Self {
        Self::Unavailable(error.to_string().into())
    }
}

/// Says what an error means for the caller of a store.
#[expect(clippy::needless_pass_by_value, reason = "it is what errors are mapped by")]
pub(crate) fn store_error(error: rusqlite::Error) -> StoreError {
    let sentence: Source = error.to_string().into();
    if is_corrupt(&error) { StoreError::Corrupt(sentence) } else { StoreError::Unavailable(sentence) }
}

/// Says what an error means for the caller of a queue.
#[expect(clippy::needless_pass_by_value, reason = "it is what errors are mapped by")]
pub(crate) fn queue_error(error: rusqlite::Error) -> QueueError {
    QueueError::Unavailable(error.to_string().into())
}

/// Makes a sentence of what SQLite says: what is the matter with the file, and what to do. What the caller does next
/// stays the same.
pub(crate) fn explained(path: Option<&str>, error: rusqlite::Error) -> rusqlite::Error {
    let file = path.filter(|path| !path.is_empty()).unwrap_or("the database");
    let what = match &error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqliteFailure(failure, None) => ffi::code_to_str(failure.extended_code).to_owned(),
        rusqlite::Error::FromSqlConversionFailure(_, _, cause) => cause.to_string(),
        other => other.to_string(),
    };
    let (code, sentence) = if is_corrupt(&error) {
        let sentence =
            format!("{file} is damaged ({what}); run `recrawl check --store {file}`, which says what to do");
        (ffi::SQLITE_CORRUPT, sentence)
    } else {
        let rusqlite::Error::SqliteFailure(failure, _) = &error else { return error };
        let sentence = match failure.code {
            ErrorCode::DiskFull => {
                format!("the disk with {file} is full; make room, and run the same command again")
            }
            ErrorCode::ReadOnly => format!("{file} or its folder cannot be written ({what})"),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                format!(
                    "{file} is in use by another process, which does not let go of it ({what}); try again later"
                )
            }
            ErrorCode::SystemIoFailure => {
                format!("{file} could not be read or written ({what}); look at the disk that it is on")
            }
            _ => return error,
        };
        (failure.extended_code, sentence)
    };
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(sentence))
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
        // Whoever expects no row says so; a row that is named and not there is lost.
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::Utf8Error(..) => true,
        other => {
            matches!(other.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sqlite_says_becomes_a_sentence_and_means_the_same_to_callers() {
        let failure = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        for (error, corrupt, expected) in [
            (
                failure(ffi::SQLITE_CORRUPT),
                true,
                "a.db is damaged (database disk image is malformed); run `recrawl check",
            ),
            (failure(ffi::SQLITE_NOTADB), true, "a.db is damaged (file is not a database); run"),
            (unreadable("mode none"), true, "a.db is damaged (mode none)"),
            (rusqlite::Error::QueryReturnedNoRows, true, "a.db is damaged (Query returned no rows)"),
            (failure(ffi::SQLITE_FULL), false, "the disk with a.db is full; make room"),
            (failure(ffi::SQLITE_READONLY), false, "a.db or its folder cannot be written"),
            (failure(ffi::SQLITE_BUSY), false, "a.db is in use by another process"),
            (failure(ffi::SQLITE_IOERR), false, "a.db could not be read or written"),
        ] {
            let said = explained(Some("a.db"), error);
            assert!(said.to_string().starts_with(expected), "{said}");
            assert_eq!(matches!(store_error(said), StoreError::Corrupt(_)), corrupt, "{expected}");
        }
    }
}
