//! Reading sites and crawls.

use recrawl_core::model::crawl::{Closed, Crawl, CrawlKind, Ending, Mode, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::statistics::Statistics;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value;

use crate::error::unreadable;
use crate::keys::Keys;
use crate::records::row::{read_time, read_url, time};

pub(crate) fn read_site(connection: &Connection, id: &SiteId) -> rusqlite::Result<Option<Site>> {
    let mut select =
        connection.prepare_cached("SELECT name, root, scope, created_at FROM site WHERE name = ?1")?;
    select.query_row([id.as_str()], site).optional()
}

pub(crate) fn read_sites(connection: &Connection) -> rusqlite::Result<Vec<Site>> {
    let mut select =
        connection.prepare_cached("SELECT name, root, scope, created_at FROM site ORDER BY name")?;
    select.query_map([], site)?.collect()
}

fn site(row: &Row) -> rusqlite::Result<Site> {
    Ok(Site {
        id: row.get_ref(0)?.as_str()?.parse().map_err(unreadable)?,
        root: read_url(row, 1)?,
        scope: serde_json::from_str(row.get_ref(2)?.as_str()?).map_err(unreadable)?,
        created_at: read_time(row, 3)?,
    })
}

pub(crate) fn read_crawls(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
) -> rusqlite::Result<Vec<Crawl>> {
    let Some(key) = keys.site(connection, site)? else {
        return Ok(Vec::new());
    };
    let sql = "SELECT name, opened_at, mode, opened_by, closed_at, partial_reason, statistics,
                suspicion, accepted_at, kind, confirmed_by, site_state
            FROM crawl WHERE site = ?1 ORDER BY number";
    let mut select = connection.prepare_cached(sql)?;
    select.query_map([key], |row| crawl(row, site))?.collect()
}

/// Reads the name of a crawl.
pub(crate) fn read_name(row: &Row, column: usize) -> rusqlite::Result<CrawlId> {
    let name = row.get_ref(column)?.as_str()?;
    name.parse().map_err(|error| unreadable(format!("{name}: {error}")))
}

fn crawl(row: &Row, site: &SiteId) -> rusqlite::Result<Crawl> {
    let word = row.get_ref(2)?.as_str()?;
    let mode = [Mode::Full, Mode::Incremental, Mode::Smart].into_iter().find(|mode| mode.word() == word);
    let kind = row.get_ref(9)?.as_str()?;
    Ok(Crawl {
        site: site.clone(),
        id: read_name(row, 0)?,
        opened_at: read_time(row, 1)?,
        mode: mode.ok_or_else(|| unreadable(format!("mode {word}")))?,
        kind: CrawlKind::from_word(kind).ok_or_else(|| unreadable(format!("kind {kind}")))?,
        opened_by: row.get(3)?,
        closed: match row.get::<_, Option<i64>>(4)? {
            Some(at) => Some(closed(row, at)?),
            None => None,
        },
    })
}

fn closed(row: &Row, at: i64) -> rusqlite::Result<Closed> {
    let reason: Option<String> = row.get(5)?;
    let suspicion = match row.get(7)? {
        Some(reason) => {
            let accepted_at = row.get::<_, Option<i64>>(8)?.map(time).transpose()?;
            let is_confirmed = row.get_ref(10)? != ValueRef::Null;
            let confirmed_by = if is_confirmed { Some(read_name(row, 10)?) } else { None };
            Some(Suspicion { reason, accepted_at, confirmed_by })
        }
        None => None,
    };
    Ok(Closed {
        at: time(at)?,
        ending: reason.map_or(Ending::Complete, Ending::Partial),
        suspicion,
        state: match row.get_ref(11)?.as_str_or_null().map_err(unreadable)? {
            Some(state) => Some(serde_json::from_str(state).map_err(unreadable)?),
            None => None,
        },
        statistics: statistics(row.get_ref(6)?.as_str()?).map_err(unreadable)?,
    })
}

/// Reads figures; those that were not counted yet when they were written are zero.
fn statistics(json: &str) -> serde_json::Result<Statistics> {
    let mut all = serde_json::to_value(Statistics::default())?;
    let stored: Value = serde_json::from_str(json)?;
    if let (Value::Object(all), Value::Object(stored)) = (&mut all, stored) {
        all.extend(stored);
    }
    serde_json::from_value(all)
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::counts::Counts;
    use recrawl_core::model::verdict::Verdict;

    use super::*;

    #[test]
    fn figures_that_an_older_version_did_not_count_are_zero() {
        let read = statistics(r#"{"total": 3, "new": 2, "of_a_later_version": 1}"#).unwrap();
        assert_eq!(
            read,
            Statistics { total: 3, counts: Counts::from([(Verdict::New, 2)]), ..Statistics::default() }
        );
    }
}
