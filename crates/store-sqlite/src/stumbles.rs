//! Pages that the program itself could not read.

use async_trait::async_trait;
use recrawl_core::model::ids::{CrawlId, RulesVersion, SiteId};
use recrawl_core::model::stumble::{Aside, KeptStumble, Stumble};
use recrawl_core::panics::Panic;
use recrawl_core::ports::{StoreError, Stumbles};
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension, params};

use crate::compression::{self, Effort};
use crate::error::{store_error, unreadable};
use crate::keys::CrawlKey;
use crate::records::row::{read_time, read_url};
use crate::store::SqliteStore;
use crate::writer::Command;

#[async_trait]
impl Stumbles for SqliteStore {
    async fn save_stumble(&self, stumble: &Stumble, body: Option<&[u8]>) -> Result<(), StoreError> {
        let key = self.expect_crawl(&stumble.site, stumble.crawl)?;
        let unavailable = |error| StoreError::Unavailable(Box::new(error));
        let frame = body.map(|body| compression::compress(&[body], Effort::Thorough)).transpose();
        let frame = frame.map_err(unavailable)?;
        let bytes = body.map(|body| body.len() as u64);
        self.write(Command::SaveStumble { key, stumble: Box::new(stumble.clone()), bytes, frame }).await?;
        Ok(())
    }

    async fn stumbles(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<KeptStumble>, StoreError> {
        let Some(key) = self.find_crawl(site, crawl).map_err(store_error)? else {
            return Ok(Vec::new());
        };
        self.read(|connection| read_stumbles(connection, key, site, crawl))
    }

    async fn stumbled_body(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(key) = self.find_crawl(site, crawl).map_err(store_error)? else {
            return Ok(None);
        };
        let frame = self.read(|connection| read_frame(connection, key, url))?;
        let body = frame.map(|frame| compression::decompress(&frame)).transpose();
        body.map_err(|error| StoreError::Corrupt(Box::new(error)))
    }
}

fn read_stumbles(
    connection: &Connection,
    key: CrawlKey,
    site: &SiteId,
    crawl: CrawlId,
) -> rusqlite::Result<Vec<KeptStumble>> {
    let sql = "SELECT url, at, message, place, rules, content_type, bytes, body IS NOT NULL FROM stumble
        WHERE site = ?1 AND crawl = ?2 ORDER BY at, url";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([key.site, key.crawl], |row| {
        let bytes = row.get::<_, Option<i64>>(6)?.map(u64::try_from).transpose().map_err(unreadable)?;
        Ok(KeptStumble {
            stumble: Stumble {
                site: site.clone(),
                crawl,
                url: read_url(row, 0)?,
                at: read_time(row, 1)?,
                fault: Panic { message: row.get(2)?, place: row.get(3)? },
                rules: RulesVersion(row.get(4)?),
                content_type: row.get(5)?,
            },
            body: match (bytes, row.get(7)?) {
                (None, _) => Aside::None,
                (Some(bytes), false) => Aside::Dropped { bytes },
                (Some(bytes), true) => Aside::Kept { bytes },
            },
        })
    })?;
    rows.collect()
}

fn read_frame(connection: &Connection, key: CrawlKey, url: &PageUrl) -> rusqlite::Result<Option<Vec<u8>>> {
    let sql = "SELECT body FROM stumble WHERE site = ?1 AND crawl = ?2 AND url = ?3";
    let mut select = connection.prepare_cached(sql)?;
    let found: Option<Option<Vec<u8>>> =
        select.query_row(params![key.site, key.crawl, url.as_str()], |row| row.get(0)).optional()?;
    Ok(found.flatten())
}
