//! The table that a statement crawls into: one that the person made, or one that is made.

use jiff::Timestamp;
use recrawl_core::url::PageUrl;
use recrawl_stores::file::Guarded;
use recrawl_supervisor::usage;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use crate::content::Contents;
use crate::row::{COLUMNS, Row};

/// The table that rows go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its name, as it stands in SQL.
    name: String,
    /// Those of our columns that it has.
    columns: Vec<&'static str>,
    /// A row with a known address replaces the one that is there.
    is_keyed: bool,
    is_there: bool,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    /// It is new.
    Inserted,
    /// It took the place of the one that was there.
    Updated,
}

/// Returns a name as it stands in SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Target {
    /// Looks at the table of this name; nothing is changed.
    pub(crate) fn look(guarded: &Guarded, name: &str) -> anyhow::Result<Self> {
        if guarded.is_ours(name) || name.starts_with("sqlite_") {
            return Err(usage(format!(
                "{name}: tables and views of crawls can be read, and not changed: name another table"
            )));
        }
        let connection = &guarded.connection;
        let kind: Option<String> = connection
            .query_row("SELECT type FROM pragma_table_list WHERE name = ?1 COLLATE NOCASE", [name], |row| {
                row.get(0)
            })
            .optional()?;
        let quoted = quoted(name);
        match kind.as_deref() {
            None => {
                let columns = COLUMNS.iter().map(|(name, _)| *name).collect();
                Ok(Self { name: quoted, columns, is_keyed: true, is_there: false })
            }
            Some("table") => Self::of_table(connection, name, quoted),
            Some(other) => Err(usage(format!("{name} is a {other} and not a table: name another"))),
        }
    }

    fn of_table(connection: &Connection, name: &str, quoted: String) -> anyhow::Result<Self> {
        let mut statement = connection.prepare(
            "SELECT name, \"notnull\" AND dflt_value IS NULL AND pk = 0, hidden FROM pragma_table_xinfo(?1)",
        )?;
        let mut columns = Vec::new();
        let rows = statement.query_map([name], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?, row.get::<_, i64>(2)?))
        })?;
        for row in rows {
            let (column, must_be_given, hidden) = row?;
            let ours = COLUMNS.iter().find(|(ours, _)| ours.eq_ignore_ascii_case(&column));
            match ours.filter(|_| hidden == 0) {
                Some((ours, _)) => columns.push(*ours),
                None if must_be_given && hidden == 0 => {
                    return Err(usage(format!(
                        "{name} needs a value of {column} in every row, and a crawl has none: give it a default"
                    )));
                }
                None => {}
            }
        }
        if columns.is_empty() {
            let ours: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
            return Err(usage(format!(
                "{name} has none of the columns that a crawl fills: {}",
                ours.join(", ")
            )));
        }
        let is_keyed = columns.contains(&"url") && is_unique(connection, name)?;
        Ok(Self { name: quoted, columns, is_keyed, is_there: true })
    }

    /// Makes the table, if it is not there.
    pub(crate) fn make(&self, connection: &Connection) -> rusqlite::Result<()> {
        if self.is_there {
            return Ok(());
        }
        let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
        connection.execute_batch(&format!("CREATE TABLE {} ({})", self.name, columns.join(", ")))
    }

    /// Returns the pages that have a row, and when they were crawled last, if the table says that.
    pub(crate) fn known(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<Vec<(PageUrl, Option<Timestamp>)>> {
        if !self.is_there || !self.columns.contains(&"url") {
            return Ok(Vec::new());
        }
        let when = if self.columns.contains(&"crawled_at") { "max(crawled_at)" } else { "NULL" };
        let mut statement = connection
            .prepare(&format!("SELECT url, {when} FROM {} WHERE url IS NOT NULL GROUP BY url", self.name))?;
        let rows = statement.query_map([], |row| {
            let (url, when): (String, Value) = (row.get(0)?, row.get(1)?);
            let when = match when {
                Value::Text(text) => time(&text),
                Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) => None,
            };
            Ok(recrawl_settings::page(&url).ok().map(|page| (page, when)))
        })?;
        rows.filter_map(Result::transpose).collect()
    }

    /// Writes a row.
    pub(crate) fn put(&self, connection: &Connection, row: &Row, contents: &Contents) -> anyhow::Result<Put> {
        let values = values(row, &self.columns, contents)?;
        let was_there = self.is_keyed && {
            let mut statement =
                connection.prepare_cached(&format!("SELECT 1 FROM {} WHERE url = ?1", self.name))?;
            statement.exists([&row.url])?
        };
        let mut statement = connection.prepare_cached(&self.sql())?;
        statement.execute(params_from_iter(values))?;
        Ok(if was_there { Put::Updated } else { Put::Inserted })
    }

    fn sql(&self) -> String {
        let places: Vec<String> = (1..=self.columns.len()).map(|number| format!("?{number}")).collect();
        let insert =
            format!("INSERT INTO {} ({}) VALUES ({})", self.name, self.columns.join(", "), places.join(", "));
        if !self.is_keyed {
            return insert;
        }
        let others: Vec<String> = self
            .columns
            .iter()
            .filter(|column| **column != "url")
            .map(|column| format!("{column} = excluded.{column}"))
            .collect();
        if others.is_empty() {
            format!("{insert} ON CONFLICT (url) DO NOTHING")
        } else {
            format!("{insert} ON CONFLICT (url) DO UPDATE SET {}", others.join(", "))
        }
    }
}

/// Returns the values of these columns of a row.
pub(crate) fn values(row: &Row, columns: &[&str], contents: &Contents) -> anyhow::Result<Vec<Value>> {
    let value = |column: &&str| match row.value(column) {
        Some(value) => Ok(value),
        None => contents.column(column, row.content(), row.content_type()),
    };
    columns.iter().map(value).collect()
}

/// Tells whether no two rows of a table can have the same address.
fn is_unique(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let by_key =
        "SELECT count(*) = 1 AND max(name) = 'url' COLLATE NOCASE FROM pragma_table_info(?1) WHERE pk > 0";
    let by_index = "SELECT EXISTS (
        SELECT 1 FROM pragma_index_list(?1) AS l WHERE l.\"unique\" AND NOT l.partial AND (
            SELECT count(*) = 1 AND max(i.name) = 'url' COLLATE NOCASE FROM pragma_index_info(l.name) AS i
        )
    )";
    for sql in [by_key, by_index] {
        if connection.query_row(sql, [name], |row| row.get::<_, Option<bool>>(0))?.unwrap_or(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads a time as SQLite and people write it.
fn time(text: &str) -> Option<Timestamp> {
    let as_written = text.trim().parse().ok();
    as_written.or_else(|| format!("{}Z", text.trim().replace(' ', "T")).parse().ok())
}
