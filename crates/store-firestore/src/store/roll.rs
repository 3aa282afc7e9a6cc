//! The roll of a closed crawl: the addresses of its pages, so that few of many are found without reading
//! each record.

use recrawl_core::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;

use super::FirestoreStore;
use crate::client::{BATCH, replace};
use crate::shape::{self, CrawlDocument, RollDocument, unreadable};

impl FirestoreStore {
    /// Writes the roll of a crawl with this many pages; returns how many documents it takes.
    ///
    /// An audit has just read all records, so their addresses are at hand; if not, they are read again.
    pub(super) async fn write_roll(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        total: u64,
    ) -> Result<usize, StoreError> {
        let pages = match self.last_scan.take(site, crawl, total) {
            Some(pages) => pages,
            None => self.all_pages(site, crawl).await?,
        };
        let rolls = RollDocument::of(&pages);
        for (number, roll) in rolls.iter().enumerate() {
            let document = shape::write(self.paths.roll(site, crawl, number), roll)?;
            self.client.commit(vec![replace(document)]).await?;
        }
        Ok(rolls.len())
    }

    /// Returns the pages of a closed crawl, if it has a roll.
    pub(super) async fn read_roll(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        let Some(document) = self.client.get(&self.paths.crawl(site, crawl), &[]).await? else {
            return Ok(None);
        };
        let Some(rolls) = shape::read::<CrawlDocument>(&document)?.rolls else {
            return Ok(None);
        };
        let names: Vec<String> = (0..rolls).map(|number| self.paths.roll(site, crawl, number)).collect();
        let found = self.client.get_all(names.clone(), &[]).await?;
        let mut pages = Vec::new();
        for name in names {
            let roll = found.get(&name).ok_or_else(|| unreadable("a part of a roll is missing"))?;
            pages.extend(shape::read::<RollDocument>(roll)?.read()?);
        }
        Ok(Some(pages))
    }

    async fn all_pages(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<PageUrl>, StoreError> {
        let mut pages: Vec<PageUrl> = Vec::new();
        loop {
            let chunk = self.find_pages(site, crawl, pages.last(), BATCH).await?;
            let is_last = chunk.len() < BATCH;
            pages.extend(chunk);
            if is_last {
                return Ok(pages);
            }
        }
    }
}
