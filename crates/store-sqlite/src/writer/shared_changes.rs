//! Writing shared changes.

use rusqlite::{Connection, params};

use crate::keys::CrawlKey;

/// Writes the shared changes of a crawl, as JSON, in place of those that were there.
pub(super) fn save(connection: &Connection, key: CrawlKey, changes: &[String]) -> rusqlite::Result<()> {
    let sql = "DELETE FROM shared_change WHERE site = ?1 AND crawl = ?2";
    connection.prepare_cached(sql)?.execute([key.site, key.crawl])?;
    let sql = "INSERT INTO shared_change (site, crawl, position, change) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = connection.prepare_cached(sql)?;
    for (position, change) in (1_i64..).zip(changes) {
        insert.execute(params![key.site, key.crawl, position, change])?;
    }
    Ok(())
}
