//! Reading page records: one row is one record.

use jiff::Timestamp;
use recrawl_core::archive::{Archive, ArchiveState};
use recrawl_core::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use recrawl_core::record::{ContentRef, Found, Headers, Known, PageRecord, Visit};
use recrawl_core::url::PageUrl;
use recrawl_core::verdict::Verdict;
use rusqlite::{Connection, OptionalExtension, Row};

use super::SqliteStore;
use crate::error::unreadable;
use crate::keys::CrawlKey;
use crate::{codes, keys};

/// The columns of a record, without its site and page.
macro_rules! select_visit {
    ($more:literal, $rest:literal) => {
        concat!(
            "SELECT v.crawl, v.found_by, v.depth, r.url, v.verdict, v.status, v.not_modified, v.truncated, v.reason,
                v.fetched_at, v.fetch_ms, v.requests, v.received_bytes, v.saved_bytes, v.presence, v.etag,
                v.last_modified, v.location, t.word, v.robots_tag, v.content, v.semantic, w.word,
                v.transfer_bytes, v.first_seen, v.last_changed, v.last_seen, v.changes_detected,
                v.change_frequency, a.state, a.requested_at, a.job_id, a.captured_at, a.wayback_url, a.error,
                a.attempts, a.not_before ",
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

const LATEST_BEFORE: &str = select_visit!(
    "",
    "WHERE v.page = (SELECT id FROM url WHERE url = ?1) AND v.site = ?2 AND v.crawl < ?3 ORDER BY v.crawl DESC LIMIT 1"
);

const OF_PAGE: &str =
    select_visit!("", "WHERE v.page = (SELECT id FROM url WHERE url = ?1) AND v.site = ?2 ORDER BY v.crawl");

const OF_CRAWL: &str = select_visit!(
    ", p.url",
    "JOIN url AS p ON p.id = v.page
    WHERE v.site = ?1 AND v.crawl = ?2 AND v.id > ?3 AND (?4 >> v.verdict) & 1 ORDER BY v.id LIMIT ?5"
);

const IN_CRAWL: &str =
    select_visit!("", "WHERE v.page = (SELECT id FROM url WHERE url = ?1) AND v.site = ?2 AND v.crawl = ?3");

const BY_NUMBER: &str = select_visit!("", "WHERE v.id = ?1");

const UNARCHIVED: &str = select_visit!(
    ", p.url",
    "JOIN url AS p ON p.id = v.page
    WHERE v.site = ?1 AND v.crawl = ?2 AND a.state IN ('queued', 'submitted')
        AND (a.not_before IS NULL OR a.not_before <= ?3)
    ORDER BY a.requested_at, a.id LIMIT ?4"
);

const PAGES_OF_CRAWL: &str = "SELECT v.id, p.url FROM visit AS v JOIN url AS p ON p.id = v.page
    WHERE v.site = ?1 AND v.crawl = ?2 AND v.id > ?3 ORDER BY v.id LIMIT ?4";

const PAGE_OF_CRAWL: usize = 37;

impl SqliteStore {
    pub(super) fn read_latest_before(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> rusqlite::Result<Option<PageRecord>> {
        let Some(key) = self.keys.site(connection, site)? else {
            return Ok(None);
        };
        let mut select = connection.prepare_cached(LATEST_BEFORE)?;
        let found =
            select.query_row((url.as_str(), key, keys::number(crawl)), |row| read(row, site, url.clone()));
        found.optional()
    }

    pub(super) fn read_page(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> rusqlite::Result<Option<PageRecord>> {
        let Some(key) = self.keys.crawl(connection, site, crawl)? else {
            return Ok(None);
        };
        let mut select = connection.prepare_cached(IN_CRAWL)?;
        let found = select.query_row((url.as_str(), key.site, key.crawl), |row| read(row, site, url.clone()));
        found.optional()
    }

    pub(super) fn read_pages(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
        after: Option<&PageUrl>,
        limit: usize,
    ) -> rusqlite::Result<Vec<PageUrl>> {
        let Some(key) = self.keys.crawl(connection, site, crawl)? else {
            return Ok(Vec::new());
        };
        let after = after_visit(connection, key, after)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut select = connection.prepare_cached(PAGES_OF_CRAWL)?;
        let rows = select.query_map((key.site, key.crawl, after, limit), |row| read_url(row, 1))?;
        rows.collect()
    }

    pub(super) fn read_records_where(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
        wanted: &(dyn for<'a> Fn(&'a PageUrl) -> bool + Send + Sync),
    ) -> rusqlite::Result<Vec<PageRecord>> {
        let Some(key) = self.keys.crawl(connection, site, crawl)? else {
            return Ok(Vec::new());
        };
        let mut addresses = connection.prepare_cached(PAGES_OF_CRAWL)?;
        let mut by_number = connection.prepare_cached(BY_NUMBER)?;
        let mut rows = addresses.query((key.site, key.crawl, 0, i64::MAX))?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            let url = read_url(row, 1)?;
            if wanted(&url) {
                let number: i64 = row.get(0)?;
                records.push(by_number.query_row([number], |row| read(row, site, url))?);
            }
        }
        Ok(records)
    }

    pub(super) fn read_unarchived(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
        limit: usize,
    ) -> rusqlite::Result<Vec<PageRecord>> {
        let Some(key) = self.keys.crawl(connection, site, crawl)? else {
            return Ok(Vec::new());
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut select = connection.prepare_cached(UNARCHIVED)?;
        let rows = select.query_map((key.site, key.crawl, now.as_microsecond(), limit), |row| {
            read(row, site, read_url(row, PAGE_OF_CRAWL)?)
        })?;
        rows.collect()
    }

    pub(super) fn read_last_visit(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
    ) -> rusqlite::Result<Option<Timestamp>> {
        let Some(key) = self.keys.crawl(connection, site, crawl)? else {
            return Ok(None);
        };
        let sql = "SELECT max(fetched_at) FROM visit WHERE site = ?1 AND crawl = ?2";
        let newest: Option<i64> = connection.query_row(sql, [key.site, key.crawl], |row| row.get(0))?;
        newest.map(time).transpose()
    }

    pub(super) fn read_visits(
        &self,
        connection: &Connection,
        site: &SiteId,
        url: &PageUrl,
    ) -> rusqlite::Result<Vec<PageRecord>> {
        let Some(key) = self.keys.site(connection, site)? else {
            return Ok(Vec::new());
        };
        let mut select = connection.prepare_cached(OF_PAGE)?;
        let rows = select.query_map((url.as_str(), key), |row| read(row, site, url.clone()))?;
        rows.collect()
    }

    pub(super) fn read_records(
        &self,
        connection: &Connection,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> rusqlite::Result<Vec<PageRecord>> {
        let Some(key) = self.keys.crawl(connection, site, crawl)? else {
            return Ok(Vec::new());
        };
        let after = after_visit(connection, key, after)?;
        let wanted = verdicts.iter().fold(0_i64, |wanted, verdict| wanted | 1 << codes::of_verdict(*verdict));
        let wanted = if verdicts.is_empty() { -1 } else { wanted };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut select = connection.prepare_cached(OF_CRAWL)?;
        let rows = select.query_map((key.site, key.crawl, after, wanted, limit), |row| {
            read(row, site, read_url(row, PAGE_OF_CRAWL)?)
        })?;
        rows.collect()
    }
}

/// Returns the number of the visit of `page`, where a listing goes on; 0 for its beginning.
fn after_visit(connection: &Connection, key: CrawlKey, page: Option<&PageUrl>) -> rusqlite::Result<i64> {
    let Some(url) = page else {
        return Ok(0);
    };
    let sql = "SELECT v.id FROM visit AS v JOIN url AS p ON p.id = v.page
        WHERE p.url = ?1 AND v.site = ?2 AND v.crawl = ?3";
    let mut select = connection.prepare_cached(sql)?;
    let found = select.query_row((url.as_str(), key.site, key.crawl), |row| row.get(0));
    Ok(found.optional()?.unwrap_or(0))
}

fn read(row: &Row, site: &SiteId, url: PageUrl) -> rusqlite::Result<PageRecord> {
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
            status: row.get(5)?,
            not_modified: row.get(6)?,
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
            changes_detected: row.get(27)?,
            // The database keeps no NaN but NULL in its place.
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
        }),
        _ => None,
    })
}

fn read_code<T>(row: &Row, column: usize, decode: impl Fn(i64) -> Option<T>) -> rusqlite::Result<T> {
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

pub(super) fn read_url(row: &Row, column: usize) -> rusqlite::Result<PageUrl> {
    parse_url(row.get_ref(column)?.as_str()?)
}

pub(super) fn parse_url(text: &str) -> rusqlite::Result<PageUrl> {
    text.parse().map_err(|error| unreadable(format!("{text}: {error}")))
}
