//! Queries of people can only read.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use recrawl_store_sqlite::{OpenError, Options, QueryError, SqliteStore, Value, query};
use tempfile::TempDir;

fn database(directory: &TempDir) -> PathBuf {
    let path = directory.path().join("recrawl.db");
    drop(SqliteStore::open(&path, &Options::default()).unwrap());
    path
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_kind_of_value_is_answered() {
    let directory = tempfile::tempdir().unwrap();
    let rows =
        query(database(&directory), "SELECT NULL AS a, 1 AS b, 0.5 AS c, 'é' AS d, X'00ff' AS e").unwrap();
    assert_eq!(rows.columns, ["a", "b", "c", "d", "e"]);
    let expected = [
        Value::Null,
        Value::Integer(1),
        Value::Real(0.5),
        Value::Text("é".to_owned()),
        Value::Blob(vec![0, 255]),
    ];
    assert_eq!(rows.rows, [expected]);
    let json = serde_json::to_string(&rows).unwrap();
    assert_eq!(json, r#"{"columns":["a","b","c","d","e"],"rows":[[null,1,0.5,"é","00ff"]]}"#);
}

#[test]
fn what_reads_is_answered() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(&directory);
    for sql in [
        "SELECT * FROM pages;",
        "-- a comment\nselect count(*) from visits",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT * FROM n",
        "VALUES (1)",
        "PRAGMA table_info(pages)",
        "EXPLAIN QUERY PLAN SELECT * FROM pages",
    ] {
        assert!(query(&path, sql).is_ok(), "{sql}");
    }
    assert_eq!(files(directory.path()), ["recrawl.db"], "reading leaves nothing behind");
}

#[test]
fn what_writes_is_refused_and_writes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(&directory);
    let before = std::fs::read(&path).unwrap();
    let outside = directory.path().join("outside.db");
    let attach = format!("ATTACH '{}' AS other", outside.display());
    let vacuum = format!("VACUUM INTO '{}'", outside.display());
    for sql in [
        "DELETE FROM visit",
        "INSERT INTO word (word) VALUES ('x') RETURNING id",
        "UPDATE site SET name = 'x'",
        "DROP VIEW pages",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "PRAGMA user_version = 99",
        "PRAGMA query_only = 0",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA wal_checkpoint",
        "BEGIN IMMEDIATE",
        "BEGIN",
        "VACUUM",
        "REINDEX",
        "DETACH main",
        attach.as_str(),
        vacuum.as_str(),
    ] {
        let refused = query(&path, sql);
        assert!(matches!(refused, Err(QueryError::NotReading)), "{sql}: {refused:?}");
    }
    assert!(!outside.exists());
    assert!(std::fs::read(&path).unwrap() == before, "the file is what it was");
}

#[test]
fn more_or_less_than_one_statement_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(&directory);
    for sql in ["", "  ", ";", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM visit"] {
        let refused = query(&path, sql);
        assert!(matches!(refused, Err(QueryError::NotOne)), "{sql:?}: {refused:?}");
    }
}

#[test]
fn a_mistake_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(&directory);
    for (sql, part) in [("SELECT * FROM page", "no such table: page"), ("SELEC 1", "syntax error")] {
        let Err(QueryError::Refused(error)) = query(&path, sql) else { panic!("{sql} is refused") };
        assert!(error.to_string().contains(part), "{error}");
    }
    let missing = directory.path().join("missing.db");
    assert!(matches!(query(&missing, "SELECT 1"), Err(QueryError::Open(OpenError::Missing(_)))));
    assert!(!missing.exists());
}
