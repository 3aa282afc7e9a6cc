//! Connections, set up for writing or for reading.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{OpenError, Sentence};
use crate::schema::{self, Format};

/// How long a connection waits for the lock of another process.
const BUSY: Duration = Duration::from_secs(10);

/// What every SQLite file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Prepared statements that a connection keeps; there are fewer.
const STATEMENTS: usize = 64;

/// Opens the connection that writes, making the file as needed.
pub(crate) fn open_for_writing(path: &Path) -> Result<Connection, OpenError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = open(path, flags)?;
    let format = schema::identify(&connection, path)?;
    prepare_for_writing(&mut connection, format).map_err(|error| OpenError::new(path, error))?;
    Ok(connection)
}

fn prepare_for_writing(connection: &mut Connection, format: Format) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // No sync at commit: a killed process loses nothing, a power failure at most the last
    // transactions, and neither damages the file.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // The writer does it, when no reader keeps a view.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -4_000)?;
    match format {
        Format::Empty => schema::create(connection),
        Format::Current => schema::refresh_views(connection),
    }
}

/// Opens a connection that only reads. The file must exist and be current.
pub(crate) fn open_for_reading(path: &Path) -> Result<Connection, OpenError> {
    if !path.exists() {
        return Err(OpenError::Missing(path.to_owned()));
    }
    // Not read-only by its flags: such a connection would leave the side files of the log behind.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened =
        open(path, flags).and_then(|connection| Ok((schema::identify(&connection, path)?, connection)));
    let (format, connection) = match opened {
        Err(OpenError::Failed { source, .. }) if needs_to_write(&*source) => {
            let connection = open_unwritable(path)?;
            (schema::identify(&connection, path)?, connection)
        }
        opened => opened?,
    };
    match format {
        Format::Current => {}
        Format::Empty => return Err(OpenError::Foreign(path.to_owned())),
    }
    prepare_for_reading(&connection).map_err(|error| OpenError::new(path, error))?;
    Ok(connection)
}

/// Tells whether a file was not opened because something beside it cannot be written: readers of a log share a file.
fn needs_to_write(source: &(dyn std::error::Error + 'static)) -> bool {
    let code = source.downcast_ref::<Sentence>().and_then(|sentence| sentence.0.sqlite_error_code());
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Opens a file on a disk, or in a folder, that cannot be written. Nobody can change it there, so nobody has to be
/// told that it is being read; but what is still in a log cannot be folded in.
fn open_unwritable(path: &Path) -> Result<Connection, OpenError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return Err(OpenError::Unfolded(path.to_owned()));
    }
    let address = path.to_str().ok_or_else(|| OpenError::io(path, io::ErrorKind::InvalidFilename.into()))?;
    let mut uri = String::from("file:");
    for character in address.chars() {
        match character {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            other => uri.push(other),
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    prepared(Connection::open_with_flags(uri, flags)).map_err(|error| OpenError::new(path, error))
}

fn prepare_for_reading(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    // There are several of these, and every commit empties what they keep.
    connection.pragma_update(None, "cache_size", -500)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let failed = |error| OpenError::new(path, error);
    // SQLite takes a file shorter than a page for an empty one, and would write over it.
    if path.is_file() && !begins_like_a_database(path).map_err(|error| OpenError::io(path, error))? {
        return Err(OpenError::Foreign(path.to_owned()));
    }
    prepared(Connection::open_with_flags(path, flags)).map_err(failed)
}

fn prepared(opened: rusqlite::Result<Connection>) -> rusqlite::Result<Connection> {
    let connection = opened?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Plans do not depend on bound values; otherwise every new value would prepare a statement anew.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

fn begins_like_a_database(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::with_capacity(MAGIC.len());
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning.is_empty() || beginning == MAGIC)
}
