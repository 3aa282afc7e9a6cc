//! What a store holds, read beside the program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OpenFlags};

/// What is compared of a visit: the number of the crawl in its site, the address without its host, what was found.
pub(crate) type Record = (i64, String, String);

fn open(store: &Path) -> Result<Connection> {
    // Not read-only: what a killed process left in the log is taken up by whoever comes next.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(store, flags).context("cannot open the store")?;
    connection.busy_timeout(Duration::from_secs(10))?;
    Ok(connection)
}

/// Returns everything that crawls found, in order; nothing where there is no store yet.
pub(crate) fn records(store: &Path, origin: &str) -> Result<BTreeSet<Record>> {
    let mut found = BTreeSet::new();
    if !store.exists() {
        return Ok(found);
    }
    let connection = open(store)?;
    if !has_views(&connection)? {
        return Ok(found);
    }
    let mut select = connection.prepare(
        "SELECT (SELECT count(*) FROM crawls AS c WHERE c.site = v.site AND c.number <= o.number), v.url,
            printf('%s %s %s %s %s', v.verdict, v.status, v.semantic_hash, v.location, v.aspects)
         FROM visits AS v JOIN crawls AS o USING (site, crawl)",
    )?;
    let rows = select.query_map([], |row| {
        let (crawl, url, what): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((crawl, url.replace(origin, "/"), what.replace(origin, "/")))
    })?;
    for row in rows {
        found.insert(row?);
    }
    Ok(found)
}

/// Returns how many crawls have ended, in whatever way.
pub(crate) fn crawls_ended(store: &Path) -> Result<usize> {
    if !store.exists() {
        return Ok(0);
    }
    let connection = open(store)?;
    if !has_views(&connection)? {
        return Ok(0);
    }
    let count: i64 =
        connection.query_row("SELECT count(*) FROM crawls WHERE state <> 'open'", [], |row| row.get(0))?;
    Ok(usize::try_from(count)?)
}

/// Returns the states of all crawls, oldest first.
pub(crate) fn crawl_states(store: &Path) -> Result<Vec<String>> {
    let connection = open(store)?;
    let mut select = connection.prepare("SELECT state FROM crawls ORDER BY number")?;
    let rows = select.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the result of a query with one column, as text.
pub(crate) fn query(store: &Path, sql: &str) -> Result<Vec<String>> {
    let connection = open(store)?;
    let mut select = connection.prepare(sql)?;
    let rows = select.query_map([], |row| row.get::<_, rusqlite::types::Value>(0))?;
    let text = |value| match value {
        rusqlite::types::Value::Text(text) => text,
        other => format!("{other:?}"),
    };
    Ok(rows.map(|row| row.map(text)).collect::<Result<_, _>>()?)
}

/// The views are made in the transaction that makes the tables.
fn has_views(connection: &Connection) -> Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name IN ('visits', 'crawls')";
    let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(count == 2)
}

/// Returns what is wrong with the file itself.
pub(crate) fn faults(store: &Path) -> Result<Vec<String>> {
    if !store.exists() {
        return Ok(Vec::new());
    }
    let mut found = query(store, "PRAGMA integrity_check")?;
    found.retain(|line| line != "ok");
    found
        .extend(query(store, "SELECT printf('%s: no %s', \"table\", parent) FROM pragma_foreign_key_check")?);
    Ok(found.into_iter().map(|fault| format!("the file is damaged: {fault}")).collect())
}

/// Returns the first differences of what a disturbed and an undisturbed crawl recorded.
pub(crate) fn differences(expected: &BTreeSet<Record>, found: &BTreeSet<Record>) -> Vec<String> {
    let tell = |(crawl, url, what): &Record| format!("crawl {crawl}: {url}: {what}");
    let lost = expected.difference(found).map(|record| format!("lost: {}", tell(record)));
    let other = found.difference(expected).map(|record| format!("not there undisturbed: {}", tell(record)));
    lost.take(3).chain(other.take(3)).collect()
}

/// Copies a store that nobody uses, with its log.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let name = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        if name(from).exists() {
            std::fs::copy(name(from), name(to))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_what_was_lost_and_what_came_in() {
        let record = |url: &str| (1, url.to_owned(), "new 200".to_owned());
        let undisturbed = BTreeSet::from([record("/a"), record("/b")]);
        let disturbed = BTreeSet::from([record("/a"), record("/c")]);
        assert_eq!(
            differences(&undisturbed, &disturbed),
            ["lost: crawl 1: /b: new 200", "not there undisturbed: crawl 1: /c: new 200"]
        );
        assert!(differences(&undisturbed, &undisturbed).is_empty());
    }

    #[test]
    fn a_store_that_is_not_there_has_no_faults_and_no_records() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("none.db");
        assert!(faults(&store).unwrap().is_empty());
        assert!(records(&store, "http://x/").unwrap().is_empty());
        assert_eq!(crawls_ended(&store).unwrap(), 0);
    }
}
