//! Deleting crawls, and what nothing names after that, in short transactions.

pub(crate) mod sweeps;

use async_trait::async_trait;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Deletion, Recorded, Retention, StateKey, Store, StoreError};
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension};

use self::sweeps::{Since, Sweep};
use crate::connection::open_for_writing;
use crate::error::{store_error, unreadable};
use crate::keys::CrawlKey;
use crate::records::row::read_count;
use crate::store::{SqliteStore, lock};
use crate::writer::Command;

/// How many rows one transaction deletes, so that nobody waits for long.
const CHUNK: usize = 500;

const VISITS: &str = "SELECT id FROM visit WHERE site = ?1 AND crawl = ?2 LIMIT ?3";

const VISIT: &str = "SELECT v.id FROM url AS p JOIN visit AS v ON v.page = p.id
    WHERE p.url = ?3 AND v.site = ?1 AND v.crawl = ?2";

const SIZE: &str = "SELECT (p.page_count - f.freelist_count) * s.page_size
    FROM pragma_page_count() AS p, pragma_freelist_count() AS f, pragma_page_size() AS s";

/// The crawl goes last, so that a deletion that was cut short is found and finished by the next.
///
/// Nobody may crawl into the file meanwhile: take [`SqliteStore::lock_for_crawling`] first.
#[async_trait]
impl Retention for SqliteStore {
    async fn delete_crawl(&self, site: &SiteId, crawl: CrawlId, limit: u64) -> Result<Deletion, StoreError> {
        let _alone = self.deleting.lock().await;
        let Some(key) = self.expect_deletable(site, crawl).await? else {
            return Ok(Deletion { deleted: 0, finished: true });
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let visits = self.delete_visits(key, limit).await?;
        let contents = self.sweep(&sweeps::CONTENTS, limit - visits).await?;
        let mut deletion = Deletion { deleted: (visits + contents) as u64, finished: false };
        if visits + contents < limit {
            self.write(Command::DeleteQueues(key)).await?;
            self.sweep_rest().await?;
            let review = StateKey::review(site, crawl).as_str().to_owned();
            self.write(Command::DeleteStates(vec![review])).await?;
            self.write(Command::DeleteCrawl(key)).await?;
            self.keys.forget(site, crawl);
            lock(&self.waiting).remove(&key);
            deletion.finished = true;
        }
        Ok(deletion)
    }

    async fn delete_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
    ) -> Result<Deletion, StoreError> {
        let _alone = self.deleting.lock().await;
        let Some(key) = self.expect_deletable(site, crawl).await? else {
            return Ok(Deletion { deleted: 0, finished: true });
        };
        let visits = self.read(|connection| read_visits_of(connection, key, pages))?;
        for chunk in visits.chunks(CHUNK) {
            self.delete_chunk(key, chunk.to_vec()).await?;
        }
        let contents = self.sweep(&sweeps::CONTENTS, usize::MAX).await?;
        Ok(Deletion { deleted: (visits.len() + contents) as u64, finished: true })
    }

    async fn forget_site(&self, site: &SiteId) -> Result<(), StoreError> {
        let _alone = self.deleting.lock().await;
        let Some(key) = self.read(|connection| self.keys.site(connection, site))? else { return Ok(()) };
        self.write(Command::DeleteSite(key)).await?;
        self.keys.forget_site(site);
        Ok(())
    }

    async fn rename_site(&self, site: &SiteId, to: &SiteId) -> Result<Recorded, StoreError> {
        let _alone = self.deleting.lock().await;
        let absent = || StoreError::Absent(format!("site {site}"));
        let key = self.read(|connection| self.keys.site(connection, site))?.ok_or_else(absent)?;
        if self.crawl_under_way(site).await?.is_some() {
            return Err(StoreError::Absent(format!("site {site} without an open crawl")));
        }
        let renamed = self.write(Command::RenameSite { site: key, to: to.clone() }).await?;
        self.keys.forget_site(site);
        Ok(renamed)
    }

