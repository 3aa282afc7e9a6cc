//! What pages said: links, texts and bodies, read and prepared for the writer (content-addressed, so deduplicated).

pub(crate) mod frames;
pub(crate) mod preparing;

use std::collections::HashMap;

use async_trait::async_trait;
use recrawl_core::model::content::{Content, Directives, Extracted, Reading};
use recrawl_core::model::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use recrawl_core::model::record::ContentRef;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::words::short_title;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::cache::url_id_set::UrlIdSet;
use crate::codes;
use crate::contents::frames::{Rest, outline_of, read_frame, split, text_of};
use crate::contents::preparing::Stored;
use crate::error::store_error;
use crate::keys::CrawlKey;
use crate::queue::pending_queue::read_queued;
use crate::records::row::{parse_url, read_count, read_url};
use crate::store::{SqliteStore, lock};
use crate::url_ids;

const CONTENT: &str = "SELECT k.size, k.media_type, k.semantic, w.word, k.title, k.language, c.url,
        k.noindex, k.nofollow, k.links, b.body, k.link_signature, k.media_signature, k.meta_signature, o.outline
    FROM content AS k
    JOIN word AS w ON w.id = k.rules
    LEFT JOIN url AS c ON c.id = k.canonical
    LEFT JOIN body AS b ON b.content = k.id
    LEFT JOIN outline AS o ON o.content = k.id
    WHERE k.hash = ?1";

const BODY: &str = "SELECT b.body, k.size FROM content AS k JOIN body AS b ON b.content = k.id
    WHERE k.hash = ?1 OR k.semantic = ?2 ORDER BY k.hash = ?1 DESC, k.id DESC LIMIT 1";

const READING: &str = "SELECT b.body, k.size, k.semantic, o.outline FROM content AS k
    LEFT JOIN body AS b ON b.content = k.id
    LEFT JOIN outline AS o ON o.content = k.id
    WHERE k.hash = ?1";

const TEXT: &str = "SELECT text FROM text WHERE semantic = ?1";

const BODY_MEANING: &str = "SELECT b.body, k.size FROM content AS k JOIN body AS b ON b.content = k.id
    WHERE k.semantic = ?1 LIMIT 1";

/// Contents of all sites are kept together.
#[async_trait]
impl Contents for SqliteStore {
    async fn links(
        &self,
        _: &SiteId,
        contents: &[ContentHash],
    ) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        self.read(|connection| contents.iter().map(|hash| self.read_links(connection, hash)).collect())
    }

    async fn unqueued_links(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        content: &ContentHash,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        if self.is_plain() {
            return self.read(|connection| self.read_links(connection, content));
        }
        let Some(links) = self.read_stored_links(content).map_err(store_error)? else { return Ok(None) };
        let key = self.expect_crawl(site, crawl)?;
        self.read_unqueued(key, links).map(Some).map_err(store_error)
    }

    async fn text(&self, _: &SiteId, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        self.read(|connection| read_text(connection, semantic))
    }

    async fn readings(
        &self,
        _: &SiteId,
        contents: &[ContentRef],
    ) -> Result<Vec<Option<Reading>>, StoreError> {
        self.read(|connection| {
            contents
                .iter()
                .map(|content| read_reading(connection, &content.hash, &content.semantic))
                .collect()
        })
    }

    async fn body(&self, _: &SiteId, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| read_body(connection, content))
    }
}

impl SqliteStore {
    pub(crate) fn read_links(
        &self,
        connection: &Connection,
        hash: &ContentHash,
    ) -> rusqlite::Result<Option<Vec<PageUrl>>> {
        let links = read_link_numbers(connection, hash)?;
        links.map(|links| self.resolve(connection, &links)).transpose()
    }

