//! What of a content is stored already, and the compression of the rest.

use std::time::Instant;

use recrawl_core::model::content::{Content, Extracted};
use recrawl_core::model::outline::Outline;
use rusqlite::Connection;
use xxhash_rust::xxh3::xxh3_64;

use crate::compression::{CompressionEffort, compress};
use crate::contents::frames::BORDER;
use crate::error::unreadable;
use crate::writer::NewContent;

const IS_STORED: &str = "SELECT EXISTS (SELECT 1 FROM content WHERE hash = ?1),
    EXISTS (SELECT 1 FROM content AS k JOIN body AS b ON b.content = k.id WHERE k.hash = ?1),
    EXISTS (SELECT 1 FROM text WHERE semantic = ?2)
        OR EXISTS (SELECT 1 FROM content AS k JOIN body AS b ON b.content = k.id WHERE k.semantic = ?2),
    (SELECT outline FROM content WHERE hash = ?1)";

/// What of a content is stored.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stored {
    itself: bool,
    body: bool,
    text: bool,
    /// The fingerprint of its outline.
    outline: Option<i64>,
}

impl Stored {
    pub(crate) fn find(connection: &Connection, content: &Content) -> rusqlite::Result<Self> {
        let mut select = connection.prepare_cached(IS_STORED)?;
        let names = (content.hash.as_bytes(), content.extracted.semantic.as_bytes());
        select.query_row(names, |row| {
            Ok(Self { itself: row.get(0)?, body: row.get(1)?, text: row.get(2)?, outline: row.get(3)? })
        })
    }
}

/// Compresses what of `content` is not stored yet; `None` if all of it is.
pub(crate) fn prepare(
    stored: Stored,
    content: &Content,
    haste: &CompressionEffort,
) -> rusqlite::Result<Option<Box<NewContent>>> {
    let extracted = &content.extracted;
    let body = content.body.as_deref().filter(|_| !stored.body);
    let text = Some(extracted.text.as_bytes()).filter(|text| !text.is_empty() && !stored.text);
    let outline = extracted.outline.as_ref().map(Outline::encode);
    let outline = outline.map(|outline| (xxh3_64(outline.as_bytes()).cast_signed(), outline));
    let outline = outline.filter(|(fingerprint, _)| Some(*fingerprint) != stored.outline);
    let fingerprint = outline.as_ref().map(|(fingerprint, _)| *fingerprint);
    let outline = outline.as_ref().map(|(_, outline)| outline.as_bytes());
    if stored.itself && body.is_none() && text.is_none() && outline.is_none() {
        return Ok(None);
    }
    let effort = haste.effort(Instant::now());
    let compress = |parts: &[&[u8]]| compress(parts, effort).map_err(unreadable);
    let mut new = NewContent {
        text: None,
        body: None,
        outline: None,
        outline_fingerprint: fingerprint,
        rest_is_behind: false,
        content: without_frames(content),
    };
    match body {
        // Text and outline of a page are found again in its body, so that behind it, they cost next to nothing.
        Some(body) if !stored.itself && (text.is_some() || outline.is_some()) => {
            let text = text.unwrap_or_default();
            new.body = Some(match outline {
                Some(outline) => compress(&[body, text, &[BORDER], outline])?,
                None => compress(&[body, text])?,
            });
            new.rest_is_behind = true;
        }
        body => {
            let apart = |part: Option<&[u8]>| part.map(|part| compress(&[part])).transpose();
            (new.body, new.text, new.outline) = (apart(body)?, apart(text)?, apart(outline)?);
        }
    }
    Ok(Some(Box::new(new)))
}

fn without_frames(content: &Content) -> Content {
    let extracted = &content.extracted;
    Content {
        hash: content.hash,
        size: content.size,
        media_type: content.media_type.clone(),
        extracted: Extracted {
            semantic: extracted.semantic,
            rules: extracted.rules.clone(),
            signatures: extracted.signatures,
            title: extracted.title.clone(),
            language: extracted.language.clone(),
            canonical: extracted.canonical.clone(),
            links: extracted.links.clone(),
            text: String::new(),
            outline: None,
            directives: extracted.directives,
            block_page: None,
            needs_scripts: false,
            breaks_off: false,
            cut: None,
            document: None,
        },
        body: None,
    }
}
