//! The ports that read and write records: each call is one read or one command.

use async_trait::async_trait;
use recrawl_core::content::Content;
use recrawl_core::crawl::{Closed, Crawl, Site};
use recrawl_core::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::ports::{History, Memo, Memos, Recorded, Store, StoreError};
use recrawl_core::record::{ContentRef, PageRecord};
use recrawl_core::url::PageUrl;
use recrawl_core::verdict::Verdict;
use rusqlite::OptionalExtension;

use super::visits::read_time;
use super::{SqliteStore, contents, crawls};
use crate::error::store_error;
use crate::keys::{CrawlKey, number};
use crate::writer::Command;

#[async_trait]
impl Store for SqliteStore {
    async fn save_site(&self, site: &Site) -> Result<(), StoreError> {
        self.write(Command::SaveSite(Box::new(site.clone()))).await.map(drop)
    }

    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError> {
        self.read(|connection| crawls::read_site(connection, id))
    }

    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        let site = self.read(|connection| self.keys.site(connection, &crawl.site))?;
        let site = site.ok_or_else(|| StoreError::Absent(format!("site {}", crawl.site)))?;
        let key = CrawlKey { site, crawl: number(crawl.id) };
        self.write(Command::OpenCrawl { key, crawl: Box::new(crawl.clone()) }).await
    }

    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        let key = self.expect_crawl(site, crawl)?;
        self.write(Command::CloseCrawl { key, closed: Box::new(closed.clone()) }).await.map(drop)
    }

    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        self.read(|connection| self.read_crawls(connection, site))
    }

    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        let key = self.expect_crawl(&record.site, record.crawl)?;
        let content = match content {
            Some(content) => {
                let stored = self.settled.read(|connection| contents::find(connection, content));
                contents::prepare(stored.map_err(store_error)?, content).map_err(store_error)?
            }
            None => None,
        };
        self.settled.note_write(key);
        let recorded = self.write(Command::Record { key, record: Box::new(record.clone()), content }).await;
        self.settled.note_write(key);
        recorded
    }

    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        let key = self.read(|connection| self.keys.crawl(connection, site, crawl))?;
        if key.is_some_and(|key| self.settled.is_current(key)) {
            let read = self.settled.read(|connection| self.read_latest_before(connection, site, crawl, url));
            return read.map_err(store_error);
        }
        self.read(|connection| self.read_latest_before(connection, site, crawl, url))
    }

    async fn links(&self, content: &ContentHash) -> Result<Option<Vec<PageUrl>>, StoreError> {
        let settled = self.settled.read(|connection| self.read_links(connection, content));
        match settled.map_err(store_error)? {
            Some(links) => Ok(Some(links)),
            // It may have been written a moment ago.
            None => self.read(|connection| self.read_links(connection, content)),
        }
    }

    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.read(|connection| self.read_records(connection, site, crawl, verdicts, after, limit))
    }

    async fn body(&self, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| contents::read_body(connection, content))
    }
}

#[async_trait]
impl History for SqliteStore {
    async fn sites(&self) -> Result<Vec<Site>, StoreError> {
        self.read(crawls::read_sites)
    }

    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError> {
        self.read(|connection| self.read_visits(connection, site, url))
    }

    async fn content(&self, hash: &ContentHash) -> Result<Option<Content>, StoreError> {
        self.read(|connection| self.read_content(connection, hash))
    }

    async fn text(&self, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        self.read(|connection| contents::read_text(connection, semantic))
    }
}

#[async_trait]
impl Memos for SqliteStore {
    async fn memo(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT saved_at, value FROM memo WHERE key = ?1")?;
            let memo =
                select.query_row([key], |row| Ok(Memo { saved_at: read_time(row, 0)?, value: row.get(1)? }));
            memo.optional()
        })
    }

    async fn save_memo(&self, key: &str, memo: &Memo) -> Result<(), StoreError> {
        self.write(Command::SaveMemo { key: key.to_owned(), memo: memo.clone() }).await.map(drop)
    }
}
