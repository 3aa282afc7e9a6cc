//! Opening a crawl, or joining the one that is open.

use jiff::Timestamp;
use recrawl_core::decide::{Opening, opening};
use recrawl_core::model::crawl::{CrawlKind, Mode};
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{Recorded, Store, StoreError};

/// How often a race for a new crawl is lost before the store counts as unavailable.
///
/// Who loses finds the winner's crawl at the next look, so this is for a store that breaks its word.
const ATTEMPTS: usize = 5;

/// Joins the open crawl of a site, or opens one.
///
/// One read while a crawl is open. Of several concurrent calls one opens the crawl, and the others join
/// it. A `message` that opened a crawl before opens no further one, also when that has ended since.
pub async fn open(
    store: &dyn Store,
    site: &SiteId,
    kind: CrawlKind,
    mode: Mode,
    message: Option<&str>,
    now: Timestamp,
) -> Result<Opening, StoreError> {
    if let Some(crawl) = store.crawl_under_way(site).await? {
        return Ok(Opening::Join(crawl));
    }
    for _ in 0..ATTEMPTS {
        let crawls = store.crawls(site).await?;
        let outcome = opening(&crawls, site, kind, mode, message, now);
        match &outcome {
            Opening::Join(_) | Opening::Done(_) => return Ok(outcome),
            Opening::Open(crawl) => match store.open_crawl(crawl).await? {
                Recorded::First => return Ok(outcome),
                Recorded::Already => {}
            },
        }
    }
    Err(StoreError::Unavailable(format!("a crawl of {site} is there and is not listed").into()))
}
