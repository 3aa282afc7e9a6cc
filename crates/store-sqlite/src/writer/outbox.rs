//! Writing announcements and archive requests.

use std::collections::HashMap;

use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::Announcement;
use rusqlite::{Connection, params};

use super::intern::Interner;
use crate::codes;
use crate::keys::CrawlKey;

pub(super) fn announce(
    connection: &Connection,
    interner: &mut Interner,
    key: CrawlKey,
    announcement: &Announcement,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO announcement (event, site, crawl, page, change, diff, aspects)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
    let Announcement { id, page, change, aspects, diff, .. } = announcement;
    let page = interner.url(connection, page)?;
    connection.prepare_cached(sql)?.execute(params![
        id.as_bytes(),
        key.site,
        key.crawl,
        page,
        change.word(),
        diff,
        aspects.bits(),
    ])?;
    Ok(())
}

/// Announces what a crawl recorded of these kinds, in the order in which it did.
pub(super) fn announce_recorded(
    connection: &Connection,
    key: CrawlKey,
    crawl: CrawlId,
    kinds: &[Verdict],
) -> rusqlite::Result<()> {
    let changes = kinds.iter().copied().filter_map(|verdict| Some((verdict, verdict.change()?)));
    let words: HashMap<i64, Change> =
        changes.map(|(verdict, change)| (codes::of_verdict(verdict), change)).collect();
    let mut select = connection.prepare_cached(
        "SELECT v.page, v.verdict, v.aspects, p.url FROM visit AS v JOIN url AS p ON p.id = v.page
        WHERE v.site = ?1 AND v.crawl = ?2 AND (v.tier IS NULL OR v.tier = 1) ORDER BY v.id",
    )?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO announcement (event, site, crawl, page, change, aspects)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
    )?;
    let name = crawl.to_string();
    let mut rows = select.query([key.site, key.crawl])?;
    while let Some(row) = rows.next()? {
        let (page, verdict, aspects): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let Some(change) = words.get(&verdict) else { continue };
        let event = EventId::of_address(&name, row.get_ref(3)?.as_str()?);
        insert.execute(params![event.as_bytes(), key.site, key.crawl, page, change.word(), aspects])?;
    }
    Ok(())
}

pub(super) fn request(
    connection: &Connection,
    key: CrawlKey,
    event: &EventId,
    page: i64,
    requested_at: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO archive_request (event, site, crawl, page, requested_at)
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
    let mut insert = connection.prepare_cached(sql)?;
    insert.execute(params![event.as_bytes(), key.site, key.crawl, page, requested_at.as_microsecond()])?;
    Ok(())
}

pub(super) fn save_archive(
    connection: &Connection,
    key: CrawlKey,
    event: &EventId,
    page: i64,
    archive: &Archive,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO archive_request (
            event, site, crawl, page, requested_at, state, job_id, captured_at, wayback_url, error, attempts,
            not_before
        ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (site, crawl, page) DO UPDATE SET
            requested_at = excluded.requested_at, state = excluded.state, job_id = excluded.job_id,
            captured_at = excluded.captured_at, wayback_url = excluded.wayback_url, error = excluded.error,
            attempts = excluded.attempts, not_before = excluded.not_before";
    connection.prepare_cached(sql)?.execute(params![
        event.as_bytes(),
        key.site,
        key.crawl,
        page,
        archive.requested_at.as_microsecond(),
        archive.state.word(),
        archive.job_id,
        archive.captured_at.map(Timestamp::as_microsecond),
        archive.wayback_url,
        archive.error,
        archive.attempts,
        archive.not_before.map(Timestamp::as_microsecond),
    ])?;
    Ok(())
}

/// Takes back the wish to have a page archived.
pub(super) fn delete_archive(connection: &Connection, key: CrawlKey, page: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM archive_request WHERE site = ?1 AND crawl = ?2 AND page = ?3";
    connection.prepare_cached(sql)?.execute([key.site, key.crawl, page])?;
    Ok(())
}
