//! One row is one record.

use jiff::Timestamp;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash, SiteId};
use recrawl_core::model::kind::{Kinds, Tier, WordCount};
use recrawl_core::model::record::{ContentRef, Found, Headers, PageRecord, PageState, Visit};
use recrawl_core::url::PageUrl;
use rusqlite::Row;
use serde::de::DeserializeOwned;

use crate::codes;
use crate::error::unreadable;
use crate::records::crawls::read_name;

/// What is known of a page by a visit.
macro_rules! known_columns {
    () => {
        "v.presence, v.etag, v.last_modified, v.location, t.word, v.robots_tag, v.content, v.semantic, w.word,
            v.link_signature, v.media_signature, v.transfer_bytes, v.first_seen, v.last_changed, v.last_seen,
            v.fresh_until, v.changes_detected, v.observations, v.mean_interval, v.change_frequency,
            v.meta_signature, v.memory"
    };
}

/// Selects the columns of a record, without its site and page, and then more.
macro_rules! select_visit {
    ($more:literal, $rest:expr) => {
        concat!(
            "SELECT ",
            known_columns!(),
            ", n.name, v.found_by, v.depth, r.url, v.verdict, v.status, v.not_modified, v.truncated, v.reason,
                v.fetched_at, v.fetch_ms, v.requests, v.received_bytes, v.saved_bytes, v.aspects, v.checked,
                v.tier, v.weight, v.words_changed, v.words_of, v.kinds, v.edits, a.state, a.requested_at, a.job_id, a.captured_at, a.wayback_url, a.error, a.attempts,
                a.not_before ",
            $more,
            " FROM visit AS v
            JOIN crawl AS n ON n.site = v.site AND n.number = v.crawl
            LEFT JOIN archive_request AS a ON a.site = v.site AND a.crawl = v.crawl AND a.page = v.page
            LEFT JOIN url AS r ON r.id = v.referrer
            LEFT JOIN word AS t ON t.id = v.content_type
            LEFT JOIN word AS w ON w.id = v.rules ",
            $rest
        )
    };
}

/// Selects what is known of a page by a visit, and then more.
macro_rules! select_known {
    ($more:literal, $rest:expr) => {
        concat!(
            "SELECT ",
            known_columns!(),
            $more,
            " FROM visit AS v
            LEFT JOIN word AS t ON t.id = v.content_type
            LEFT JOIN word AS w ON w.id = v.rules ",
            $rest
        )
    };
}

pub(crate) use {known_columns, select_known, select_visit};

/// The first column after those of a record.
pub(crate) const MORE: usize = 52;

/// The first column after those of what is known.
pub(crate) const MORE_THAN_KNOWN: usize = 22;

/// Where the columns that are not about what is known begin.
const REST: usize = MORE_THAN_KNOWN;

/// Reads a record from its columns.
pub(crate) fn read(row: &Row, site: &SiteId, url: PageUrl) -> rusqlite::Result<PageRecord> {
    Ok(PageRecord {
        site: site.clone(),
        crawl: read_name(row, REST)?,
        url,
        found: Found {
            by: read_code(row, REST + 1, codes::way)?,
            depth: row.get(REST + 2)?,
            referrer: row.get_ref(REST + 3)?.as_str_or_null()?.map(parse_url).transpose()?,
        },
        visit: Visit {
            verdict: read_code(row, REST + 4, codes::verdict)?,
            status: row.get(REST + 5)?,
            not_modified: row.get(REST + 6)?,
            truncated: row.get(REST + 7)?,
            reason: row.get(REST + 8)?,
            fetched_at: read_time(row, REST + 9)?,
            fetch_ms: row.get(REST + 10)?,
            requests: row.get(REST + 11)?,
            received_bytes: read_count(row, REST + 12)?,
            saved_bytes: read_count(row, REST + 13)?,
            aspects: Aspects::from_bits(row.get(REST + 14)?),
            check: read_code(row, REST + 15, codes::check)?,
            tier: read_tier(row, REST + 16)?,
            weight: row.get(REST + 17)?,
            words: WordCount { changed: row.get(REST + 18)?, of: row.get(REST + 19)? },
            kinds: Kinds::from_bits(row.get(REST + 20)?),
            edits: read_json(row, REST + 21)?,
        },
        known: read_known(row)?,
        archive: read_archive(row, REST + 22)?,
    })
}

