//! Reading page records.

use jiff::Timestamp;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, PageState};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use crate::error::unreadable;
use crate::keys::{CrawlKey, Keys};
use crate::records::row::{MORE, MORE_THAN_KNOWN, known_columns, read, read_code, read_known, read_url};
use crate::records::row::{select_known, select_visit, time};
use crate::{codes, url_ids};

/// Where the newest visit of a page is found among the trusted crawls before a crawl.
macro_rules! newest_before {
    ($page:literal) => {
        concat!(
            "WHERE v.page = ",
            $page,
            " AND v.site = ?2 AND v.crawl < ?3
                AND (SELECT c.trusted FROM crawl AS c WHERE c.site = v.site AND c.number = v.crawl)
            ORDER BY v.crawl DESC LIMIT 1"
        )
    };
}

const LATEST_BEFORE: &str = select_visit!("", newest_before!("(SELECT id FROM url WHERE url = ?1)"));

const KNOWN_BEFORE: &str = select_known!("", newest_before!("?1"));

const KNOWN_WITH_LINKS_BEFORE: &str = select_known!(
    ", k.links",
    concat!("LEFT JOIN content AS k ON k.hash = v.content ", newest_before!("?1"))
);

const OF_PAGE: &str =
    select_visit!("", "WHERE v.page = (SELECT id FROM url WHERE url = ?1) AND v.site = ?2 ORDER BY v.crawl");

const OF_CRAWL: &str = select_visit!(
    ", p.url, v.id",
    "JOIN url AS p ON p.id = v.page
    WHERE v.site = ?1 AND v.crawl = ?2 AND v.id > ?3 AND (?4 >> v.verdict) & 1 ORDER BY v.id LIMIT ?5"
);

const IN_CRAWL: &str =
    select_visit!("", "WHERE v.page = (SELECT id FROM url WHERE url = ?1) AND v.site = ?2 AND v.crawl = ?3");

const UNARCHIVED: &str = select_visit!(
    ", p.url",
    "JOIN url AS p ON p.id = v.page
    WHERE v.site = ?1 AND v.crawl = ?2 AND a.state IN ('queued', 'submitted')
        AND (a.not_before IS NULL OR a.not_before <= ?3)
    ORDER BY a.requested_at, a.id LIMIT ?4"
);

const SINCE: &str = select_visit!(
    ", p.url",
    "JOIN url AS p ON p.id = v.page
    WHERE v.site = ?1 AND v.crawl = ?2 AND v.fetched_at >= ?3 ORDER BY v.fetched_at, v.id LIMIT ?4"
);

pub(crate) fn read_latest_before(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
    url: &PageUrl,
) -> rusqlite::Result<Option<PageRecord>> {
    let Some(key) = keys.bound(connection, site, crawl)? else {
        return Ok(None);
    };
    let mut select = connection.prepare_cached(LATEST_BEFORE)?;
    let found = select.query_row((url.as_str(), key.site, key.crawl), |row| read(row, site, url.clone()));
    found.optional()
}

pub(crate) fn read_page(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
    url: &PageUrl,
) -> rusqlite::Result<Option<PageRecord>> {
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(None);
    };
    let mut select = connection.prepare_cached(IN_CRAWL)?;
    let found = select.query_row((url.as_str(), key.site, key.crawl), |row| read(row, site, url.clone()));
    found.optional()
}

pub(crate) fn read_unarchived(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
    now: Timestamp,
    limit: usize,
) -> rusqlite::Result<Vec<PageRecord>> {
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(Vec::new());
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(UNARCHIVED)?;
    let rows = select.query_map((key.site, key.crawl, now.as_microsecond(), limit), |row| {
        read(row, site, read_url(row, MORE)?)
    })?;
    rows.collect()
}

pub(crate) fn read_last_visit(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
) -> rusqlite::Result<Option<Timestamp>> {
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(None);
    };
    let sql = "SELECT max(fetched_at) FROM visit WHERE site = ?1 AND crawl = ?2";
    let newest: Option<i64> = connection.query_row(sql, [key.site, key.crawl], |row| row.get(0))?;
    newest.map(time).transpose()
}

pub(crate) fn read_verdict_counts(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
) -> rusqlite::Result<Counts> {
    let mut counts = Counts::default();
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(counts);
    };
    let sql = "SELECT verdict, count(*) FROM visit WHERE site = ?1 AND crawl = ?2 GROUP BY verdict";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([key.site, key.crawl])?;
    while let Some(row) = rows.next()? {
        counts[read_code(row, 0, codes::verdict)?] = row.get::<_, i64>(1)?.unsigned_abs();
    }
    Ok(counts)
}

