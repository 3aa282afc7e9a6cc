//! The format of the file, and how an older one is brought up to date.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::OpenError;

/// Marks a file as ours: the letters `RCRL`.
const APPLICATION_ID: i64 = 0x5243_524c;

/// What leads from each version of the tables to the next.
const MIGRATIONS: [&str; 9] = [
    include_str!("schema/v1.sql"),
    include_str!("schema/v2.sql"),
    include_str!("schema/v3.sql"),
    include_str!("schema/v4.sql"),
    include_str!("schema/v5.sql"),
    include_str!("schema/v6.sql"),
    include_str!("schema/v7.sql"),
    include_str!("schema/v8.sql"),
    include_str!("schema/v9.sql"),
];

/// The version that [`MIGRATIONS`] lead to.
const KNOWN: i64 = 9;

/// Since this version the tables are what they are now, so that they can be read; views may have been others.
const READABLE: i64 = 9;

const VIEWS: &str = include_str!("schema/views.sql");

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Nothing yet.
    Empty,
    /// Tables of an older version.
    Older(i64),
    /// Tables as this program writes them, with other views.
    OlderViews,
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
    match found {
        _ if application != APPLICATION_ID => Err(OpenError::Foreign(path.to_owned())),
        newer if newer > KNOWN => Err(OpenError::Newer { path: path.to_owned(), found, known: KNOWN }),
        older if older < READABLE => Ok(Format::Older(older)),
        older if older < KNOWN => Ok(Format::OlderViews),
        _ => Ok(Format::Current),
    }
}

/// Lets this connection alone see the views as they are made now.
pub(crate) fn renew_views(connection: &Connection) -> rusqlite::Result<()> {
    let made = VIEWS.lines().filter(|line| !line.starts_with("DROP VIEW"));
    let made: Vec<&str> = made.collect();
    connection.execute_batch(&made.join("\n").replace("CREATE VIEW", "CREATE TEMP VIEW"))
}

/// Brings the tables up to date, all or nothing.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    step_through(connection, &MIGRATIONS, VIEWS)
}

fn step_through(connection: &mut Connection, migrations: &[&str], views: &str) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read under the lock: another process may have done it in the meantime.
    let mut version: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let missing = migrations.iter().skip(version as usize);
    if missing.len() > 0 {
        for migration in missing {
            transaction.execute_batch(migration)?;
            version += 1;
        }
        transaction.execute_batch(views)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(connection: &Connection, sql: &str) -> Vec<i64> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn each_step_is_taken_once_and_the_views_follow() {
        let one = "CREATE TABLE a (x); INSERT INTO a VALUES (1);";
        let two = "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1;";
        let mut connection = Connection::open_in_memory().unwrap();
        step_through(&mut connection, &[one], "DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT x FROM a;")
            .unwrap();
        assert_eq!(column(&connection, "SELECT * FROM v"), [1]);
        for _ in 0..2 {
            step_through(
                &mut connection,
                &[one, two],
                "DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT y FROM a;",
            )
            .unwrap();
            assert_eq!(column(&connection, "SELECT * FROM v"), [2]);
            assert_eq!(column(&connection, "PRAGMA user_version"), [2]);
        }
    }

    #[test]
    fn the_known_version_is_that_of_the_last_step() {
        assert_eq!(usize::try_from(KNOWN).unwrap(), MIGRATIONS.len());
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert!(step_through(&mut connection, &["CREATE TABLE a (x);", "nonsense"], "").is_err());
        assert_eq!(identify(&connection, Path::new("x")).unwrap(), Format::Empty);
    }

    #[test]
    fn what_is_not_ours_or_not_known_is_refused() {
        let path = Path::new("x.db");
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        assert_eq!(identify(&connection, path).unwrap(), Format::Current);
        connection.execute_batch("PRAGMA user_version = 99").unwrap();
        assert!(matches!(identify(&connection, path), Err(OpenError::Newer { found: 99, .. })));
        connection.execute_batch("PRAGMA application_id = 7").unwrap();
        assert!(matches!(identify(&connection, path), Err(OpenError::Foreign(_))));
        let other = Connection::open_in_memory().unwrap();
        other.execute_batch("CREATE TABLE recipes (x)").unwrap();
        assert!(matches!(identify(&other, path), Err(OpenError::Foreign(_))));
    }
}
