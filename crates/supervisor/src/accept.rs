//! Accepting an unusual crawl of an embedded store. Whether it can be is decided by [`decide::acceptance`].

use jiff::Timestamp;
use recrawl_core::decide::{self, Acceptance};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Occasion, TargetName};
use recrawl_stores::EmbeddedStore;

use crate::usage;

/// Accepts a crawl of an embedded store, which is open for crawling, and returns how many changes were announced; nothing
/// where that was done before. One that a later crawl saw otherwise is refused, unless by `force`. That `targets` are to
/// be told is noted; the caller tells them.
pub async fn accept(
    store: &dyn EmbeddedStore,
    site: &SiteId,
    crawl: CrawlId,
    force: bool,
    targets: &[TargetName],
    now: Timestamp,
) -> anyhow::Result<Option<u64>> {
    let crawls = store.crawls(site).await?;
    let meant = crawls.iter().find(|stored| stored.id == crawl);
    let meant = meant.ok_or_else(|| usage(format!("site {site} has no {crawl}")))?;
    match decide::acceptance(meant, &crawls) {
        Acceptance::Refused(reason) => return Err(usage(reason)),
        Acceptance::Outdated(reason) if !force => return Err(usage(reason)),
        Acceptance::Already(_) | Acceptance::Confirmed(_) => return Ok(None),
        Acceptance::Due | Acceptance::Outdated(_) => {}
    }
    let told = recrawl_engine::announce(store, store, site, crawl, false).await?;
    // Before it is accepted: a process that dies in between leaves word.
    recrawl_notify::note(store, targets, (site, crawl), Occasion::Accepted, now).await?;
    store.accept_crawl(site, crawl, now).await?;
    Ok(Some(told))
}
