//! The state of a site in its latest whole crawl.

mod gathering;
mod rows;

use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::ports::{StateEntry, StateKey};

use self::gathering::Gathering;
pub use self::rows::{
    AGES, BrokenRow, ChainEnd, Figure, Freshness, RedirectRow, Rows, SiteReport, StatusRow,
};
use super::recent::Reading;
use crate::error::WebError;

/// Changes whenever a stored report can no longer be read, or would be wrong.
const VERSION: u32 = 2;

/// Returns the state of a site in its latest crawl that saw the whole site, or else the latest closed one.
///
/// Reading every record is dear where reads are billed, and a closed crawl stays what it is: so a report is
/// made once and remembered.
pub(crate) async fn report(reading: Reading<'_>, site: &Site) -> Result<Option<SiteReport>, WebError> {
    let Reading { library, recent, now } = reading;
    let crawls = library.crawls(&site.id).await?;
    let whole = |crawl: &&Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
    let crawl =
        crawls.iter().rev().find(whole).or_else(|| crawls.iter().rev().find(|crawl| !crawl.is_open()));
    let Some((crawl, first)) = crawl.zip(crawls.first()) else { return Ok(None) };
    let key = StateKey::site_report(VERSION, &site.id, crawl.id);
    if let Some(report) = recent.report(&key, now) {
        return Ok(Some(report));
    }
    let remembered = library.state(&key).await?;
    if let Some(report) = remembered.and_then(|memo| serde_json::from_str(&memo.value).ok()) {
        return Ok(Some(report));
    }
    let report = Gathering::gather(library, site, crawl, first).await?;
    let value = serde_json::to_string(&report).unwrap_or_default();
    if let Err(error) = library.save_state(&key, &StateEntry { saved_at: now, value }).await {
        // A service that may only read remembers it while it runs.
        tracing::debug!(%error, site = %site.id, "the report of a site could not be saved");
        recent.keep_report(key, &report, now);
    }
    Ok(Some(report))
}
