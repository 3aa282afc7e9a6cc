//! The state of a site in its latest whole crawl.

mod gathering;
mod rows;

use jiff::Timestamp;
use recrawl_core::crawl::{Closed, Crawl, Site};
use recrawl_core::ports::Memo;

use self::gathering::Gathering;
pub use self::rows::{
    AGES, BrokenRow, ChainEnd, Figure, Freshness, RedirectRow, Rows, SiteReport, StatusRow,
};
use crate::app::Library;
use crate::error::WebError;

/// Changes whenever a stored report can no longer be read, or would be wrong.
const VERSION: u32 = 1;

/// Returns the state of a site in its latest crawl that saw the whole site, or else the latest closed one.
///
/// Reading every record is dear where reads are billed, and a closed crawl stays what it is: so a report is
/// made once and remembered.
pub(crate) async fn report(
    library: &dyn Library,
    site: &Site,
    now: Timestamp,
) -> Result<Option<SiteReport>, WebError> {
    let crawls = library.crawls(&site.id).await?;
    let whole = |crawl: &&Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
    let crawl =
        crawls.iter().rev().find(whole).or_else(|| crawls.iter().rev().find(|crawl| !crawl.is_open()));
    let Some((crawl, first)) = crawl.zip(crawls.first()) else { return Ok(None) };
    let key = format!("web-report-{VERSION}-{}-{}", site.id, crawl.id);
    let remembered = library.memo(&key).await?;
    if let Some(report) = remembered.and_then(|memo| serde_json::from_str(&memo.value).ok()) {
        return Ok(Some(report));
    }
    let report = Gathering::gather(library, site, crawl, first).await?;
    let value = serde_json::to_string(&report).unwrap_or_default();
    // A service that may only read shows the report all the same.
    if let Err(error) = library.save_memo(&key, &Memo { saved_at: now, value }).await {
        tracing::warn!(%error, site = %site.id, "the report of a site could not be remembered");
    }
    Ok(Some(report))
}
