//! Bringing the index up to date.

use std::hash::{BuildHasher, RandomState};

use recrawl_core::model::ids::{SemanticHash, SiteId};
use recrawl_core::ports::{Recorded, StoreError};
use recrawl_core::search::{address_words, word_list};
use recrawl_core::words::short_title;
use rusqlite::{Connection, OptionalExtension};

use super::gap::{Gap, Version};
use crate::contents::read_text;
use crate::records::row::read_url;
use crate::store::SqliteStore;
use crate::writer::{Command, IndexedPage, IndexedPages};

/// How many pages one transaction adds, so that nobody waits for long.
const CHUNK: usize = 64;

/// A transaction is also full when it has this many bytes of words.
const CHUNK_BYTES: usize = 1 << 20;

/// Longer texts are compared by their beginning alone.
const LONGEST_TEXT: usize = 1 << 20;

impl SqliteStore {
    /// Adds at most `limit` pages to the index, and removes those that are not there any more.
    ///
    /// Whoever begins later takes over: it sees what the earlier one has written, and that one stops. So nobody
    /// writes an older version over a newer one.
    pub(crate) async fn bring_up_to_date(
        &self,
        site: Option<&SiteId>,
        limit: usize,
    ) -> Result<(), StoreError> {
        let mut left = limit;
        for (key, site) in self.read(|connection| self.searched(connection, site))? {
            let read_gap =
                || self.read(|connection| self.read_gap(&connection.unchecked_transaction()?, key, &site));
            if read_gap()?.is_closed {
                continue;
            }
            let pass = RandomState::new().hash_one(key).cast_signed();
            self.write(Command::BeginIndexing { site: key, pass }).await?;
            let gap = read_gap()?;
            left -= self.close_gap(gap, pass, left).await?;
        }
        Ok(())
    }

    /// Writes what is missing, chunk by chunk, at most `limit` pages; returns how many.
    async fn close_gap(&self, gap: Gap, pass: i64, limit: usize) -> Result<usize, StoreError> {
        let Gap { site, state, missing, mut surplus, .. } = gap;
        let now = &missing[..missing.len().min(limit)];
        let mut done = 0;
        loop {
            let pages = self.read(|connection| read_chunk(connection, &now[done..]))?;
            done += pages.len();
            let is_complete = done == missing.len();
            let chunk = IndexedPages {
                site,
                pass,
                surplus: std::mem::take(&mut surplus),
                pages,
                state: is_complete.then(|| state.clone()),
            };
            let was_ours = self.write(Command::Index(Box::new(chunk))).await? == Recorded::First;
            if !was_ours || done == now.len() {
                return Ok(done);
            }
        }
    }
}

/// Takes the words of the first pages, as many as one transaction shall add.
fn read_chunk(connection: &Connection, missing: &[Version]) -> rusqlite::Result<Vec<IndexedPage>> {
    let mut pages = Vec::new();
    let mut bytes = 0;
    for version in missing.iter().take(CHUNK) {
        let page = read_words(connection, *version)?;
        bytes += page.bytes();
        pages.push(page);
        if bytes >= CHUNK_BYTES {
            break;
        }
    }
    Ok(pages)
}

fn read_words(connection: &Connection, version: Version) -> rusqlite::Result<IndexedPage> {
    let mut select = connection.prepare_cached("SELECT url FROM url WHERE id = ?1")?;
    let address = select.query_row([version.page], |row| read_url(row, 0))?;
    let title = read_title(connection, version)?.unwrap_or_default();
    let text = read_text_of(connection, version)?.unwrap_or_default();
    let beginning = &text[..text.floor_char_boundary(LONGEST_TEXT)];
    Ok(IndexedPage {
        version,
        title: word_list(&title),
        address: word_list(&address_words(&address)),
        text: word_list(beginning),
    })
}

/// Returns the title of a version, if its content is stored and has one.
pub(crate) fn read_title(connection: &Connection, version: Version) -> rusqlite::Result<Option<String>> {
    let Some(content) = version.content else { return Ok(None) };
    let mut select = connection.prepare_cached("SELECT title FROM content WHERE hash = ?1")?;
    let title: Option<String> = select.query_row([content], |row| row.get(0)).optional()?.flatten();
    Ok(title.map(short_title))
}

/// Returns the text of a version, if it is stored.
pub(crate) fn read_text_of(connection: &Connection, version: Version) -> rusqlite::Result<Option<String>> {
    match version.semantic {
        Some(semantic) => read_text(connection, &SemanticHash::from(semantic)),
        None => Ok(None),
    }
}
