//! Writing caches and decisions.

use recrawl_core::ports::StateEntry;
use rusqlite::{Connection, params};

pub(super) fn save_state(connection: &Connection, key: &str, entry: &StateEntry) -> rusqlite::Result<()> {
    let sql = "INSERT INTO memo (key, saved_at, value) VALUES (?1, ?2, ?3)
        ON CONFLICT (key) DO UPDATE SET saved_at = excluded.saved_at, value = excluded.value";
    let mut insert = connection.prepare_cached(sql)?;
    insert.execute(params![key, entry.saved_at.as_microsecond(), entry.value])?;
    Ok(())
}

pub(super) fn delete_states(connection: &Connection, keys: &[String]) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM memo WHERE key = ?1")?;
    for key in keys {
        delete.execute([key])?;
    }
    Ok(())
}
