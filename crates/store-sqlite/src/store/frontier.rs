//! The backlog: rows that go with the record of their page, and in memory the order in which they are due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use async_trait::async_trait;
use recrawl_core::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Backlog, Frontier, Priority, QueueError, QueuedPage};
use recrawl_core::record::Found;
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension, Row};

use super::contents::read_link_numbers;
use super::row::{read_count, read_url};
use super::visits::read_known_of;
use super::{SqliteStore, lock};
use crate::codes;
use crate::error::{queue_error, unreadable};
use crate::keys::CrawlKey;
use crate::prefetched::Answers;
use crate::writer::Command;

// By row id and not by an index: rows of other crawls are few, and a sort would read all that wait.
const AFTER: &str =
    "SELECT id, priority FROM frontier NOT INDEXED WHERE id > ?3 AND site = ?1 AND crawl = ?2";

const BY_NUMBER: &str = "SELECT page, found_by, depth, referrer, priority FROM frontier WHERE id = ?1";

const PAGES: &str = "SELECT p.url FROM frontier AS f NOT INDEXED JOIN url AS p ON p.id = f.page
    WHERE f.site = ?1 AND f.crawl = ?2 ORDER BY f.id";

/// For how many pages answers are read at a time.
const PREFETCHED: usize = 16;

/// The waiting pages of a crawl that were not handed out: 16 bytes each.
///
/// An index in the file would cost every queued page two writes of it, for an order that matters only here.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Priorities and rows, the best on top: among equals the one that was queued first.
    rows: BinaryHeap<(i64, Reverse<i64>)>,
    /// The last row of the table that is known.
    last: i64,
}

impl Waiting {
    /// Reads the rows that were written since the last time. Their numbers follow those of earlier ones.
    fn read_new(&mut self, connection: &Connection, key: CrawlKey) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached(AFTER)?;
        let mut rows = select.query((key.site, key.crawl, self.last))?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            self.rows.push((row.get(1)?, Reverse(id)));
            self.last = self.last.max(id);
        }
        Ok(())
    }

    /// Takes up to `limit` pages out; none where that fails.
    fn take(
        &mut self,
        limit: usize,
        mut read: impl FnMut(i64) -> rusqlite::Result<Option<Handed>>,
    ) -> rusqlite::Result<Vec<Handed>> {
        let (mut taken, mut pages) = (Vec::new(), Vec::new());
        while pages.len() < limit
            && let Some(best) = self.rows.pop()
        {
            taken.push(best);
            let Reverse(id) = best.1;
            match read(id) {
                // A page that was recorded unasked has no row any more.
                Ok(page) => pages.extend(page),
                Err(error) => {
                    self.rows.extend(taken);
                    return Err(error);
                }
            }
        }
        Ok(pages)
    }
}

/// A page that is handed out, and the number of its address.
#[derive(Debug)]
struct Handed {
    page: QueuedPage,
    number: i64,
}

impl SqliteStore {
    /// Reads what the visits of `pages` are going to ask for.
    fn prefetch(&self, key: CrawlKey, pages: &[Handed]) {
        // Whoever is handed a page is about to record it.
        self.settled.note_write(key);
        let epoch = self.settled.prefetched().epoch();
        let mut answers = Answers::default();
        // Some at a time, so that nobody else waits for long.
        for some in pages.chunks(PREFETCHED) {
            let read = self.settled.read(|connection| read_answers(connection, key, some, &mut answers));
            if let Err(error) = read {
                // Who asks is told.
                tracing::debug!(%error, "nothing could be read in advance");
                return;
            }
        }
        self.settled.prefetched().add(epoch, answers);
    }

