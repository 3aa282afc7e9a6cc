//! Looking at a file: whether it is whole, whether what is named is there, and whether figures agree.

use std::path::Path;

use recrawl_core::model::finding::Finding;
use rusqlite::Connection;

use crate::connection::open_for_reading;
use crate::error::{OpenError, explained};

/// How many faults are told of each kind.
const TOLD: usize = 5;

const DAMAGED: &str = "go back to the last copy that `recrawl backup` made; without one, copy the file and try \
    `recrawl copy --from COPY --to sqlite:NEW.db`, which saves what can still be read";

const LOST: &str = "these pages cannot be shown whole; the next crawl with `--mode full` fetches them again";

/// Names in one table what has to be in another: a sentence, and what counts the rows where it is not.
const REFERENCES: [(&str, &str, &str); 7] = [
    (
        "pages of visits",
        "visits name crawls and addresses that are not there",
        "SELECT count(*) FROM visit AS v WHERE NOT EXISTS (SELECT 1 FROM url WHERE id = v.page)
            OR NOT EXISTS (SELECT 1 FROM crawl WHERE site = v.site AND number = v.crawl)",
    ),
    (
        "contents of visits",
        "visits name contents that are not there",
        "SELECT count(*) FROM visit AS v WHERE v.content IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM content WHERE hash = v.content)",
    ),
    (
        "links of contents",
        "links of contents lead to addresses that are not there",
        "SELECT count(*) FROM content AS k, json_each(k.links) AS l
            WHERE NOT EXISTS (SELECT 1 FROM url WHERE id = l.value)",
    ),
    (
        "bodies",
        "bodies belong to contents that are not there",
        "SELECT count(*) FROM body AS b WHERE NOT EXISTS (SELECT 1 FROM content WHERE id = b.content)",
    ),
    (
        "outlines",
        "outlines belong to contents that are not there",
        "SELECT count(*) FROM outline AS o WHERE NOT EXISTS (SELECT 1 FROM content WHERE id = o.content)",
    ),
    (
        "shared changes",
        "shared changes belong to crawls that are not there",
        "SELECT count(*) FROM shared_change AS h
            WHERE NOT EXISTS (SELECT 1 FROM crawl WHERE site = h.site AND number = h.crawl)",
    ),
    (
        "queues",
        "pages that wait, announcements and archive requests belong to crawls that are not there",
        "SELECT count(*) FROM (
            SELECT site, crawl FROM frontier UNION ALL SELECT site, crawl FROM announcement
            UNION ALL SELECT site, crawl FROM archive_request
        ) AS q WHERE NOT EXISTS (SELECT 1 FROM crawl WHERE site = q.site AND number = q.crawl)",
    ),
];

/// Crawls that recorded more than they counted, and those that have fewer records left.
const COUNTS: &str =
    "SELECT count(*), coalesce(sum(visits > total), 0), coalesce(sum(visits < total), 0) FROM (
    SELECT c.statistics ->> 'total' AS total,
        (SELECT count(*) FROM visit AS v WHERE v.site = c.site AND v.crawl = c.number) AS visits
    FROM crawl AS c WHERE c.closed_at IS NOT NULL
)";

/// Looks at the database at `path`, and writes nothing. What cannot be looked at because the file is damaged is a finding,
/// too; a file that is not there, not ours, or of another format is an error.
pub fn check(path: impl AsRef<Path>) -> Result<Vec<Finding>, OpenError> {
    let path = path.as_ref();
    let connection = match open_for_reading(path) {
        Ok(connection) => connection,
        Err(error @ OpenError::Damaged(_)) => {
            return Ok(vec![Finding::wrong("format", error.to_string(), DAMAGED)]);
        }
        Err(error) => return Err(error),
    };
    let looks: [(&'static str, Look); 4] =
        [("format", format), ("integrity", integrity), ("counts", counts), ("space", space)];
    let mut findings = Vec::new();
    for (what, look) in looks {
        findings.push(look(&connection).unwrap_or_else(|error| unreadable(path, what, error)));
        if what == "integrity" {
            for (what, sentence, sql) in REFERENCES {
                let finding = reference(&connection, what, sentence, sql);
                findings.push(finding.unwrap_or_else(|error| unreadable(path, what, error)));
            }
        }
    }
    Ok(findings)
}

type Look = fn(&Connection) -> rusqlite::Result<Finding>;

fn unreadable(path: &Path, what: &'static str, error: rusqlite::Error) -> Finding {
    Finding::wrong(what, explained(path.to_str(), error).to_string(), DAMAGED)
}

fn format(connection: &Connection) -> rusqlite::Result<Finding> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(Finding::ok("format", format!("version {version}, which this recrawl writes")))
}

fn integrity(connection: &Connection) -> rusqlite::Result<Finding> {
    let mut select = connection.prepare("PRAGMA integrity_check(100)")?;
    let faults: Vec<String> = select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    if faults == ["ok"] {
        return Ok(Finding::ok("integrity", "every page of the file and every index is whole".to_owned()));
    }
    let more = if faults.len() > TOLD { format!(" and {} more", faults.len() - TOLD) } else { String::new() };
    let told: Vec<String> = faults.iter().take(TOLD).map(|fault| fault.replace('\n', " ")).collect();
    Ok(Finding::wrong("integrity", format!("{}{more}", told.join("; ")), DAMAGED))
}

fn reference(
    connection: &Connection,
    what: &'static str,
    sentence: &str,
    sql: &str,
) -> rusqlite::Result<Finding> {
    let missing: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(match missing {
        0 => Finding::ok(what, "everything that is named is there".to_owned()),
        missing => Finding::wrong(what, format!("{missing} {sentence}"), LOST),
    })
}

fn counts(connection: &Connection) -> rusqlite::Result<Finding> {
    let numbers = |row: &rusqlite::Row| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let (closed, more, fewer): (i64, i64, i64) = connection.query_row(COUNTS, [], numbers)?;
    if more > 0 {
        let found = format!("{more} of {closed} closed crawls have more records than they counted");
        return Ok(Finding::wrong(
            "counts",
            found,
            "the figures of these crawls are too low; their pages are right",
        ));
    }
    let fewer =
        if fewer > 0 { format!("; {fewer} were thinned out by `recrawl prune`") } else { String::new() };
    Ok(Finding::ok("counts", format!("{closed} closed crawls agree with their figures{fewer}")))
}

fn space(connection: &Connection) -> rusqlite::Result<Finding> {
    let sql = "SELECT p.page_count * s.page_size, f.freelist_count * s.page_size
        FROM pragma_page_count() AS p, pragma_freelist_count() AS f, pragma_page_size() AS s";
    let (all, free): (i64, i64) = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let hint = if free > all / 4 { "; `recrawl prune` gives it back" } else { "" };
    Ok(Finding::ok("space", format!("{free} of {all} bytes are free inside the file{hint}")))
}
