//! The condition of `CRAWL ... WHERE`: what it says of addresses is asked before a page is, the rest before its row is
//! kept.

use std::sync::{Mutex, PoisonError};

use recrawl_core::url::PageUrl;
use recrawl_stores::file::Guarded;
use recrawl_supervisor::usage;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::row::COLUMNS;
use crate::tokens::{Token, tokens};

/// What is known before a page is asked for.
const EARLY: [&str; 2] = ["url", "domain"];

/// A condition, in two parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Condition {
    /// Of addresses alone.
    early: Vec<String>,
    /// Of anything else.
    late: Vec<String>,
}

impl Condition {
    /// Takes a condition apart, and checks it; `url_filter` is another pattern for addresses.
    pub(crate) fn read(
        connection: &Connection,
        text: Option<&str>,
        url_filter: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut condition = Self::default();
        if let Some(pattern) = url_filter {
            condition.early.push(format!("url LIKE '{}'", pattern.replace('\'', "''")));
        }
        for part in text.map(parts).transpose()?.unwrap_or_default() {
            let all: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
            if connection.prepare(&sql(&EARLY, std::slice::from_ref(&part))).is_ok() {
                condition.early.push(part);
                continue;
            }
            match connection.prepare(&sql(&all, std::slice::from_ref(&part))) {
                Ok(statement) if statement.readonly() => condition.late.push(part),
                Ok(_) => return Err(usage("WHERE can only read")),
                Err(error) => {
                    return Err(usage(format!("WHERE {part}: {}", crate::session::sentence(&error))));
                }
            }
        }
        Ok(condition)
    }

    /// Tells whether rows must be looked at.
    pub(crate) fn looks_at_rows(&self) -> bool {
        !self.late.is_empty()
    }

    /// Tells whether a row with these values, in the order of [`COLUMNS`], is kept.
    pub(crate) fn keeps(&self, connection: &Connection, values: Vec<Value>) -> rusqlite::Result<bool> {
        let all: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        let mut statement = connection.prepare_cached(&sql(&all, &self.late))?;
        statement.exists(params_from_iter(values))
    }

    /// Returns what asks about addresses, over a connection of its own, as pages are chosen by tasks.
    pub(crate) fn filter(&self, guarded: Guarded) -> AddressFilter {
        AddressFilter {
            sql: (!self.early.is_empty()).then(|| sql(&EARLY, &self.early)),
            guarded: Mutex::new(guarded),
        }
    }
}

/// Tells which addresses a condition admits.
pub(crate) struct AddressFilter {
    sql: Option<String>,
    guarded: Mutex<Guarded>,
}

impl AddressFilter {
    /// Tells whether an address, as it was given, is admitted.
    pub(crate) fn admits(&self, given: &str, page: &PageUrl) -> rusqlite::Result<bool> {
        let Some(sql) = &self.sql else { return Ok(true) };
        let guarded = self.guarded.lock().unwrap_or_else(PoisonError::into_inner);
        let mut statement = guarded.connection.prepare_cached(sql)?;
        statement.exists([given, page.host()])
    }
}

/// Returns a query that answers a row if the conditions hold of these columns.
fn sql(columns: &[&str], conditions: &[String]) -> String {
    let columns: Vec<String> =
        columns.iter().enumerate().map(|(place, name)| format!("?{} AS {name}", place + 1)).collect();
    let conditions: Vec<String> = conditions.iter().map(|condition| format!("({condition}\n)")).collect();
    format!("SELECT 1 FROM (SELECT {}) WHERE {}", columns.join(", "), conditions.join(" AND "))
}

/// Takes a condition apart at each AND that stands outside of brackets and belongs to no BETWEEN.
fn parts(text: &str) -> anyhow::Result<Vec<String>> {
    let tokens = tokens(text)?;
    let is_or = |token: &Token<'_>| token.is("OR") || token.is("CASE");
    let (mut parts, mut begin, mut open, mut between) = (Vec::new(), 0, 0_usize, 0_usize);
    if tokens.iter().any(is_or) {
        return Ok(vec![text.to_owned()]);
    }
    for token in &tokens {
        match token.text {
            "(" => open += 1,
            ")" => open = open.saturating_sub(1),
            _ if open > 0 => {}
            _ if token.is("BETWEEN") => between += 1,
            _ if token.is("AND") && between > 0 => between -= 1,
            _ if token.is("AND") => {
                parts.push(text[begin..token.start].trim().to_owned());
                begin = token.end();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim().to_owned());
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_addresses_is_asked_early() {
        let connection = Connection::open_in_memory().unwrap();
        let read = |text: &str| Condition::read(&connection, Some(text), None).unwrap();
        let of = |early: &[&str], late: &[&str]| Condition {
            early: early.iter().map(ToString::to_string).collect(),
            late: late.iter().map(ToString::to_string).collect(),
        };
        for (text, expected) in [
            ("url LIKE '%/product/%'", of(&["url LIKE '%/product/%'"], &[])),
            ("url LIKE 'a%' AND http_status = 200", of(&["url LIKE 'a%'"], &["http_status = 200"])),
            (
                "length(url) BETWEEN 5 AND 9 AND domain = 'h'",
                of(&["length(url) BETWEEN 5 AND 9", "domain = 'h'"], &[]),
            ),
            ("(url = 'a' AND title IS NULL)", of(&[], &["(url = 'a' AND title IS NULL)"])),
            ("url = 'a' OR http_status = 1", of(&[], &["url = 'a' OR http_status = 1"])),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        let error = Condition::read(&connection, Some("colour = 1"), None).unwrap_err();
        assert_eq!(error.to_string(), "WHERE colour = 1: no such column: colour");
    }
}
