//! Writing caches and decisions.

use recrawl_core::ports::{Recorded, StateEntry};
use rusqlite::{Connection, params};

pub(super) fn save_state(connection: &Connection, key: &str, entry: &StateEntry) -> rusqlite::Result<()> {
    let sql = "INSERT INTO memo (key, saved_at, value) VALUES (?1, ?2, ?3)
        ON CONFLICT (key) DO UPDATE SET saved_at = excluded.saved_at, value = excluded.value";
    let mut insert = connection.prepare_cached(sql)?;
    insert.execute(params![key, entry.saved_at.as_microsecond(), entry.value])?;
    Ok(())
}

/// Saves an entry if what is there is `before`, or nothing.
pub(super) fn replace_state(
    connection: &Connection,
    key: &str,
    before: Option<&StateEntry>,
    entry: &StateEntry,
) -> rusqlite::Result<Recorded> {
    let (at, value) = (entry.saved_at.as_microsecond(), &entry.value);
    let written = match before {
        None => {
            let sql =
                "INSERT INTO memo (key, saved_at, value) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING";
            connection.prepare_cached(sql)?.execute(params![key, at, value])?
        }
        Some(before) => {
            let sql =
                "UPDATE memo SET saved_at = ?2, value = ?3 WHERE key = ?1 AND saved_at = ?4 AND value = ?5";
            let expected = params![key, at, value, before.saved_at.as_microsecond(), before.value];
            connection.prepare_cached(sql)?.execute(expected)?
        }
    };
    Ok(if written > 0 { Recorded::First } else { Recorded::Already })
}

pub(super) fn delete_states(connection: &Connection, keys: &[String]) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM memo WHERE key = ?1")?;
    for key in keys {
        delete.execute([key])?;
    }
    Ok(())
}