    async fn size(&self) -> Result<Option<u64>, StoreError> {
        self.read(|connection| connection.query_row(SIZE, [], |row| read_count(row, 0))).map(Some)
    }

    async fn reclaim(&self) -> Result<(), StoreError> {
        let _alone = self.deleting.lock().await;
        self.sweep_rest().await?;
        let connection =
            open_for_writing(&self.path).map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        let reclaim = || connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        self.snapshot_reader.without_view(reclaim).map_err(store_error)
    }
}

impl SqliteStore {
    /// Returns the key of a crawl whose records may be deleted, if there is such a crawl; an open one is refused.
    async fn expect_deletable(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<CrawlKey>, StoreError> {
        match self.crawls(site).await?.into_iter().find(|stored| stored.id == crawl) {
            None => Ok(None),
            Some(stored) if stored.is_open() => {
                Err(StoreError::Absent(format!("closed {crawl} of site {site}")))
            }
            Some(_) => self.expect_crawl(site, crawl).map(Some),
        }
    }

    /// Deletes up to `limit` visits of a crawl, and returns how many.
    async fn delete_visits(&self, key: CrawlKey, limit: usize) -> Result<usize, StoreError> {
        let mut deleted = 0;
        let mut before = Vec::new();
        while deleted < limit {
            let most = CHUNK.min(limit - deleted);
            let visits = self.read(|connection| {
                let visits = read_visits(connection, key, most)?;
                // In a damaged file an index may name what is not there, for ever.
                let is_stuck = !visits.is_empty() && visits == before;
                if is_stuck {
                    Err(unreadable("visits that were deleted are still listed"))
                } else {
                    Ok(visits)
                }
            })?;
            if visits.is_empty() {
                break;
            }
            deleted += visits.len();
            before.clone_from(&visits);
            self.delete_chunk(key, visits).await?;
        }
        Ok(deleted)
    }

    async fn delete_chunk(&self, key: CrawlKey, visits: Vec<i64>) -> Result<(), StoreError> {
        self.write(Command::DeleteVisits { key, visits }).await?;
        self.snapshot_reader.renew();
        Ok(())
    }

    /// Deletes everything but contents that nothing names.
    async fn sweep_rest(&self) -> Result<(), StoreError> {
        for rest in sweeps::REST {
            self.sweep(rest, usize::MAX).await?;
        }
        Ok(())
    }

    /// Deletes up to `limit` rows that nothing names, and returns how many.
    async fn sweep(&self, of: &'static Sweep, limit: usize) -> Result<usize, StoreError> {
        if limit == 0 {
            return Ok(0);
        }
        let (since, mut rows) = self.read(|connection| read_unnamed(connection, of))?;
        rows.truncate(limit);
        for chunk in rows.chunks(CHUNK) {
            self.write(Command::Sweep { of, rows: chunk.to_vec(), since }).await?;
            self.snapshot_reader.renew();
        }
        Ok(rows.len())
    }
}

fn read_visits(connection: &Connection, key: CrawlKey, limit: usize) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached(VISITS)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    select.query_map((key.site, key.crawl, limit), |row| row.get(0))?.collect()
}

fn read_visits_of(connection: &Connection, key: CrawlKey, pages: &[PageUrl]) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached(VISIT)?;
    let mut visits = Vec::with_capacity(pages.len());
    for page in pages {
        let names = (key.site, key.crawl, page.as_str());
        visits.extend(select.query_row(names, |row| row.get::<_, i64>(0)).optional()?);
    }
    Ok(visits)
}

/// Returns the rows that nothing names, and when that was.
fn read_unnamed(connection: &Connection, of: &Sweep) -> rusqlite::Result<(Since, Vec<i64>)> {
    let view = connection.unchecked_transaction()?;
    let since = Since::read(&view)?;
    let rows = view.prepare(of.unnamed)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok((since, rows))
}