    fn read_waiting_page(
        &self,
        connection: &Connection,
        row: &Row,
        site: &SiteId,
        crawl: CrawlId,
    ) -> rusqlite::Result<Handed> {
        let (number, way): (i64, i64) = (row.get(0)?, row.get(1)?);
        let referrer: Option<i64> = row.get(3)?;
        let found = Found {
            by: codes::way(way).ok_or_else(|| unreadable(format!("code {way} in the frontier")))?,
            depth: row.get(2)?,
            referrer: referrer.map(|referrer| self.read_address(connection, referrer)).transpose()?,
        };
        let (url, priority) = (self.read_address(connection, number)?, Priority(row.get(4)?));
        let page = QueuedPage { site: site.clone(), crawl, url, found, priority };
        Ok(Handed { page, number })
    }

    /// Reads what waits for a crawl, after everything that was queued before is written.
    async fn read_waiting<T: Default>(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        read: impl FnOnce(&Connection, CrawlKey) -> rusqlite::Result<T> + Send,
    ) -> Result<T, QueueError> {
        if let Some(writer) = &self.writer {
            writer.settle().await?;
        }
        let result = self.readers.read(|connection| match self.keys.crawl(connection, site, crawl)? {
            Some(key) => read(connection, key),
            None => Ok(T::default()),
        });
        result.map_err(queue_error)
    }
}

#[async_trait]
impl Frontier for SqliteStore {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        if pages.is_empty() {
            return Ok(());
        }
        let mut keyed = Vec::with_capacity(pages.len());
        for page in pages {
            keyed.push((self.expect_queue(&page.site, page.crawl)?, page.clone()));
        }
        Ok(self.writer()?.post(Command::Queue(keyed))?)
    }
}

#[async_trait]
impl Backlog for SqliteStore {
    async fn take(&self, site: &SiteId, crawl: CrawlId, limit: usize) -> Result<Vec<QueuedPage>, QueueError> {
        let take = |connection: &Connection, key: CrawlKey| {
            // Held while reading, so that nobody else is handed the same.
            let mut waiting = lock(&self.waiting);
            let waiting = waiting.entry(key).or_default();
            // One view for all rows: each of its own would cost locks.
            let view = connection.unchecked_transaction()?;
            waiting.read_new(&view, key)?;
            let mut select = view.prepare_cached(BY_NUMBER)?;
            let read = |row: &Row| self.read_waiting_page(&view, row, site, crawl);
            let pages = waiting.take(limit, |id| select.query_row([id], read).optional())?;
            Ok((Some(key), pages))
        };
        let (key, pages) = self.read_waiting(site, crawl, take).await?;
        if let Some(key) = key {
            self.prefetch(key, &pages);
        }
        Ok(pages.into_iter().map(|handed| handed.page).collect())
    }

    async fn waiting(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, QueueError> {
        let count = |connection: &Connection, key: CrawlKey| {
            let sql = "SELECT count(*) FROM frontier WHERE site = ?1 AND crawl = ?2";
            let mut select = connection.prepare_cached(sql)?;
            select.query_row([key.site, key.crawl], |row| read_count(row, 0))
        };
        self.read_waiting(site, crawl, count).await
    }

    async fn waiting_pages(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<PageUrl>, QueueError> {
        let pages = |connection: &Connection, key: CrawlKey| {
            let mut select = connection.prepare_cached(PAGES)?;
            let rows = select.query_map([key.site, key.crawl], |row| read_url(row, 0))?;
            rows.collect()
        };
        self.read_waiting(site, crawl, pages).await
    }
}

/// Reads what is known of pages, and where they led.
fn read_answers(
    connection: &Connection,
    key: CrawlKey,
    pages: &[Handed],
    answers: &mut Answers,
) -> rusqlite::Result<()> {
    for Handed { page, number } in pages {
        let known = read_known_of(connection, key, *number)?;
        let content = known.as_ref().and_then(|known| known.content.as_ref());
        if let Some(hash) = content.map(|content| content.hash).filter(|_| !answers.is_full())
            && let Some(links) = read_link_numbers(connection, &hash)?
        {
            answers.keep_links(hash, links);
        }
        answers.keep_known(key, &page.url, known);
    }
    Ok(())
}
