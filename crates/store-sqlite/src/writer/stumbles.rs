//! Writing a page that the program itself could not read.

use recrawl_core::model::stumble::{Aside, Stumble};
use rusqlite::{Connection, params};

use crate::keys::CrawlKey;

/// Writes a stumble, and its body unless that is too much.
pub(super) fn save(
    connection: &Connection,
    key: CrawlKey,
    stumble: &Stumble,
    bytes: Option<u64>,
    frame: Option<&[u8]>,
) -> rusqlite::Result<()> {
    let url = stumble.url.as_str();
    let sql =
        "SELECT count(*) FROM stumble WHERE site = ?1 AND crawl = ?2 AND url <> ?3 AND body IS NOT NULL";
    let others: u32 =
        connection.prepare_cached(sql)?.query_row(params![key.site, key.crawl, url], |row| row.get(0))?;
    let is_kept = |frame: &&[u8]| {
        Aside::of(bytes.unwrap_or_default(), frame.len(), usize::try_from(others).unwrap_or(usize::MAX))
            .is_kept()
    };
    let sql = "INSERT INTO stumble (site, crawl, url, at, message, place, rules, content_type, bytes, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (site, crawl, url) DO UPDATE SET
            at = excluded.at, message = excluded.message, place = excluded.place, rules = excluded.rules,
            content_type = excluded.content_type, bytes = excluded.bytes, body = excluded.body";
    connection.prepare_cached(sql)?.execute(params![
        key.site,
        key.crawl,
        url,
        stumble.at.as_microsecond(),
        stumble.fault.message,
        stumble.fault.place,
        stumble.rules.0,
        stumble.content_type,
        bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
        frame.filter(is_kept),
    ])?;
    Ok(())
}