pub(crate) fn read_visits_since(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
    since: Timestamp,
    limit: usize,
) -> rusqlite::Result<Vec<PageRecord>> {
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(Vec::new());
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(SINCE)?;
    let rows = select.query_map((key.site, key.crawl, since.as_microsecond(), limit), |row| {
        read(row, site, read_url(row, MORE)?)
    })?;
    rows.collect()
}

pub(crate) fn read_visits(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    url: &PageUrl,
) -> rusqlite::Result<Vec<PageRecord>> {
    let Some(key) = keys.site(connection, site)? else {
        return Ok(Vec::new());
    };
    let mut select = connection.prepare_cached(OF_PAGE)?;
    let rows = select.query_map((url.as_str(), key), |row| read(row, site, url.clone()))?;
    rows.collect()
}

pub(crate) fn read_records(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
    verdicts: &[Verdict],
    after: Option<&PageUrl>,
    limit: usize,
) -> rusqlite::Result<Vec<PageRecord>> {
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(Vec::new());
    };
    let after = after_visit(connection, key, after)?;
    let wanted = verdicts.iter().fold(0_i64, |wanted, verdict| wanted | 1 << codes::of_verdict(*verdict));
    let wanted = if verdicts.is_empty() { -1 } else { wanted };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(OF_CRAWL)?;
    let (mut records, mut last) = (Vec::new(), after);
    let mut rows = select.query((key.site, key.crawl, after, wanted, limit))?;
    while let Some(row) = rows.next()? {
        last = following(last, row.get(MORE + 1)?)?;
        records.push(read(row, site, read_url(row, MORE)?)?);
    }
    expect_progress(connection, key, records.last().map(|record| &record.url), last)?;
    Ok(records)
}

/// Returns the number of the next visit of a listing; it is higher than the last one, unless the file is damaged.
fn following(last: i64, next: i64) -> rusqlite::Result<i64> {
    if next > last { Ok(next) } else { Err(unreadable(format!("visit {next} is listed after visit {last}"))) }
}

/// Makes sure that a listing that goes on after `page` goes on after the visit `last`. In a damaged file it may find
/// another one, and never come to an end.
fn expect_progress(
    connection: &Connection,
    key: CrawlKey,
    page: Option<&PageUrl>,
    last: i64,
) -> rusqlite::Result<()> {
    let Some(page) = page else { return Ok(()) };
    let found = after_visit(connection, key, Some(page))?;
    if found == last { Ok(()) } else { Err(unreadable(format!("visit {last} is found as visit {found}"))) }
}

/// Reads what is known of a page before a crawl.
pub(crate) fn read_known_before(
    connection: &Connection,
    key: CrawlKey,
    url: &PageUrl,
) -> rusqlite::Result<Option<PageState>> {
    let mut number = connection.prepare_cached("SELECT id FROM url WHERE url = ?1")?;
    match number.query_row([url.as_str()], |row| row.get(0)).optional()? {
        Some(page) => read_known_of(connection, key, page),
        None => Ok(None),
    }
}

/// Reads what is known before a crawl of the page whose address has the number `page`.
fn read_known_of(connection: &Connection, key: CrawlKey, page: i64) -> rusqlite::Result<Option<PageState>> {
    let mut select = connection.prepare_cached(KNOWN_BEFORE)?;
    select.query_row([page, key.site, key.crawl], read_known).optional()
}

/// Reads the same of many pages, and the links of what they said as they are stored.
pub(crate) struct KnownWithLinks<'connection> {
    select: CachedStatement<'connection>,
    key: CrawlKey,
}

impl<'connection> KnownWithLinks<'connection> {
    pub(crate) fn new(connection: &'connection Connection, key: CrawlKey) -> rusqlite::Result<Self> {
        Ok(Self { select: connection.prepare_cached(KNOWN_WITH_LINKS_BEFORE)?, key })
    }

    pub(crate) fn read(&mut self, page: i64) -> rusqlite::Result<Option<(PageState, Option<Vec<i64>>)>> {
        let both = |row: &Row| {
            let links = row.get_ref(MORE_THAN_KNOWN)?.as_str_or_null()?;
            Ok((read_known(row)?, links.map(url_ids::from_json).transpose()?))
        };
        self.select.query_row([page, self.key.site, self.key.crawl], both).optional()
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
    found
        .optional()?
        .ok_or_else(|| unreadable(format!("there is no visit of {url}, after which a listing goes on")))
}
