//! The state of a site in its latest whole crawl: answers, freshness, slow and lively pages, faults.

mod gathering;
mod rows;

use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};

use self::gathering::Gathering;
pub use self::rows::{AGES, BrokenRow, Figure, FirstRows, Freshness, SiteReport, StatusRow};
use crate::cache::Reports;

/// Changes whenever a stored report can no longer be read, or would be wrong.
const VERSION: u32 = 3;

impl Reports<'_> {
    /// Returns the state of a site in its latest crawl that saw the whole site, or else the latest closed one.
    ///
    /// Reading every record is dear where reads are billed, and a closed crawl stays what it is: so a report is
    /// made once and remembered.
    pub async fn site_report(
        &self,
        state_store: &dyn StateStore,
        site: &Site,
    ) -> Result<Option<SiteReport>, StoreError> {
        let crawls = self.history.crawls(&site.id).await?;
        let whole = |crawl: &&Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
        let crawl =
            crawls.iter().rev().find(whole).or_else(|| crawls.iter().rev().find(|crawl| !crawl.is_open()));
        let Some((crawl, first)) = crawl.zip(crawls.first()) else { return Ok(None) };
        let key = StateKey::site_report(VERSION, &site.id, crawl.id);
        if let Some(report) = self.cache.reports.get(&key, self.now) {
            return Ok(Some(report));
        }
        let remembered = state_store.state(&key).await?;
        if let Some(report) = remembered.and_then(|memo| serde_json::from_str(&memo.value).ok()) {
            return Ok(Some(report));
        }
        let report = Gathering::gather(self.history, site, crawl, first).await?;
        let value = serde_json::to_string(&report).unwrap_or_default();
        if let Err(error) = state_store.save_state(&key, &StateEntry { saved_at: self.now, value }).await {
            // A service that may only read remembers it while it runs.
            tracing::debug!(%error, site = %site.id, "the report of a site could not be saved");
            self.cache.reports.put(key, report.clone(), 1, self.now);
        }
        Ok(Some(report))
    }
}
