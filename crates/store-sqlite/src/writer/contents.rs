//! Writing contents.

use rusqlite::{Connection, OptionalExtension, params};

use super::NewContent;
use super::intern::Interner;
use super::records::integer;
use crate::codes;
use crate::compression::{Effort, compress, decompress};
use crate::contents::split;
use crate::error::unreadable;
use crate::url_ids;

const INSERT: &str = "INSERT INTO content (
        hash, size, media_type, semantic, rules, title, language, canonical, noindex, nofollow, links,
        link_signature, media_signature
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Writes a content, or what a stored one lacks: its body, and the text of another meaning.
pub(super) fn insert(
    connection: &Connection,
    interner: &mut Interner,
    new: &NewContent,
) -> rusqlite::Result<()> {
    let hash = new.content.hash.as_bytes();
    let mut select = connection.prepare_cached("SELECT id FROM content WHERE hash = ?1")?;
    match select.query_row([hash], |row| row.get(0)).optional()? {
        Some(stored) if new.text_is_behind => insert_apart(connection, stored, new),
        Some(stored) => insert_frames(connection, stored, new, new.body.as_deref(), new.text.as_deref()),
        None => {
            let id = insert_row(connection, interner, new)?;
            insert_frames(connection, id, new, new.body.as_deref(), new.text.as_deref())
        }
    }
}

fn insert_frames(
    connection: &Connection,
    id: i64,
    new: &NewContent,
    body: Option<&[u8]>,
    text: Option<&[u8]>,
) -> rusqlite::Result<()> {
    if let Some(body) = body {
        let mut insert = connection
            .prepare_cached("INSERT INTO body (content, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        insert.execute(params![id, body])?;
    }
    if let Some(text) = text {
        let mut insert = connection
            .prepare_cached("INSERT INTO text (semantic, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        insert.execute(params![new.content.extracted.semantic.as_bytes(), text])?;
    }
    Ok(())
}

/// Writes what a content lacks that was taken for a new one: the text behind a body is that of the
/// content's first meaning, so another one must stand elsewhere.
fn insert_apart(connection: &Connection, id: i64, new: &NewContent) -> rusqlite::Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM body WHERE content = ?1)
        AND EXISTS (SELECT 1 FROM content WHERE id = ?1 AND semantic = ?2)";
    let semantic = new.content.extracted.semantic.as_bytes();
    let has_all: bool = connection.prepare_cached(sql)?.query_row(params![id, semantic], |row| row.get(0))?;
    let Some(frame) = new.body.as_ref().filter(|_| !has_all) else {
        return Ok(());
    };
    let (body, text) = split(decompress(frame).map_err(unreadable)?, new.content.size)?;
    let compress = |part: &[u8]| compress(&[part], Effort::Swift).map_err(unreadable);
    let [body, text] = [compress(&body)?, compress(&text)?];
    insert_frames(connection, id, new, Some(&body), Some(&text))
}

fn insert_row(connection: &Connection, interner: &mut Interner, new: &NewContent) -> rusqlite::Result<i64> {
    let content = &new.content;
    let extracted = &content.extracted;
    let rules = interner.word(connection, &extracted.rules.0)?;
    let canonical = extracted.canonical.as_ref().map(|url| interner.url(connection, url)).transpose()?;
    let links = extracted.links.iter().map(|link| interner.url(connection, link));
    let links = url_ids::to_json(&links.collect::<rusqlite::Result<Vec<_>>>()?);
    let [link_signature, media_signature] = codes::of_signatures(extracted.signatures);
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
        link_signature,
        media_signature,
    ])
}
