//! The page index of a closed crawl: what is known of its pages in a few documents, so that few of many are found,
//! and all are looked over, without reading each record.

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageSummary;
use recrawl_core::ports::StoreError;

use super::FirestoreStore;
use crate::client::replace;
use crate::shape::{self, RollDocument, unreadable};

impl FirestoreStore {
    /// Writes the page index of a crawl with this many pages; returns how many documents it takes.
    ///
    /// An audit has just read all records, so what they say is at hand; if not, they are read again.
    pub(super) async fn write_roll(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        total: u64,
    ) -> Result<usize, StoreError> {
        let page_summaries = match self.last_scan.take(site, crawl, total) {
            Some(page_summaries) => page_summaries,
            None => self.scan_page_summaries(site, crawl).await?,
        };
        let rolls = RollDocument::of(&page_summaries);
        for (number, page_index) in rolls.iter().enumerate() {
            let document = shape::write(self.paths.page_index(site, crawl, number), page_index)?;
            self.client.commit(vec![replace(document)]).await?;
        }
        Ok(rolls.len())
    }

    /// Returns what the page index of a closed crawl says of its pages; `None` where it has their addresses alone.
    pub(super) async fn sightings_of_roll(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        count: usize,
    ) -> Result<Option<Vec<PageSummary>>, StoreError> {
        let mut all = Vec::new();
        for page_index in self.read_rolls(site, crawl, count).await? {
            match page_index.page_summaries()? {
                Some(page_summaries) => all.extend(page_summaries),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    async fn read_rolls(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        count: usize,
    ) -> Result<Vec<RollDocument>, StoreError> {
        let names: Vec<String> =
            (0..count).map(|number| self.paths.page_index(site, crawl, number)).collect();
        let found = self.client.get_all(names.clone(), &[]).await?;
        let part = |name| found.get(name).ok_or_else(|| unreadable("a part of a roll is missing"));
        names.iter().map(|name| shape::read(part(name)?)).collect()
    }
}
