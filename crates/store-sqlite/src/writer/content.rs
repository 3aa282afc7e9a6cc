//! Writing contents.

use std::fmt::Write;

use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension, params};

use super::NewContent;
use super::intern::Interner;
use super::visit::integer;

const INSERT: &str = "INSERT INTO content (
        hash, size, media_type, semantic, rules, title, language, canonical, noindex, nofollow, links
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Writes a content, or what a stored one lacks: its body, and the text of another meaning.
pub(super) fn insert(
    connection: &Connection,
    interner: &mut Interner,
    new: &NewContent,
) -> rusqlite::Result<()> {
    let hash = new.content.hash.as_bytes();
    let mut select = connection.prepare_cached("SELECT id FROM content WHERE hash = ?1")?;
    let id = match select.query_row([hash], |row| row.get(0)).optional()? {
        Some(stored) => stored,
        None => insert_row(connection, interner, new)?,
    };
    if let Some(body) = &new.body {
        let mut insert = connection
            .prepare_cached("INSERT INTO body (content, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        insert.execute(params![id, body])?;
    }
    if let Some(text) = &new.text {
        let mut insert = connection
            .prepare_cached("INSERT INTO text (semantic, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        insert.execute(params![new.content.extracted.semantic.as_bytes(), text])?;
    }
    Ok(())
}

fn insert_row(connection: &Connection, interner: &mut Interner, new: &NewContent) -> rusqlite::Result<i64> {
    let content = &new.content;
    let extracted = &content.extracted;
    let rules = interner.word(connection, &extracted.rules.0)?;
    let canonical = extracted.canonical.as_ref().map(|url| interner.url(connection, url)).transpose()?;
    let links = link_ids(connection, interner, &extracted.links)?;
    connection.prepare_cached(INSERT)?.insert(params![
        content.hash.as_bytes(),
        integer(content.size),
        content.media_type,
        extracted.semantic.as_bytes(),
        rules,
        extracted.title,
        extracted.language,
        canonical,
        extracted.directives.noindex,
        extracted.directives.nofollow,
        links,
    ])
}

/// Returns the links as a JSON array of numbers.
fn link_ids(connection: &Connection, interner: &mut Interner, links: &[PageUrl]) -> rusqlite::Result<String> {
    let mut json = String::with_capacity(8 * links.len() + 2);
    json.push('[');
    for link in links {
        if json.len() > 1 {
            json.push(',');
        }
        let id = interner.url(connection, link)?;
        // Writing to a string cannot fail.
        let _ = write!(json, "{id}");
    }
    json.push(']');
    Ok(json)
}
