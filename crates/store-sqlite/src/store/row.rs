//! One row is one record.

use jiff::Timestamp;
use recrawl_core::archive::{Archive, ArchiveState};
use recrawl_core::aspect::Aspects;
use recrawl_core::ids::{ContentHash, RulesVersion, SemanticHash, SiteId};
use recrawl_core::record::{ContentRef, Found, Headers, Known, PageRecord, Visit};
use recrawl_core::url::PageUrl;
use rusqlite::Row;

use crate::error::unreadable;
use crate::{codes, keys};

/// Selects the columns of a record, without its site and page, and then more.
macro_rules! select_visit {
    ($more:literal, $rest:literal) => {
        concat!(
            "SELECT v.crawl, v.found_by, v.depth, r.url, v.verdict, v.status, v.not_modified, v.truncated, v.reason,
                v.fetched_at, v.fetch_ms, v.requests, v.received_bytes, v.saved_bytes, v.presence, v.etag,
                v.last_modified, v.location, t.word, v.robots_tag, v.content, v.semantic, w.word,
                v.transfer_bytes, v.first_seen, v.last_changed, v.last_seen, v.changes_detected,
                v.change_frequency, a.state, a.requested_at, a.job_id, a.captured_at, a.wayback_url, a.error,
                a.attempts, a.not_before, v.aspects, v.checked, v.link_signature, v.media_signature, v.fresh_until,
                v.observations, v.mean_interval ",
            $more,
            " FROM visit AS v
            LEFT JOIN archive_request AS a ON a.site = v.site AND a.crawl = v.crawl AND a.page = v.page
            LEFT JOIN url AS r ON r.id = v.referrer
            LEFT JOIN word AS t ON t.id = v.content_type
            LEFT JOIN word AS w ON w.id = v.rules ",
            $rest
        )
    };
}

pub(super) use select_visit;

/// The first column after those of a record.
pub(super) const MORE: usize = 44;

/// Reads a record from its columns.
pub(super) fn read(row: &Row, site: &SiteId, url: PageUrl) -> rusqlite::Result<PageRecord> {
    let crawl: i64 = row.get(0)?;
    let crawl = keys::crawl_id(crawl).ok_or_else(|| unreadable(format!("crawl {crawl}")))?;
    Ok(PageRecord {
        site: site.clone(),
        crawl,
        url,
        found: Found {
            by: read_code(row, 1, codes::way)?,
            depth: row.get(2)?,
            referrer: match row.get_ref(3)?.as_str_or_null()? {
                Some(text) => Some(parse_url(text)?),
                None => None,
            },
        },
        visit: Visit {
            verdict: read_code(row, 4, codes::verdict)?,
            aspects: Aspects::from_bits(row.get(37)?),
            status: row.get(5)?,
            not_modified: row.get(6)?,
            check: read_code(row, 38, codes::check)?,
            truncated: row.get(7)?,
            reason: row.get(8)?,
            fetched_at: read_time(row, 9)?,
            fetch_ms: row.get(10)?,
            requests: row.get(11)?,
            received_bytes: read_count(row, 12)?,
            saved_bytes: read_count(row, 13)?,
        },
        known: Known {
            presence: read_code(row, 14, codes::presence)?,
            headers: Headers {
                etag: row.get(15)?,
                last_modified: row.get(16)?,
                location: row.get(17)?,
                content_type: row.get(18)?,
                robots_tag: row.get(19)?,
            },
            content: read_content_ref(row)?,
            transfer_bytes: read_count(row, 23)?,
            first_seen: read_time(row, 24)?,
            last_changed: row.get::<_, Option<i64>>(25)?.map(time).transpose()?,
            last_seen: read_time(row, 26)?,
            fresh_until: row.get::<_, Option<i64>>(41)?.map(time).transpose()?,
            changes_detected: row.get(27)?,
            observations: row.get(42)?,
            // The database keeps no NaN but NULL in its place.
            mean_interval: row.get::<_, Option<f64>>(43)?.unwrap_or(f64::NAN),
            change_frequency: row.get::<_, Option<f64>>(28)?.unwrap_or(f64::NAN),
        },
        archive: read_archive(row)?,
    })
}

fn read_archive(row: &Row) -> rusqlite::Result<Option<Archive>> {
    let Some(word) = row.get_ref(29)?.as_str_or_null()? else {
        return Ok(None);
    };
    let moment = |column| row.get::<_, Option<i64>>(column)?.map(time).transpose();
    Ok(Some(Archive {
        state: ArchiveState::from_word(word).ok_or_else(|| unreadable(format!("archive state {word}")))?,
        requested_at: read_time(row, 30)?,
        job_id: row.get(31)?,
        captured_at: moment(32)?,
        wayback_url: row.get(33)?,
        error: row.get(34)?,
        attempts: row.get(35)?,
        not_before: moment(36)?,
    }))
}

fn read_content_ref(row: &Row) -> rusqlite::Result<Option<ContentRef>> {
    let (hash, semantic): (Option<[u8; 32]>, Option<[u8; 32]>) = (row.get(20)?, row.get(21)?);
    let rules: Option<String> = row.get(22)?;
    Ok(match (hash, semantic, rules) {
        (Some(hash), Some(semantic), Some(rules)) => Some(ContentRef {
            hash: ContentHash::from(hash),
            semantic: SemanticHash::from(semantic),
            rules: RulesVersion(rules),
            signatures: codes::signatures(row.get(39)?, row.get(40)?),
        }),
        _ => None,
    })
}

pub(super) fn read_code<T>(
    row: &Row,
    column: usize,
    decode: impl Fn(i64) -> Option<T>,
) -> rusqlite::Result<T> {
    let code: i64 = row.get(column)?;
    decode(code).ok_or_else(|| unreadable(format!("code {code} in column {column} of a visit")))
}

pub(super) fn read_count(row: &Row, column: usize) -> rusqlite::Result<u64> {
    let count: i64 = row.get(column)?;
    u64::try_from(count).map_err(unreadable)
}

pub(super) fn read_time(row: &Row, column: usize) -> rusqlite::Result<Timestamp> {
    time(row.get(column)?)
}

pub(super) fn time(microseconds: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(microseconds).map_err(unreadable)
}

pub(crate) fn read_url(row: &Row, column: usize) -> rusqlite::Result<PageUrl> {
    parse_url(row.get_ref(column)?.as_str()?)
}

pub(super) fn parse_url(text: &str) -> rusqlite::Result<PageUrl> {
    text.parse().map_err(|error| unreadable(format!("{text}: {error}")))
}
