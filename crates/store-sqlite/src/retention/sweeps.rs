//! What goes when nothing names it any more.

use rusqlite::{Connection, Rows, Statement};

/// The rows of a table that can become unnamed: how they are found, and how they are deleted.
///
/// They are found by a reader, which may take its time, and deleted by the writer, which looks once more
/// among the rows that were written in between.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// Lists all rows that nothing names.
    pub(crate) unnamed: &'static str,
    /// Lists the rows that are named by what was written since, see [`Since`].
    pub(crate) named_since: &'static str,
    /// Delete a row, together.
    pub(crate) delete: &'static [&'static str],
}

/// Contents that no visit names. One with a body stays as long as its meaning is named: its body, and the
/// text behind it, stand in for others that say the same.
pub(crate) static CONTENTS: Sweep = Sweep {
    unnamed: "SELECT k.id FROM content AS k
        WHERE k.hash NOT IN (SELECT content FROM visit WHERE content IS NOT NULL)
            AND NOT (
                EXISTS (SELECT 1 FROM body AS b WHERE b.content = k.id)
                AND k.semantic IN (SELECT semantic FROM visit WHERE semantic IS NOT NULL)
            )",
    named_since: "SELECT k.id FROM visit AS v JOIN content AS k ON k.hash = v.content WHERE v.id > :visit
        UNION ALL
        SELECT k.id FROM visit AS v JOIN content AS k ON k.semantic = v.semantic WHERE v.id > :visit",
    delete: &[
        "DELETE FROM body WHERE content = ?1",
        "DELETE FROM outline WHERE content = ?1",
        "DELETE FROM content WHERE id = ?1",
    ],
};

/// What goes once no content is unnamed, in this order.
pub(crate) static REST: [&Sweep; 3] = [&TEXTS, &URLS, &WORDS];

static TEXTS: Sweep = Sweep {
    unnamed: "SELECT id FROM text
        WHERE semantic NOT IN (SELECT semantic FROM visit WHERE semantic IS NOT NULL)
            AND semantic NOT IN (SELECT semantic FROM content)",
    named_since: "SELECT t.id FROM visit AS v JOIN text AS t ON t.semantic = v.semantic WHERE v.id > :visit
        UNION ALL
        SELECT t.id FROM content AS k JOIN text AS t ON t.semantic = k.semantic WHERE k.id > :content",
    delete: &["DELETE FROM text WHERE id = ?1"],
};

/// The last one stays in any case: a number that was used again would be taken for the old address by those
/// who remember it.
static URLS: Sweep = Sweep {
    unnamed: "SELECT id FROM url WHERE id < (SELECT max(id) FROM url) AND id NOT IN (
            SELECT page FROM visit
            UNION ALL SELECT referrer FROM visit WHERE referrer IS NOT NULL
            UNION ALL SELECT canonical FROM content WHERE canonical IS NOT NULL
            UNION ALL SELECT l.value FROM content AS k, json_each(k.links) AS l
            UNION ALL SELECT l.value FROM frontier AS f, json_each(f.pages) AS l
            UNION ALL SELECT referrer FROM frontier WHERE referrer IS NOT NULL
            UNION ALL SELECT page FROM announcement
            UNION ALL SELECT page FROM archive_request
        )",
    named_since: "SELECT page FROM visit WHERE id > :visit
        UNION ALL SELECT referrer FROM visit WHERE referrer IS NOT NULL AND id > :visit
        UNION ALL SELECT canonical FROM content WHERE canonical IS NOT NULL AND id > :content
        UNION ALL SELECT l.value FROM content AS k, json_each(k.links) AS l WHERE k.id > :content
        UNION ALL SELECT l.value FROM frontier AS f, json_each(f.pages) AS l WHERE f.id > :frontier
        UNION ALL SELECT referrer FROM frontier WHERE referrer IS NOT NULL AND id > :frontier
        UNION ALL SELECT page FROM announcement WHERE id > :announcement
        UNION ALL SELECT page FROM archive_request WHERE id > :archive_request",
    delete: &["DELETE FROM url WHERE id = ?1"],
};

static WORDS: Sweep = Sweep {
    unnamed: "SELECT id FROM word WHERE id NOT IN (
            SELECT content_type FROM visit WHERE content_type IS NOT NULL
            UNION ALL SELECT rules FROM visit WHERE rules IS NOT NULL
            UNION ALL SELECT rules FROM content
        )",
    named_since: "SELECT content_type FROM visit WHERE content_type IS NOT NULL AND id > :visit
        UNION ALL SELECT rules FROM visit WHERE rules IS NOT NULL AND id > :visit
        UNION ALL SELECT rules FROM content WHERE id > :content",
    delete: &["DELETE FROM word WHERE id = ?1"],
};

/// A moment, as the last row of each table that names others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since {
    visit: i64,
    content: i64,
    frontier: i64,
    announcement: i64,
    archive_request: i64,
}

impl Since {
    /// Returns the moment of a connection's view.
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let last = |table: &str| {
            let sql = format!("SELECT coalesce(max(id), 0) FROM {table}");
            connection.query_row(&sql, [], |row| row.get(0))
        };
        Ok(Self {
            visit: last("visit")?,
            content: last("content")?,
            frontier: last("frontier")?,
            announcement: last("announcement")?,
            archive_request: last("archive_request")?,
        })
    }

    /// Runs a statement that names any of the moment's rows as parameters.
    pub(crate) fn query<'s>(&self, statement: &'s mut Statement) -> rusqlite::Result<Rows<'s>> {
        let rows = [
            (":visit", self.visit),
            (":content", self.content),
            (":frontier", self.frontier),
            (":announcement", self.announcement),
            (":archive_request", self.archive_request),
        ];
        for (name, row) in rows {
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, row)?;
            }
        }
        Ok(statement.raw_query())
    }
}
