//! The frontier (queue): batches of pages in the file, and in memory the order in which they are due.

pub(crate) mod pending_queue;

use async_trait::async_trait;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::Found;
use recrawl_core::ports::{Frontier, Priority, PullFrontier, QueueError, QueuedPage};
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension, Row};

use self::pending_queue::{PageBatch, RecordedPages, read_queued};
use crate::cache::prefetched::Answers;
use crate::codes;
use crate::error::{queue_error, unreadable};
use crate::keys::CrawlKey;
use crate::records::visits::KnownWithLinks;
use crate::store::{SqliteStore, lock};
use crate::url_ids;
use crate::writer::Command;

const PAGE_BATCH: &str = "SELECT found_by, depth, referrer, pages FROM frontier WHERE id = ?1";

/// For how many pages answers are read at a time.
const PREFETCHED: usize = 16;

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
        self.snapshot_reader.note_write(key);
        let epoch = self.snapshot_reader.prefetched().epoch();
        let mut answers = Answers::default();
        // Some at a time, so that nobody else waits for long.
        for some in pages.chunks(PREFETCHED) {
            let read =
                self.snapshot_reader.read(|connection| read_answers(connection, key, some, &mut answers));
            if let Err(error) = read {
                // Who asks is told.
                tracing::debug!(%error, "nothing could be read in advance");
                return;
            }
        }
        self.snapshot_reader.prefetched().add(epoch, answers);
    }

    fn read_batch(&self, connection: &Connection, row: &Row) -> rusqlite::Result<PageBatch> {
        let way: i64 = row.get(0)?;
        let referrer: Option<i64> = row.get(2)?;
        let found = Found {
            by: codes::way(way).ok_or_else(|| unreadable(format!("code {way} in the frontier")))?,
            depth: row.get(1)?,
            referrer: referrer.map(|referrer| self.read_address(connection, referrer)).transpose()?,
        };
        Ok(PageBatch { found, pages: url_ids::from_json(row.get_ref(3)?.as_str()?)?.into_iter() })
    }

    /// Takes the pages out that are due.
    fn hand_out(
        &self,
        connection: &Connection,
        key: CrawlKey,
        (site, crawl): (&SiteId, CrawlId),
        limit: usize,
    ) -> rusqlite::Result<Vec<Handed>> {
        // Held while reading, so that nobody else is handed the same.
        let mut waiting = lock(&self.waiting);
        let waiting = waiting.entry(key).or_default();
        // One view for all rows: each of its own would cost locks.
        let view = connection.unchecked_transaction()?;
        waiting.read_new(&view, key)?;
        let mut recorded = RecordedPages::new(&view, key)?;
        let read = |row| {
            let mut select = view.prepare_cached(PAGE_BATCH)?;
            select.query_row([row], |row| self.read_batch(&view, row)).optional()
        };
        waiting.take(limit, read, |number, priority, found| {
            if recorded.contains(number)? {
                return Ok(None);
            }
            let (url, priority) = (self.read_address(&view, number)?, Priority(priority));
            let page = QueuedPage { site: site.clone(), crawl, url, found: found.clone(), priority };
            Ok(Some(Handed { page, number }))
        })
    }

    /// Waits until everything is written, also what nobody waits for any more.
    async fn write_all(&self) -> Result<(), QueueError> {
        match &self.writer {
            Some(writer) => Ok(writer.write(Command::Nothing).await.map(drop)?),
            None => Ok(()),
        }
    }

    /// Reads what waits for a crawl.
    fn read_waiting<T: Default>(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        read: impl FnOnce(&Connection, CrawlKey) -> rusqlite::Result<T>,
    ) -> Result<T, QueueError> {
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
        let writer = self.writer()?;
        writer.post(Command::Queue(keyed))?;
        // Whoever finds pages faster than they can be written waits, or they would fill the memory.
        Ok(writer.keep_up().await?)
    }
}

#[async_trait]
impl PullFrontier for SqliteStore {
    async fn take(&self, site: &SiteId, crawl: CrawlId, limit: usize) -> Result<Vec<QueuedPage>, QueueError> {
        let take = |connection: &Connection, key: CrawlKey| {
            Ok((Some(key), self.hand_out(connection, key, (site, crawl), limit)?))
        };
        if let Some(writer) = &self.writer {
            writer.settle().await?;
        }
        let (key, pages) = self.read_waiting(site, crawl, take)?;
        if let Some(key) = key {
            self.prefetch(key, &pages);
        }
        Ok(pages.into_iter().map(|handed| handed.page).collect())
    }

    async fn waiting(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, QueueError> {
        self.write_all().await?;
        let count = |connection: &Connection, key| Ok(read_numbers(connection, key)?.len() as u64);
        self.read_waiting(site, crawl, count)
    }

    async fn waiting_pages(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<PageUrl>, QueueError> {
        self.write_all().await?;
        let pages = |connection: &Connection, key: CrawlKey| {
            let numbers = read_numbers(connection, key)?;
            numbers.into_iter().map(|number| self.read_address(connection, number)).collect()
        };
        self.read_waiting(site, crawl, pages)
    }
}

/// Reads the numbers of the pages that are queued and not recorded, in the order in which they were queued.
fn read_numbers(connection: &Connection, key: CrawlKey) -> rusqlite::Result<Vec<i64>> {
    let view = connection.unchecked_transaction()?;
    let mut recorded = RecordedPages::new(&view, key)?;
    let mut numbers = Vec::new();
    for number in read_queued(&view, key)? {
        if !recorded.contains(number)? {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// Reads what is known of pages, and where they led.
fn read_answers(
    connection: &Connection,
    key: CrawlKey,
    pages: &[Handed],
    answers: &mut Answers,
) -> rusqlite::Result<()> {
    let mut before = KnownWithLinks::new(connection, key)?;
    for Handed { page, number } in pages {
        let (known, links) = before.read(*number)?.unzip();
        let content = known.as_ref().and_then(|known| known.content.as_ref());
        if let (Some(content), Some(Some(links))) = (content, links) {
            answers.keep_links(content.hash, links);
        }
        answers.keep_known(key, &page.url, known);
    }
    Ok(())
}
