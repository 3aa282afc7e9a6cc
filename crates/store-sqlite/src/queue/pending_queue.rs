//! The pages of a crawl that wait, and the order in which they are due.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::vec;

use recrawl_core::model::record::Found;
use rusqlite::{CachedStatement, Connection};

use crate::cache::url_id_set::UrlIdSet;
use crate::keys::CrawlKey;
use crate::url_ids;

// By row id and not by an index: rows of other crawls are few.
const AFTER: &str =
    "SELECT id, priority FROM frontier NOT INDEXED WHERE id > ?3 AND site = ?1 AND crawl = ?2";

const PAGES: &str = "SELECT pages FROM frontier NOT INDEXED WHERE site = ?1 AND crawl = ?2 ORDER BY id";

const IS_RECORDED: &str = "SELECT 1 FROM visit WHERE page = ?1 AND site = ?2 AND crawl = ?3";

/// What of a crawl was not handed out: 16 bytes a batch, and a bit a page.
///
/// An index in the file would cost every batch two writes of it, for an order that matters only here.
#[derive(Debug, Default)]
pub(crate) struct PendingQueue {
    /// Priorities and rows, the best on top: among equals the one that was queued first.
    batches: BinaryHeap<(i64, Reverse<i64>)>,
    /// The last row of the table that is known.
    last: i64,
    /// The rest of batches that were begun, by row.
    begun: HashMap<i64, PageBatch>,
    /// The pages that were handed out.
    handed_out: UrlIdSet,
}

/// Pages that were found alike, by the numbers of their addresses.
#[derive(Debug)]
pub(crate) struct PageBatch {
    pub(crate) found: Found,
    pub(crate) pages: vec::IntoIter<i64>,
}

impl PendingQueue {
    /// Reads the batches that were written since the last time. Their rows follow those of earlier ones.
    pub(crate) fn read_new(&mut self, connection: &Connection, key: CrawlKey) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached(AFTER)?;
        let mut rows = select.query((key.site, key.crawl, self.last))?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            self.batches.push((row.get(1)?, Reverse(id)));
            self.last = self.last.max(id);
        }
        Ok(())
    }

    /// Takes up to `limit` pages out; none where that fails.
    ///
    /// `read` reads a batch by its row; `hand` makes a page of its number, its priority and how it was found, or nothing
    /// if it waits no more.
    pub(crate) fn take<T>(
        &mut self,
        limit: usize,
        read: impl Fn(i64) -> rusqlite::Result<Option<PageBatch>>,
        hand: impl FnMut(i64, i64, &Found) -> rusqlite::Result<Option<T>>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut numbers = Vec::new();
        let taken = self.take_noting(&mut numbers, limit, read, hand);
        if taken.is_err() {
            // The batches are read again; what was handed out before is remembered.
            (self.batches, self.begun, self.last) = Default::default();
            for number in numbers {
                self.handed_out.remove(number);
            }
        }
        taken
    }

    fn take_noting<T>(
        &mut self,
        numbers: &mut Vec<i64>,
        limit: usize,
        read: impl Fn(i64) -> rusqlite::Result<Option<PageBatch>>,
        mut hand: impl FnMut(i64, i64, &Found) -> rusqlite::Result<Option<T>>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut taken = Vec::new();
        while taken.len() < limit
            && let Some((priority, Reverse(row))) = self.batches.pop()
        {
            let begun = self.begun.remove(&row);
            let Some(mut batch) = begun.map_or_else(|| read(row), |batch| Ok(Some(batch)))? else { continue };
            while taken.len() < limit
                && let Some(number) = batch.pages.next()
            {
                if !self.handed_out.contains(number)
                    && let Some(page) = hand(number, priority, &batch.found)?
                {
                    self.handed_out.insert(number);
                    numbers.push(number);
                    taken.push(page);
                }
            }
            if batch.pages.len() > 0 {
                self.batches.push((priority, Reverse(row)));
                self.begun.insert(row, batch);
            }
        }
        Ok(taken)
    }
}

/// Reads every page that was queued for a crawl, in the order in which they were queued.
pub(crate) fn read_queued(connection: &Connection, key: CrawlKey) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached(PAGES)?;
    let mut rows = select.query([key.site, key.crawl])?;
    let mut pages = Vec::new();
    while let Some(row) = rows.next()? {
        pages.extend(url_ids::from_json(row.get_ref(0)?.as_str()?)?);
    }
    Ok(pages)
}

/// The pages that a crawl has recorded.
pub(crate) struct RecordedPages<'connection> {
    select: CachedStatement<'connection>,
    key: CrawlKey,
}

impl<'connection> RecordedPages<'connection> {
    pub(crate) fn new(connection: &'connection Connection, key: CrawlKey) -> rusqlite::Result<Self> {
        Ok(Self { select: connection.prepare_cached(IS_RECORDED)?, key })
    }

    pub(crate) fn contains(&mut self, page: i64) -> rusqlite::Result<bool> {
        self.select.exists([page, self.key.site, self.key.crawl])
    }
}
