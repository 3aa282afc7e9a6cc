//! Writing everything but records and contents: each is one or two statements.

use std::collections::HashMap;

use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{Announcement, Memo, QueuedPage, Recorded};
use rusqlite::{Connection, OptionalExtension, params};

use super::intern::Interner;
use crate::codes;
use crate::keys::CrawlKey;
use crate::pending_queue::read_queued;
use crate::url_id_set::{self, CrawlUrlSet, UrlIdSet};

pub(super) fn save_site(connection: &Connection, site: &Site) -> rusqlite::Result<()> {
    let sql = "INSERT INTO site (name, root, scope, created_at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (name) DO UPDATE
        SET root = excluded.root, scope = excluded.scope, created_at = excluded.created_at";
    let scope = as_json(&site.scope)?;
    let created_at = site.created_at.as_microsecond();
    connection.execute(sql, params![site.id.as_str(), site.root.as_str(), scope, created_at])?;
    Ok(())
}

/// Opens a crawl under the next number of its site: this is the only place where numbers are given, and transactions
/// that write come one after the other.
pub(super) fn open_crawl(connection: &Connection, site: i64, crawl: &Crawl) -> rusqlite::Result<Recorded> {
    let sql = "INSERT INTO crawl (site, number, name, opened_at, mode, kind, opened_by)
        SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6 FROM crawl WHERE site = ?1
        ON CONFLICT DO NOTHING RETURNING number";
    let name = crawl.id.to_string();
    let opened_at = crawl.opened_at.as_microsecond();
    let values = params![site, name, opened_at, crawl.mode.word(), crawl.kind.word(), crawl.opened_by];
    let number = connection.query_row(sql, values, |row| row.get(0)).optional()?;
    let Some(number) = number else {
        return Ok(Recorded::Already);
    };
    let key = CrawlKey { site, crawl: number };
    if let Some(closed) = &crawl.closed {
        close_crawl(connection, key, closed)?;
    }
    // A crawl that ended early leaves pages waiting that nobody will ask for any more.
    let sql = "DELETE FROM frontier WHERE site = ?1
        AND crawl IN (SELECT number FROM crawl WHERE site = ?1 AND closed_at IS NOT NULL)";
    connection.execute(sql, [key.site])?;
    Ok(Recorded::First)
}

pub(super) fn close_crawl(connection: &Connection, key: CrawlKey, closed: &Closed) -> rusqlite::Result<()> {
    let sql = "UPDATE crawl SET closed_at = ?3, partial_reason = ?4, statistics = ?5, suspicion = ?6,
            accepted_at = ?7
        WHERE site = ?1 AND number = ?2 AND closed_at IS NULL";
    let partial_reason = match &closed.ending {
        Ending::Complete => None,
        Ending::Partial(reason) => Some(reason),
    };
    let statistics = as_json(&closed.statistics)?;
    let suspicion = closed.suspicion.as_ref();
    connection.execute(
        sql,
        params![
            key.site,
            key.crawl,
            closed.at.as_microsecond(),
            partial_reason,
            statistics,
            suspicion.map(|suspicion| &suspicion.reason),
            suspicion.and_then(|suspicion| suspicion.accepted_at).map(Timestamp::as_microsecond),
        ],
    )?;
    if closed.ending == Ending::Complete {
        connection.execute("DELETE FROM frontier WHERE site = ?1 AND crawl = ?2", [key.site, key.crawl])?;
    }
    Ok(())
}

pub(super) fn accept_crawl(connection: &Connection, key: CrawlKey, at: Timestamp) -> rusqlite::Result<()> {
    let sql = "UPDATE crawl SET accepted_at = ?3
        WHERE site = ?1 AND number = ?2 AND suspicion IS NOT NULL AND accepted_at IS NULL";
    connection.execute(sql, params![key.site, key.crawl, at.as_microsecond()])?;
    Ok(())
}

/// Queues pages that are not queued yet, in batches of those that were found alike and are visited equally early.
pub(super) fn queue(
    connection: &Connection,
    interner: &mut Interner,
    queued: &mut CrawlUrlSet,
    pages: &[(CrawlKey, QueuedPage)],
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO frontier (site, crawl, found_by, depth, referrer, priority, pages)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = connection.prepare_cached(sql)?;
    let alike = |(key, page): &(CrawlKey, QueuedPage), (other_key, other): &(CrawlKey, QueuedPage)| {
        key == other_key && page.priority == other.priority && page.found == other.found
    };
    for batch in pages.chunk_by(alike) {
        let (key, QueuedPage { found, priority, .. }) = &batch[0];
        let queued = queued.of_or_read(*key, || read_queued(connection, *key).map(UrlIdSet::from_iter))?;
        let mut numbers = Vec::with_capacity(batch.len());
        for (_, page) in batch {
            let number = interner.url(connection, &page.url)?;
            if queued.insert(number) {
                numbers.push(number);
            }
        }
        if numbers.is_empty() {
            continue;
        }
        let referrer = found.referrer.as_ref().map(|url| interner.url(connection, url)).transpose()?;
        let (by, numbers) = (codes::of_way(found.by), url_id_set::to_json(&numbers));
        insert.execute(params![key.site, key.crawl, by, found.depth, referrer, priority.0, numbers])?;
    }
    Ok(())
}

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
        WHERE v.site = ?1 AND v.crawl = ?2 ORDER BY v.id",
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

pub(super) fn save_memo(connection: &Connection, key: &str, memo: &Memo) -> rusqlite::Result<()> {
    let sql = "INSERT INTO memo (key, saved_at, value) VALUES (?1, ?2, ?3)
        ON CONFLICT (key) DO UPDATE SET saved_at = excluded.saved_at, value = excluded.value";
    let mut insert = connection.prepare_cached(sql)?;
    insert.execute(params![key, memo.saved_at.as_microsecond(), memo.value])?;
    Ok(())
}

pub(super) fn delete_memo(connection: &Connection, key: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM memo WHERE key = ?1")?.execute([key])?;
    Ok(())
}

fn as_json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