    /// Returns the addresses that numbers stand for.
    fn resolve(&self, connection: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<PageUrl>> {
        numbers.iter().map(|number| self.read_address(connection, *number)).collect()
    }

    /// Reads the links of a content as they are stored.
    pub(crate) fn read_stored_links(&self, hash: &ContentHash) -> rusqlite::Result<Option<Vec<i64>>> {
        let prefetched = self.snapshot_reader.prefetched().links(hash);
        if prefetched.is_some() {
            return Ok(prefetched);
        }
        match self.snapshot_reader.read(|connection| read_link_numbers(connection, hash))? {
            Some(links) => Ok(Some(links)),
            // It may have been written a moment ago.
            None => self.readers.read(|connection| read_link_numbers(connection, hash)),
        }
    }

    /// Returns those of the addresses that are not queued for a crawl.
    pub(crate) fn read_unqueued(
        &self,
        crawl: CrawlKey,
        mut numbers: Vec<i64>,
    ) -> rusqlite::Result<Vec<PageUrl>> {
        {
            let mut queued = lock(&self.queued);
            let read = || self.readers.read(|connection| read_queued(connection, crawl));
            let queued = queued.of_or_read(crawl, || read().map(UrlIdSet::from_iter))?;
            numbers.retain(|number| !queued.contains(*number));
        }
        if numbers.is_empty() { Ok(Vec::new()) } else { self.addresses(&numbers) }
    }

    fn addresses(&self, numbers: &[i64]) -> rusqlite::Result<Vec<PageUrl>> {
        match self.snapshot_reader.read(|connection| self.resolve(connection, numbers).optional())? {
            Some(addresses) => Ok(addresses),
            // One may have been written a moment ago.
            None => self.readers.read(|connection| self.resolve(connection, numbers)),
        }
    }

    /// Reads an address by its number.
    pub(crate) fn read_address(&self, connection: &Connection, number: i64) -> rusqlite::Result<PageUrl> {
        if !self.is_plain()
            && let Some(address) = lock(&self.urls).get(&number)
        {
            return Ok(address);
        }
        let mut select = connection.prepare_cached("SELECT url FROM url WHERE id = ?1")?;
        let address = select.query_row([number], |row| read_url(row, 0))?;
        lock(&self.urls).insert(number, address.clone());
        Ok(address)
    }

    pub(crate) fn read_content(
        &self,
        connection: &Connection,
        hash: &ContentHash,
    ) -> rusqlite::Result<Option<Content>> {
        let mut select = connection.prepare_cached(CONTENT)?;
        select.query_row([hash.as_bytes()], |row| self.content(connection, *hash, row)).optional()
    }

    /// Looks up what of `content` is stored. Some of it may be missed: the writer looks again.
    pub(crate) fn find_stored(&self, verdict: Verdict, content: &Content) -> rusqlite::Result<Stored> {
        // What a new page says was hardly ever said before, and looking for it would cost more than it saves.
        if verdict == Verdict::New && content.body.is_some() {
            return Ok(Stored::default());
        }
        self.snapshot_reader.read(|connection| Stored::find(connection, content))
    }

    fn content(&self, connection: &Connection, hash: ContentHash, row: &Row) -> rusqlite::Result<Content> {
        let semantic = SemanticHash::from(row.get::<_, [u8; 32]>(2)?);
        let (body, Rest { text, outline }) = match read_frame(row, 10)? {
            Some(frame) => split(frame, read_count(row, 0)?).map(|(body, rest)| (Some(body), rest))?,
            None => (None, Rest::default()),
        };
        let text = match text {
            Some(text) => text_of(text)?,
            None => read_text(connection, &semantic)?.unwrap_or_default(),
        };
        let outline = read_frame(row, 14)?.or(outline).map(outline_of).transpose()?;
        Ok(Content {
            hash,
            size: read_count(row, 0)?,
            media_type: row.get(1)?,
            extracted: Extracted {
                semantic,
                rules: RulesVersion(row.get(3)?),
                signatures: codes::signatures([row.get(11)?, row.get(12)?, row.get(13)?]),
                title: row.get(4)?,
                language: row.get(5)?,
                canonical: row.get_ref(6)?.as_str_or_null()?.map(parse_url).transpose()?,
                links: self.resolve(connection, &url_ids::from_json(row.get_ref(9)?.as_str()?)?)?,
                text,
                outline,
                directives: Directives { noindex: row.get(7)?, nofollow: row.get(8)? },
                // What is stored is believed to be the page, and whole.
                block_page: None,
                needs_scripts: false,
                breaks_off: false,
                cut: None,
                document: None,
            },
            body,
        })
    }
}

/// Reads the links of a content as they are stored: numbers of addresses.
pub(crate) fn read_link_numbers(
    connection: &Connection,
    hash: &ContentHash,
) -> rusqlite::Result<Option<Vec<i64>>> {
    let mut select = connection.prepare_cached("SELECT links FROM content WHERE hash = ?1")?;
    select.query_row([hash.as_bytes()], |row| url_ids::from_json(row.get_ref(0)?.as_str()?)).optional()
}

/// Returns the titles of those contents that are stored and have one.
pub(crate) fn read_titles(
    connection: &Connection,
    contents: &[ContentHash],
) -> rusqlite::Result<HashMap<ContentHash, String>> {
    let mut select = connection.prepare_cached("SELECT title FROM content WHERE hash = ?1")?;
    let mut titles = HashMap::new();
    for hash in contents {
        let title = select.query_row([hash.as_bytes()], |row| row.get::<_, Option<String>>(0)).optional()?;
        if let Some(title) = title.flatten() {
            titles.insert(*hash, short_title(title));
        }
    }
    Ok(titles)
}

pub(crate) fn read_body(connection: &Connection, content: &ContentRef) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut select = connection.prepare_cached(BODY)?;
    let names = (content.hash.as_bytes(), content.semantic.as_bytes());
    let read = |row: &Row| read_body_and_rest(row).map(|(body, _)| body);
    select.query_row(names, read).optional()
}

