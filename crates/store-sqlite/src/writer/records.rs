//! Writing page records.

use jiff::Timestamp;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::Recorded;
use recrawl_core::url::PageUrl;
use rusqlite::{CachedStatement, Connection, params};

use super::intern::Interner;
use crate::codes;
use crate::keys::CrawlKey;

const INSERT: &str = "INSERT INTO visit (
        site, crawl, page, found_by, depth, referrer, verdict, status, not_modified, truncated, reason,
        fetched_at, fetch_ms, requests, received_bytes, saved_bytes, presence, etag, last_modified,
        location, content_type, robots_tag, content, semantic, rules, transfer_bytes, first_seen,
        last_changed, last_seen, changes_detected, change_frequency, aspects, checked, link_signature,
        media_signature, fresh_until, observations, mean_interval
    ) VALUES (
        ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
        ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38
    ) ON CONFLICT (page, site, crawl) DO NOTHING";

/// The statement that writes records, kept for a whole transaction: it is long, and looking it up takes its time.
pub(super) struct Visits<'connection>(CachedStatement<'connection>);

impl<'connection> Visits<'connection> {
    pub(super) fn new(connection: &'connection Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached(INSERT).map(Self)
    }

    /// Writes `record` unless its crawl has one for its page.
    pub(super) fn insert(
        &mut self,
        connection: &Connection,
        interner: &mut Interner,
        key: CrawlKey,
        record: &PageRecord,
    ) -> rusqlite::Result<Recorded> {
        let PageRecord { found, visit, known, .. } = record;
        let page = interner.url(connection, &record.url)?;
        let mut optional_word =
            |word: Option<&str>| word.map(|word| interner.word(connection, word)).transpose();
        let content_type = optional_word(known.headers.content_type.as_deref())?;
        let rules = optional_word(known.content.as_ref().map(|content| content.rules.0.as_str()))?;
        let referrer = found.referrer.as_ref().map(|url| interner.url(connection, url)).transpose()?;
        let [links, media] =
            codes::of_signatures(known.content.as_ref().and_then(|content| content.signatures));
        let inserted = self.0.execute(params![
            key.site,
            key.crawl,
            page,
            codes::of_way(found.by),
            found.depth,
            referrer,
            codes::of_verdict(visit.verdict),
            visit.status,
            visit.not_modified,
            visit.truncated,
            visit.reason,
            visit.fetched_at.as_microsecond(),
            visit.fetch_ms,
            visit.requests,
            integer(visit.received_bytes),
            integer(visit.saved_bytes),
            codes::of_presence(known.presence),
            known.headers.etag,
            known.headers.last_modified,
            known.headers.location,
            content_type,
            known.headers.robots_tag,
            known.content.as_ref().map(|content| content.hash.as_bytes()),
            known.content.as_ref().map(|content| content.semantic.as_bytes()),
            rules,
            integer(known.transfer_bytes),
            known.first_seen.as_microsecond(),
            known.last_changed.map(Timestamp::as_microsecond),
            known.last_seen.as_microsecond(),
            known.changes_detected,
            known.change_frequency,
            visit.aspects.bits(),
            codes::of_check(visit.check),
            links,
            media,
            known.fresh_until.map(Timestamp::as_microsecond),
            known.observations,
            known.mean_interval,
        ])?;
        Ok(if inserted == 0 { Recorded::Already } else { Recorded::First })
    }
}

/// Notes a way to a page that is shorter than the one in its record, if it has one.
pub(super) fn lower_depth(
    connection: &Connection,
    key: CrawlKey,
    page: &PageUrl,
    depth: u32,
) -> rusqlite::Result<()> {
    let sql = "UPDATE visit SET depth = ?4
        WHERE page = (SELECT id FROM url WHERE url = ?3) AND site = ?1 AND crawl = ?2 AND depth > ?4";
    connection.prepare_cached(sql)?.execute(params![key.site, key.crawl, page.as_str(), depth])?;
    Ok(())
}

/// Returns a count as the database keeps it; none reaches the limit.
pub(super) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