/// Reads what is known of a page from the first columns.
pub(crate) fn read_known(row: &Row) -> rusqlite::Result<PageState> {
    Ok(PageState {
        presence: read_code(row, 0, codes::presence)?,
        headers: Headers {
            etag: row.get(1)?,
            last_modified: row.get(2)?,
            location: row.get(3)?,
            content_type: row.get(4)?,
            robots_tag: row.get(5)?,
        },
        content: read_content_ref(row)?,
        transfer_bytes: read_count(row, 11)?,
        first_seen: read_time(row, 12)?,
        last_changed: read_time_or_null(row, 13)?,
        last_seen: read_time(row, 14)?,
        fresh_until: read_time_or_null(row, 15)?,
        changes_detected: row.get(16)?,
        observations: row.get(17)?,
        // The database keeps no NaN but NULL in its place.
        mean_interval: row.get::<_, Option<f64>>(18)?.unwrap_or(f64::NAN),
        change_frequency: row.get::<_, Option<f64>>(19)?.unwrap_or(f64::NAN),
        memory: read_json(row, 21)?,
    })
}

fn read_content_ref(row: &Row) -> rusqlite::Result<Option<ContentRef>> {
    let (hash, semantic): (Option<[u8; 32]>, Option<[u8; 32]>) = (row.get(6)?, row.get(7)?);
    let rules: Option<String> = row.get(8)?;
    Ok(match (hash, semantic, rules) {
        (Some(hash), Some(semantic), Some(rules)) => Some(ContentRef {
            hash: ContentHash::from(hash),
            semantic: SemanticHash::from(semantic),
            rules: RulesVersion(rules),
            signatures: codes::signatures([row.get(9)?, row.get(10)?, row.get(20)?]),
        }),
        _ => None,
    })
}

/// Reads what became of an archive request from the columns from `first` on.
fn read_archive(row: &Row, first: usize) -> rusqlite::Result<Option<Archive>> {
    let Some(word) = row.get_ref(first)?.as_str_or_null()? else {
        return Ok(None);
    };
    Ok(Some(Archive {
        state: ArchiveState::from_word(word).ok_or_else(|| unreadable(format!("archive state {word}")))?,
        requested_at: read_time(row, first + 1)?,
        job_id: row.get(first + 2)?,
        captured_at: read_time_or_null(row, first + 3)?,
        wayback_url: row.get(first + 4)?,
        error: row.get(first + 5)?,
        attempts: row.get(first + 6)?,
        not_before: read_time_or_null(row, first + 7)?,
    }))
}

pub(crate) fn read_code<T>(
    row: &Row,
    column: usize,
    decode: impl Fn(i64) -> Option<T>,
) -> rusqlite::Result<T> {
    let code: i64 = row.get(column)?;
    decode(code).ok_or_else(|| unreadable(format!("code {code} in column {column} of a visit")))
}

fn read_tier(row: &Row, column: usize) -> rusqlite::Result<Option<Tier>> {
    row.get::<_, Option<u8>>(column)?.map(|number| Tier::try_from(number).map_err(unreadable)).transpose()
}

fn read_json<T: DeserializeOwned>(row: &Row, column: usize) -> rusqlite::Result<Option<T>> {
    let json = row.get_ref(column)?.as_str_or_null()?;
    json.map(|json| serde_json::from_str(json).map_err(unreadable)).transpose()
}

pub(crate) fn read_count(row: &Row, column: usize) -> rusqlite::Result<u64> {
    let count: i64 = row.get(column)?;
    u64::try_from(count).map_err(unreadable)
}

pub(crate) fn read_time(row: &Row, column: usize) -> rusqlite::Result<Timestamp> {
    time(row.get(column)?)
}

fn read_time_or_null(row: &Row, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    row.get::<_, Option<i64>>(column)?.map(time).transpose()
}

pub(crate) fn time(microseconds: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(microseconds).map_err(unreadable)
}

pub(crate) fn read_url(row: &Row, column: usize) -> rusqlite::Result<PageUrl> {
    parse_url(row.get_ref(column)?.as_str()?)
}

pub(crate) fn parse_url(text: &str) -> rusqlite::Result<PageUrl> {
    text.parse().map_err(|error| unreadable(format!("{text}: {error}")))
}