pub(crate) fn read_text(
    connection: &Connection,
    semantic: &SemanticHash,
) -> rusqlite::Result<Option<String>> {
    let mut select = connection.prepare_cached(TEXT)?;
    let mut text = select.query_row([semantic.as_bytes()], |row| read_frame(row, 0)).optional()?.flatten();
    if text.is_none() {
        let mut select = connection.prepare_cached(BODY_MEANING)?;
        let read = |row: &Row| read_body_and_rest(row).map(|(_, rest)| rest.text);
        text = select.query_row([semantic.as_bytes()], read).optional()?.flatten();
    }
    text.map(text_of).transpose()
}

/// Reads a text and its outline, which mostly stand behind one body.
pub(crate) fn read_reading(
    connection: &Connection,
    content: &ContentHash,
    semantic: &SemanticHash,
) -> rusqlite::Result<Option<Reading>> {
    let mut select = connection.prepare_cached(READING)?;
    let read = |row: &Row| {
        let Rest { text, outline } = match row.get_ref(0)?.as_blob_or_null()? {
            Some(_) => read_body_and_rest(row)?.1,
            None => Rest::default(),
        };
        let is_of_meaning = row.get::<_, [u8; 32]>(2)? == *semantic.as_bytes();
        Ok(Rest { text: text.filter(|_| is_of_meaning), outline: read_frame(row, 3)?.or(outline) })
    };
    let Rest { text, outline } = select.query_row([content.as_bytes()], read).optional()?.unwrap_or_default();
    let text = match text {
        Some(text) => Some(text_of(text)?),
        None => read_text(connection, semantic)?,
    };
    let Some(text) = text else { return Ok(None) };
    Ok(Some(Reading { text, outline: outline.map(outline_of).transpose()? }))
}

/// Reads a row of a body frame and the size of the body.
fn read_body_and_rest(row: &Row) -> rusqlite::Result<(Vec<u8>, Rest)> {
    split(read_frame(row, 0)?.unwrap_or_default(), read_count(row, 1)?)
}
