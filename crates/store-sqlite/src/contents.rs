//! What pages said: links, texts and bodies, read and prepared for the writer (content-addressed, so deduplicated).

use std::collections::HashMap;
use std::time::Instant;

use async_trait::async_trait;
use recrawl_core::model::content::{Content, Directives, Extracted};
use recrawl_core::model::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use recrawl_core::model::record::ContentRef;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::words::short_title;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::cache::url_id_set::UrlIdSet;
use crate::codes;
use crate::compression::{CompressionEffort, compress, decompress};
use crate::error::{store_error, unreadable};
use crate::keys::CrawlKey;
use crate::queue::pending_queue::read_queued;
use crate::records::row::{parse_url, read_count, read_url};
use crate::store::{SqliteStore, lock};
use crate::url_ids;
use crate::writer::NewContent;

const CONTENT: &str = "SELECT k.size, k.media_type, k.semantic, w.word, k.title, k.language, c.url,
        k.noindex, k.nofollow, k.links, b.body, k.link_signature, k.media_signature
    FROM content AS k
    JOIN word AS w ON w.id = k.rules
    LEFT JOIN url AS c ON c.id = k.canonical
    LEFT JOIN body AS b ON b.content = k.id
    WHERE k.hash = ?1";

const IS_STORED: &str = "SELECT EXISTS (SELECT 1 FROM content WHERE hash = ?1),
    EXISTS (SELECT 1 FROM content AS k JOIN body AS b ON b.content = k.id WHERE k.hash = ?1),
    EXISTS (SELECT 1 FROM text WHERE semantic = ?2)
        OR EXISTS (SELECT 1 FROM content AS k JOIN body AS b ON b.content = k.id WHERE k.semantic = ?2)";

const BODY: &str = "SELECT b.body, k.size FROM content AS k JOIN body AS b ON b.content = k.id
    WHERE k.hash = ?1 OR k.semantic = ?2 ORDER BY k.hash = ?1 DESC, k.id DESC LIMIT 1";

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
        match self.snapshot_reader.read(|connection| self.resolve(connection, numbers)) {
            // One may have been written a moment ago.
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                self.readers.read(|connection| self.resolve(connection, numbers))
            }
            read => read,
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
            return Ok(Stored { itself: false, body: false, text: false });
        }
        self.snapshot_reader.read(|connection| find(connection, content))
    }

    fn content(&self, connection: &Connection, hash: ContentHash, row: &Row) -> rusqlite::Result<Content> {
        let semantic = SemanticHash::from(row.get::<_, [u8; 32]>(2)?);
        let (body, text) = match read_frame(row, 10)? {
            Some(frame) => split(frame, read_count(row, 0)?).map(|(body, text)| (Some(body), text))?,
            None => (None, Vec::new()),
        };
        let text = if text.is_empty() {
            read_text(connection, &semantic)?.unwrap_or_default()
        } else {
            String::from_utf8(text).map_err(unreadable)?
        };
        Ok(Content {
            hash,
            size: read_count(row, 0)?,
            media_type: row.get(1)?,
            extracted: Extracted {
                semantic,
                rules: RulesVersion(row.get(3)?),
                signatures: codes::signatures(row.get(11)?, row.get(12)?),
                title: row.get(4)?,
                language: row.get(5)?,
                canonical: row.get_ref(6)?.as_str_or_null()?.map(parse_url).transpose()?,
                links: self.resolve(connection, &url_ids::from_json(row.get_ref(9)?.as_str()?)?)?,
                text,
                directives: Directives { noindex: row.get(7)?, nofollow: row.get(8)? },
                // What is stored is believed to be the page, and whole.
                block_page: None,
                breaks_off: false,
                cut: None,
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

/// What of a content is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    itself: bool,
    body: bool,
    text: bool,
}

fn find(connection: &Connection, content: &Content) -> rusqlite::Result<Stored> {
    let mut select = connection.prepare_cached(IS_STORED)?;
    let names = (content.hash.as_bytes(), content.extracted.semantic.as_bytes());
    select.query_row(names, |row| Ok(Stored { itself: row.get(0)?, body: row.get(1)?, text: row.get(2)? }))
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
    if stored.itself && body.is_none() && text.is_none() {
        return Ok(None);
    }
    let effort = haste.effort(Instant::now());
    let compress = |parts: &[&[u8]]| compress(parts, effort);
    // The text of a page is found again in its body, so that behind it, it costs next to nothing.
    let (body, text, text_is_behind) = match (body, text) {
        (Some(body), Some(text)) if !stored.itself => (Some(compress(&[body, text])), None, true),
        (body, text) => (body.map(|body| compress(&[body])), text.map(|text| compress(&[text])), false),
    };
    Ok(Some(Box::new(NewContent {
        text: text.transpose().map_err(unreadable)?,
        body: body.transpose().map_err(unreadable)?,
        text_is_behind,
        content: Content {
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
                directives: extracted.directives,
                block_page: None,
                breaks_off: false,
                cut: None,
            },
            body: None,
        },
    })))
}

pub(crate) fn read_body(connection: &Connection, content: &ContentRef) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut select = connection.prepare_cached(BODY)?;
    let names = (content.hash.as_bytes(), content.semantic.as_bytes());
    let read = |row: &Row| read_body_and_text(row).map(|(body, _)| body);
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
        let read = |row: &Row| read_body_and_text(row).map(|(_, text)| text);
        text = select.query_row([semantic.as_bytes()], read).optional()?.filter(|text| !text.is_empty());
    }
    text.map(|text| String::from_utf8(text).map_err(unreadable)).transpose()
}

/// Reads a row of a body frame and the size of the body.
fn read_body_and_text(row: &Row) -> rusqlite::Result<(Vec<u8>, Vec<u8>)> {
    split(read_frame(row, 0)?.unwrap_or_default(), read_count(row, 1)?)
}

/// Takes a body and the text behind it apart.
pub(crate) fn split(mut body: Vec<u8>, size: u64) -> rusqlite::Result<(Vec<u8>, Vec<u8>)> {
    let size = usize::try_from(size).ok().filter(|size| *size <= body.len());
    let size = size.ok_or_else(|| unreadable("a body that is shorter than it should be"))?;
    let text = body.split_off(size);
    Ok((body, text))
}

fn read_frame(row: &Row, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    let frame = row.get_ref(column)?.as_blob_or_null()?;
    frame.map(|frame| decompress(frame).map_err(unreadable)).transpose()
}
