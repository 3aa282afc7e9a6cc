//! Files of other versions: they are refused with a sentence, and not touched.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use recrawl_store_sqlite::{OpenError, Options, SqliteStore};

fn version(path: &Path) -> i64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_file_of_another_version_is_refused_and_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    drop(SqliteStore::open(&path, &Options::default()).unwrap());
    let current = version(&path);
    for other in [1, current - 1, current + 1] {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", other).unwrap();
        drop(connection);
        for refused in [SqliteStore::open(&path, &Options::default()), SqliteStore::open_read_only(&path)]
            .map(Result::unwrap_err)
        {
            match &refused {
                OpenError::Older { found, .. } => assert!(*found == other && other < current),
                OpenError::Newer { found, known, .. } => assert!(*found == other && *known == current),
                _ => panic!("{refused:?}"),
            }
            assert!(refused.to_string().contains(&format!("format {other}")), "{refused}");
        }
        assert_eq!(version(&path), other);
    }
}
