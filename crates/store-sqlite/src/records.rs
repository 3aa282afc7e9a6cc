//! Sites, crawls and page records: each call is one read or one command.

pub(crate) mod crawls;
mod page_summaries;
pub(crate) mod row;
mod shared_changes;
pub(crate) mod visits;

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::model::content::Content;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::{Closed, Crawl, Operations, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, PageState, PageSummary};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, Recorded, Store, StoreError};
use recrawl_core::url::PageUrl;

use crate::contents;
use crate::error::store_error;
use crate::store::SqliteStore;
use crate::writer::Command;

/// How many records one transaction settles, so that nobody waits for long.
const SETTLED_AT_ONCE: usize = 500;

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
        self.write(Command::OpenCrawl { site, crawl: Box::new(crawl.clone()) }).await
    }

    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        let key = self.expect_crawl(site, crawl)?;
        self.write(Command::CloseCrawl { key, closed: Box::new(closed.clone()) }).await?;
        self.snapshot_reader.renew();
        Ok(())
    }

    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError> {
        let key = self.expect_unusual(site, crawl).await?;
        self.write(Command::AcceptCrawl { key, at }).await?;
        self.snapshot_reader.renew();
        Ok(())
    }

    async fn judge_crawl_again(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        reason: &str,
        statistics: &Statistics,
    ) -> Result<(), StoreError> {
        let key = self.expect_unusual(site, crawl).await?;
        let (reason, statistics) = (reason.to_owned(), Box::new(statistics.clone()));
        self.write(Command::JudgeCrawlAgain { key, reason, statistics }).await?;
        self.snapshot_reader.renew();
        Ok(())
    }

    async fn confirm_crawl(&self, site: &SiteId, crawl: CrawlId, by: CrawlId) -> Result<(), StoreError> {
        let key = self.expect_unusual(site, crawl).await?;
        self.write(Command::ConfirmCrawl { key, by }).await?;
        self.snapshot_reader.renew();
        Ok(())
    }

    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        self.read(|connection| crawls::read_crawls(&self.keys, connection, site))
    }

    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        Ok(self.crawls(site).await?.into_iter().rfind(Crawl::is_open))
    }

    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        let key = self.expect_crawl(&record.site, record.crawl)?;
        let content = match content {
            Some(content) => {
                let stored = self.find_stored(record.visit.verdict, content).map_err(store_error)?;
                contents::preparing::prepare(stored, content, &self.haste).map_err(store_error)?
            }
            None => None,
        };
        self.snapshot_reader.note_write(key);
        let recorded = self.write(Command::Record { key, record: Box::new(record.clone()), content }).await;
        self.snapshot_reader.note_write(key);
        recorded
    }

    async fn settle(&self, site: &SiteId, crawl: CrawlId, records: &[PageRecord]) -> Result<(), StoreError> {
        let key = self.expect_crawl(site, crawl)?;
        self.snapshot_reader.note_write(key);
        for records in records.chunks(SETTLED_AT_ONCE) {
            self.write(Command::Settle { key, records: records.to_vec() }).await?;
        }
        self.snapshot_reader.note_write(key);
        Ok(())
    }

    async fn save_shared_changes(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        changes: &[SharedChange],
    ) -> Result<(), StoreError> {
        let key = self.expect_crawl(site, crawl)?;
        let as_json =
            |change| serde_json::to_string(change).map_err(|error| StoreError::Corrupt(error.into()));
        let changes = changes.iter().map(as_json).collect::<Result<_, _>>()?;
        self.write(Command::SaveSharedChanges { key, changes }).await.map(drop)
    }

    async fn shared_changes(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<SharedChange>, StoreError> {
        self.read(|connection| shared_changes::read_shared_changes(&self.keys, connection, site, crawl))
    }

    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        let key = self.expect_crawl(site, crawl)?;
        self.snapshot_reader.note_write(key);
        let written = self.write(Command::LowerDepth { key, pages: pages.to_vec(), depth }).await;
        self.snapshot_reader.note_write(key);
        written.map(drop)
    }

    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        self.read(|connection| visits::read_page(&self.keys, connection, site, crawl, url))
    }

    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        self.read(|connection| visits::read_latest_before(&self.keys, connection, site, crawl, url))
    }

    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError> {
        let Some(key) = self.find_crawl(site, crawl).map_err(store_error)? else {
            return Ok(self.latest_before(site, crawl, url).await?.map(|record| record.known));
        };
        if self.is_plain() || !self.snapshot_reader.is_current(key) {
            return self.read(|connection| visits::read_known_before(connection, key, url));
        }
        let prefetched = self.snapshot_reader.prefetched().known(key, url);
        if let Some(known) = prefetched {
            return Ok(known);
        }
        let read = self.snapshot_reader.read(|connection| visits::read_known_before(connection, key, url));
        read.map_err(store_error)
    }

    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.read(|connection| {
            visits::read_records(&self.keys, connection, site, crawl, verdicts, after, limit)
        })
    }

    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        self.read(|connection| {
            page_summaries::read_page_summaries(&self.keys, connection, site, before, each)
        })
    }
}

#[async_trait]
impl History for SqliteStore {
    async fn sites(&self) -> Result<Vec<Site>, StoreError> {
        self.read(crawls::read_sites)
    }

    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError> {
        self.read(|connection| visits::read_visits(&self.keys, connection, site, url))
    }

    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError> {
        self.read(|connection| visits::read_last_visit(&self.keys, connection, site, crawl))
    }

    async fn verdict_counts(&self, site: &SiteId, crawl: CrawlId) -> Result<Counts, StoreError> {
        self.read(|connection| visits::read_verdict_counts(&self.keys, connection, site, crawl))
    }

    async fn count_unarchived(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, StoreError> {
        self.read(|connection| {
            let waiting =
                visits::read_unarchived(&self.keys, connection, site, crawl, Timestamp::MAX, usize::MAX)?;
            Ok(waiting.len() as u64)
        })
    }

    async fn visits_since(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.read(|connection| visits::read_visits_since(&self.keys, connection, site, crawl, since, limit))
    }

    async fn content(&self, _: &SiteId, hash: &ContentHash) -> Result<Option<Content>, StoreError> {
        self.read(|connection| self.read_content(connection, hash))
    }

    async fn titles(
        &self,
        _: &SiteId,
        contents: &[ContentHash],
    ) -> Result<HashMap<ContentHash, String>, StoreError> {
        self.read(|connection| contents::read_titles(connection, contents))
    }

    async fn operations(&self, _: &SiteId, _: CrawlId) -> Result<Option<Operations>, StoreError> {
        Ok(None)
    }
}
