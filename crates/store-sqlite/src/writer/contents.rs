//! Writing contents.

use rusqlite::{Connection, OptionalExtension, params};

use super::NewContent;
use super::intern::Interner;
use super::records::integer;
use crate::codes;
use crate::compression::{Effort, compress, decompress};
use crate::contents::frames::{Rest, split};
use crate::error::unreadable;
use crate::url_ids;

const INSERT: &str = "INSERT INTO content (
        hash, size, media_type, semantic, rules, title, language, canonical, noindex, nofollow, links,
        link_signature, media_signature, meta_signature, outline
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

/// What is written beside the row of a content, compressed.
#[derive(Default)]
struct Frames<'a> {
    body: Option<&'a [u8]>,
    text: Option<&'a [u8]>,
    outline: Option<&'a [u8]>,
}

/// A content that is stored.
struct Known {
    id: i64,
    /// The fingerprint of its outline.
    outline: Option<i64>,
}

/// Writes a content, or what a stored one lacks: its body, the text of another meaning, another outline.
pub(super) fn insert(
    connection: &Connection,
    interner: &mut Interner,
    new: &NewContent,
) -> rusqlite::Result<()> {
    let hash = new.content.hash.as_bytes();
    let mut select = connection.prepare_cached("SELECT id, outline FROM content WHERE hash = ?1")?;
    let known = |row: &rusqlite::Row| Ok(Known { id: row.get(0)?, outline: row.get(1)? });
    let (body, text, outline) = (new.body.as_deref(), new.text.as_deref(), new.outline.as_deref());
    match select.query_row([hash], known).optional()? {
        Some(known) if new.rest_is_behind => insert_apart(connection, &known, new),
        Some(known) => {
            let outline = outline.filter(|_| is_another(&known, new));
            insert_frames(connection, known.id, new, &Frames { body, text, outline })?;
            note_outline(connection, &known, new)
        }
        None => {
            let id = insert_row(connection, interner, new)?;
            insert_frames(connection, id, new, &Frames { body, text, outline })
        }
    }
}

fn insert_frames(
    connection: &Connection,
    id: i64,
    new: &NewContent,
    frames: &Frames,
) -> rusqlite::Result<()> {
    if let Some(body) = frames.body {
        let mut insert = connection
            .prepare_cached("INSERT INTO body (content, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        insert.execute(params![id, body])?;
    }
    if let Some(text) = frames.text {
        let mut insert = connection
            .prepare_cached("INSERT INTO text (semantic, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        insert.execute(params![new.content.extracted.semantic.as_bytes(), text])?;
    }
    if let Some(outline) = frames.outline {
        let sql = "INSERT INTO outline (content, outline) VALUES (?1, ?2)
            ON CONFLICT (content) DO UPDATE SET outline = excluded.outline";
        connection.prepare_cached(sql)?.execute(params![id, outline])?;
    }
    Ok(())
}

/// Tells whether an outline comes that is not the stored one.
fn is_another(known: &Known, new: &NewContent) -> bool {
    new.outline_fingerprint.is_some() && new.outline_fingerprint != known.outline
}

fn note_outline(connection: &Connection, known: &Known, new: &NewContent) -> rusqlite::Result<()> {
    if is_another(known, new) {
        let mut update = connection.prepare_cached("UPDATE content SET outline = ?2 WHERE id = ?1")?;
        update.execute(params![known.id, new.outline_fingerprint])?;
    }
    Ok(())
}

/// Writes what a content lacks that was taken for a new one: what stands behind a body is the text of the content's first
/// meaning and its first outline, so others must stand elsewhere.
fn insert_apart(connection: &Connection, known: &Known, new: &NewContent) -> rusqlite::Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM body WHERE content = ?1)
        AND EXISTS (SELECT 1 FROM content WHERE id = ?1 AND semantic = ?2)";
    let semantic = new.content.extracted.semantic.as_bytes();
    let has_all: bool =
        connection.prepare_cached(sql)?.query_row(params![known.id, semantic], |row| row.get(0))?;
    let Some(frame) = new.body.as_ref().filter(|_| !has_all || is_another(known, new)) else {
        return Ok(());
    };
    let (body, Rest { text, outline }) = split(decompress(frame).map_err(unreadable)?, new.content.size)?;
    let compress = |part: &[u8]| compress(&[part], Effort::Swift).map_err(unreadable);
    let apart = |part: Option<Vec<u8>>| part.map(|part| compress(&part)).transpose();
    let body = apart(Some(body).filter(|_| !has_all))?;
    let text = apart(text.filter(|_| !has_all))?;
    let outline = apart(outline.filter(|_| is_another(known, new)))?;
    let frames = Frames { body: body.as_deref(), text: text.as_deref(), outline: outline.as_deref() };
    insert_frames(connection, known.id, new, &frames)?;
    note_outline(connection, known, new)
}

fn insert_row(connection: &Connection, interner: &mut Interner, new: &NewContent) -> rusqlite::Result<i64> {
    let content = &new.content;
    let extracted = &content.extracted;
    let rules = interner.word(connection, &extracted.rules.0)?;
    let canonical = extracted.canonical.as_ref().map(|url| interner.url(connection, url)).transpose()?;
    let links = extracted.links.iter().map(|link| interner.url(connection, link));
    let links = url_ids::to_json(&links.collect::<rusqlite::Result<Vec<_>>>()?);
    let [link_signature, media_signature, meta_signature] = codes::of_signatures(extracted.signatures);
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
        meta_signature,
        new.outline_fingerprint,
    ])
}
