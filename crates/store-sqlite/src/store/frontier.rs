//! The backlog: rows in the order in which they were queued, gone with the record of their page.

use async_trait::async_trait;
use recrawl_core::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Backlog, Frontier, QueueError, QueuedPage};
use recrawl_core::record::Found;
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, Row};

use super::visits::{parse_url, read_url};
use super::{SqliteStore, lock};
use crate::codes;
use crate::error::{queue_error, unreadable};
use crate::keys::CrawlKey;
use crate::writer::Command;

// By row id and not by an index: rows of other crawls are few, and a sort would read all that wait.
const AFTER: &str = "SELECT f.id, p.url, f.found_by, f.depth, r.url
    FROM frontier AS f NOT INDEXED
    JOIN url AS p ON p.id = f.page
    LEFT JOIN url AS r ON r.id = f.referrer
    WHERE f.id > ?3 AND f.site = ?1 AND f.crawl = ?2
    ORDER BY f.id LIMIT ?4";

impl SqliteStore {
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
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let take = |connection: &Connection, key: CrawlKey| {
            // Held while reading, so that nobody else is handed the same.
            let mut handed_out = lock(&self.handed_out);
            let last = handed_out.entry(key).or_default();
            let mut select = connection.prepare_cached(AFTER)?;
            let rows = select
                .query_map((key.site, key.crawl, *last, limit), |row| waiting_page(row, site, crawl))?;
            let rows: Vec<(i64, QueuedPage)> = rows.collect::<rusqlite::Result<_>>()?;
            if let Some((id, _)) = rows.last() {
                *last = *id;
            }
            Ok(rows.into_iter().map(|(_, page)| page).collect())
        };
        self.read_waiting(site, crawl, take).await
    }

    async fn waiting(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, QueueError> {
        let count = |connection: &Connection, key: CrawlKey| {
            let sql = "SELECT count(*) FROM frontier WHERE site = ?1 AND crawl = ?2";
            let mut select = connection.prepare_cached(sql)?;
            select.query_row([key.site, key.crawl], |row| super::visits::read_count(row, 0))
        };
        self.read_waiting(site, crawl, count).await
    }

    async fn waiting_pages(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<PageUrl>, QueueError> {
        let pages = |connection: &Connection, key: CrawlKey| {
            let mut select = connection.prepare_cached(AFTER)?;
            let rows = select.query_map((key.site, key.crawl, 0, i64::MAX), |row| read_url(row, 1))?;
            rows.collect()
        };
        self.read_waiting(site, crawl, pages).await
    }
}

fn waiting_page(row: &Row, site: &SiteId, crawl: CrawlId) -> rusqlite::Result<(i64, QueuedPage)> {
    let way: i64 = row.get(2)?;
    let found = Found {
        by: codes::way(way).ok_or_else(|| unreadable(format!("code {way} in the frontier")))?,
        depth: row.get(3)?,
        referrer: row.get_ref(4)?.as_str_or_null()?.map(parse_url).transpose()?,
    };
    Ok((row.get(0)?, QueuedPage { site: site.clone(), crawl, url: read_url(row, 1)?, found }))
}
