//! The format of the file, and which files are ours.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::error::OpenError;

/// Marks a file as ours: the letters `RCRL`.
const APPLICATION_ID: i64 = 0x5243_524c;

/// The version of the tables. Those up to 10 were never released, and cannot be read any more.
const VERSION: i64 = 11;

const TABLES: &str = include_str!("schema.sql");

const VIEWS: &str = include_str!("views.sql");

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Nothing yet.
    Empty,
    /// What this program writes.
    Current,
}

/// Says what the file holds, without touching it; refuses what is not ours or not known.
pub(crate) fn identify(connection: &Connection, path: &Path) -> Result<Format, OpenError> {
    let failed = |error| OpenError::new(path, error);
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed);
    let application = number("PRAGMA application_id")?;
    let found = number("PRAGMA user_version")?;
    let objects = number("SELECT count(*) FROM sqlite_schema")?;
    if (application, found, objects) == (0, 0, 0) {
        return Ok(Format::Empty);
    }
    let path = path.to_owned();
    match found {
        _ if application != APPLICATION_ID => Err(OpenError::Foreign(path)),
        newer if newer > VERSION => Err(OpenError::Newer { path, found, known: VERSION }),
        older if older < VERSION => Err(OpenError::Older { path, found }),
        _ => Ok(Format::Current),
    }
}

/// Makes the tables and views of an empty file, all or nothing.
pub(crate) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read under the lock: another process may have done it in the meantime.
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.execute_batch(VIEWS)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Makes the views what this program says they are, in a file that an earlier one made.
///
/// They hold nothing, so they are made anew wherever one differs; views of other names are let be.
pub(crate) fn refresh_views(connection: &mut Connection) -> rusqlite::Result<()> {
    if are_current(connection)? {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for name in view_names() {
        transaction.execute_batch(&format!("DROP VIEW IF EXISTS {name}"))?;
    }
    transaction.execute_batch(VIEWS)?;
    transaction.commit()
}

fn are_current(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?1")?;
    for name in view_names() {
        let stored: Option<String> = statement.query_row([name], |row| row.get(0)).optional()?;
        if stored.is_none_or(|stored| !VIEWS.contains(&format!("{stored};"))) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn view_names() -> impl Iterator<Item = &'static str> {
    VIEWS.lines().filter_map(|line| line.strip_prefix("CREATE VIEW ")?.strip_suffix(" AS"))
}

/// Returns the names of our tables, views and indexes.
pub(crate) fn names() -> rusqlite::Result<BTreeSet<String>> {
    let mut connection = Connection::open_in_memory()?;
    create(&mut connection)?;
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_made_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        for _ in 0..2 {
            create(&mut connection).unwrap();
            assert_eq!(identify(&connection, Path::new("x")).unwrap(), Format::Current);
        }
    }

    #[test]
    fn views_of_an_earlier_program_are_made_anew_and_those_of_others_let_be() {
        let mut connection = Connection::open_in_memory().unwrap();
        create(&mut connection).unwrap();
        assert!(are_current(&connection).unwrap() && view_names().count() > 8);
        let earlier = "DROP VIEW hosts; DROP VIEW links; CREATE VIEW links AS SELECT 1 AS one;
            CREATE VIEW mine AS SELECT 2 AS two";
        connection.execute_batch(earlier).unwrap();
        assert!(!are_current(&connection).unwrap());
        refresh_views(&mut connection).unwrap();
        assert!(are_current(&connection).unwrap());
        connection
            .execute_batch("SELECT source FROM links; SELECT domain FROM hosts; SELECT two FROM mine")
            .unwrap();
    }

    #[test]
    fn what_is_not_ours_or_not_known_is_refused() {
        let path = Path::new("x.db");
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(identify(&connection, path).unwrap(), Format::Empty);
        create(&mut connection).unwrap();
        connection.execute_batch("PRAGMA user_version = 99").unwrap();
        assert!(matches!(identify(&connection, path), Err(OpenError::Newer { found: 99, .. })));
        connection.execute_batch("PRAGMA user_version = 8").unwrap();
        assert!(matches!(identify(&connection, path), Err(OpenError::Older { found: 8, .. })));
        connection.execute_batch("PRAGMA application_id = 7").unwrap();
        assert!(matches!(identify(&connection, path), Err(OpenError::Foreign(_))));
        let other = Connection::open_in_memory().unwrap();
        other.execute_batch("CREATE TABLE recipes (x)").unwrap();
        assert!(matches!(identify(&other, path), Err(OpenError::Foreign(_))));
    }

    #[test]
    fn a_crawl_is_trusted_unless_it_is_suspect_and_not_accepted() {
        let mut connection = Connection::open_in_memory().unwrap();
        create(&mut connection).unwrap();
        connection.execute_batch("INSERT INTO site VALUES (1, 'a', '', '', 0)").unwrap();
        let sql = "INSERT INTO crawl (site, number, name, opened_at, mode, kind, suspicion, accepted_at)
            VALUES (1, ?1, ?1, 0, '', '', ?2, ?3) RETURNING trusted";
        for (number, suspicion, accepted_at, trusted) in [
            (1, None, None, true),
            (2, Some("half is gone"), None, false),
            (3, Some("half is gone"), Some(7), true),
        ] {
            let read =
                connection.query_row(sql, (number, suspicion, accepted_at), |row| row.get::<_, bool>(0));
            assert_eq!(read.unwrap(), trusted, "{number}");
        }
    }
}
