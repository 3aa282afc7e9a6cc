//! Writing sites and crawls.

use jiff::Timestamp;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::Recorded;
use rusqlite::{Connection, OptionalExtension, params};

use crate::keys::CrawlKey;

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
            accepted_at = ?7, confirmed_by = ?8, site_state = ?9
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
            suspicion.and_then(|suspicion| suspicion.confirmed_by).map(|by| by.to_string()),
            closed.state.as_ref().map(as_json).transpose()?,
        ],
    )?;
    if closed.ending == Ending::Complete {
        connection.execute("DELETE FROM frontier WHERE site = ?1 AND crawl = ?2", [key.site, key.crawl])?;
    }
    Ok(())
}

pub(super) fn accept_crawl(connection: &Connection, key: CrawlKey, at: Timestamp) -> rusqlite::Result<()> {
    let sql = "UPDATE crawl SET accepted_at = ?3
        WHERE site = ?1 AND number = ?2 AND NOT trusted";
    connection.execute(sql, params![key.site, key.crawl, at.as_microsecond()])?;
    Ok(())
}

pub(super) fn judge_again(
    connection: &Connection,
    key: CrawlKey,
    reason: &str,
    statistics: &Statistics,
) -> rusqlite::Result<()> {
    let sql = "UPDATE crawl SET suspicion = ?3, statistics = ?4
        WHERE site = ?1 AND number = ?2 AND NOT trusted";
    connection.execute(sql, params![key.site, key.crawl, reason, as_json(statistics)?])?;
    Ok(())
}

pub(super) fn confirm_crawl(connection: &Connection, key: CrawlKey, by: CrawlId) -> rusqlite::Result<()> {
    let sql = "UPDATE crawl SET confirmed_by = ?3
        WHERE site = ?1 AND number = ?2 AND confirmed_by IS NULL";
    connection.execute(sql, params![key.site, key.crawl, by.to_string()])?;
    Ok(())
}

pub(super) fn as_json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
