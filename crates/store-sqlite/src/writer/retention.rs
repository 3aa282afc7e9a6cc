//! Deleting what is not wanted any more.

use std::collections::HashSet;

use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::Recorded;
use rusqlite::{Connection, params};

use crate::keys::CrawlKey;
use crate::retention::sweeps::{Since, Sweep};

/// A visit, and what was announced and asked for because of it.
const DELETE_VISIT: [&str; 3] = [
    "DELETE FROM announcement WHERE site = ?1 AND crawl = ?2 AND page = (SELECT page FROM visit WHERE id = ?3)",
    "DELETE FROM archive_request WHERE site = ?1 AND crawl = ?2 AND page = (SELECT page FROM visit WHERE id = ?3)",
    "DELETE FROM visit WHERE site = ?1 AND crawl = ?2 AND id = ?3",
];

/// What of a crawl has no visit.
const DELETE_QUEUES: [&str; 5] = [
    "DELETE FROM frontier WHERE site = ?1 AND crawl = ?2",
    "DELETE FROM announcement WHERE site = ?1 AND crawl = ?2",
    "DELETE FROM archive_request WHERE site = ?1 AND crawl = ?2",
    "DELETE FROM stumble WHERE site = ?1 AND crawl = ?2",
    "DELETE FROM shared_change WHERE site = ?1 AND crawl = ?2",
];

/// The index of a site is then not known to be right, and whoever works on it has read too early.
const DOUBT_INDEX: &str = "UPDATE search_site SET state = NULL, pass = 0 WHERE site = ?1";

/// Deletes visits of a crawl.
pub(super) fn delete_visits(connection: &Connection, key: CrawlKey, visits: &[i64]) -> rusqlite::Result<()> {
    for visit in visits {
        for sql in DELETE_VISIT {
            connection.prepare_cached(sql)?.execute(params![key.site, key.crawl, visit])?;
        }
    }
    doubt_index(connection, key)
}

/// Notes that what is known of pages may be something else now than what was indexed.
pub(super) fn doubt_index(connection: &Connection, key: CrawlKey) -> rusqlite::Result<()> {
    connection.prepare_cached(DOUBT_INDEX)?.execute([key.site])?;
    Ok(())
}

/// Deletes a site, unless it has a crawl.
pub(super) fn delete_site(connection: &Connection, site: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM search_word WHERE rowid IN (SELECT id FROM search_page WHERE site = ?1)
            AND NOT EXISTS (SELECT 1 FROM crawl WHERE site = ?1)",
        "DELETE FROM search_page WHERE site = ?1 AND NOT EXISTS (SELECT 1 FROM crawl WHERE site = ?1)",
        "DELETE FROM search_site WHERE site = ?1 AND NOT EXISTS (SELECT 1 FROM crawl WHERE site = ?1)",
        "DELETE FROM site WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM crawl WHERE site = ?1)",
    ] {
        connection.execute(sql, [site])?;
    }
    Ok(())
}

/// Gives a site another name, unless it has an open crawl or the name is taken.
pub(super) fn rename_site(connection: &Connection, site: i64, to: &SiteId) -> rusqlite::Result<Recorded> {
    let sql = "UPDATE site SET name = ?2 WHERE id = ?1
        AND NOT EXISTS (SELECT 1 FROM crawl WHERE site = ?1 AND closed_at IS NULL)
        AND NOT EXISTS (SELECT 1 FROM site WHERE name = ?2)";
    let renamed = connection.execute(sql, params![site, to.as_str()])?;
    Ok(if renamed == 0 { Recorded::Already } else { Recorded::First })
}

/// Deletes those of `rows` that nothing has named since they were found unnamed.
pub(super) fn sweep(
    connection: &Connection,
    of: &Sweep,
    rows: &[i64],
    since: &Since,
) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached(of.named_since)?;
    let named = since.query(&mut select)?.mapped(|row| row.get(0));
    let named: HashSet<i64> = named.collect::<rusqlite::Result<_>>()?;
    for row in rows.iter().filter(|row| !named.contains(row)) {
        for sql in of.delete {
            connection.prepare_cached(sql)?.execute([row])?;
        }
    }
    Ok(())
}

/// Deletes what a crawl left waiting.
pub(super) fn delete_queues(connection: &Connection, key: CrawlKey) -> rusqlite::Result<()> {
    for sql in DELETE_QUEUES {
        connection.execute(sql, [key.site, key.crawl])?;
    }
    Ok(())
}

/// Deletes a crawl of which nothing else is left; fails where there are visits.
pub(super) fn delete_crawl(connection: &Connection, key: CrawlKey) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM crawl WHERE site = ?1 AND number = ?2", [key.site, key.crawl])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retention::sweeps::{CONTENTS, REST};
    use crate::schema;

    const ROWS: &str = "
        INSERT INTO site VALUES (1, 'a', '', '', 0);
        INSERT INTO crawl (site, number, name, opened_at, mode, kind) VALUES (1, 7, '', 0, 'full', 'full');
        INSERT INTO url VALUES (1, 'page'), (2, 'canonical'), (3, 'link'), (4, 'last');
        INSERT INTO word VALUES (1, 'rules'), (2, 'content type'), (3, 'other rules');
        INSERT INTO text VALUES (1, x'02', x'');
        INSERT INTO content (id, hash, size, media_type, semantic, rules, noindex, nofollow, links)
            VALUES (1, x'01', 0, '', x'00', 1, 0, 0, '[]');";

    const NAMING: &str = "
        INSERT INTO visit (site, crawl, page, found_by, depth, verdict, not_modified, truncated, fetched_at,
            fetch_ms, requests, received_bytes, saved_bytes, presence, content_type, content, semantic, rules,
            transfer_bytes, first_seen, last_seen, changes_detected)
            VALUES (1, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, x'01', x'02', 3, 0, 0, 0, 0);
        INSERT INTO content (hash, size, media_type, semantic, rules, canonical, noindex, nofollow, links)
            VALUES (x'03', 0, '', x'04', 1, 2, 0, 0, '[3]');";

    fn unnamed(connection: &Connection, of: &Sweep) -> Vec<i64> {
        let mut select = connection.prepare(of.unnamed).unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn what_is_named_between_finding_and_deleting_stays() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::create(&mut connection).unwrap();
        connection.execute_batch(ROWS).unwrap();
        let sweeps: Vec<&Sweep> = std::iter::once(&CONTENTS).chain(REST).collect();
        let found: Vec<Vec<i64>> = sweeps.iter().map(|of| unnamed(&connection, of)).collect();
        assert_eq!(found, [vec![1], vec![1], vec![1, 2, 3], vec![2, 3]]);
        let since = Since::read(&connection).unwrap();
        connection.execute_batch(NAMING).unwrap();
        for (of, rows) in sweeps.into_iter().zip(found) {
            sweep(&connection, of, &rows, &since).unwrap();
        }
        let count = |table| {
            let sql = format!("SELECT count(*) FROM {table}");
            connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
        };
        assert_eq!(["content", "text", "url", "word"].map(count), [2, 1, 4, 3]);
    }
}
