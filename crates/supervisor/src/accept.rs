//! Accepting an unusual crawl of an embedded store. Whether it can be is decided by [`decide::acceptance`].

use jiff::Timestamp;
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide::{self, Acceptance};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_notify::{Occasion, TargetName};
use recrawl_stores::EmbeddedStore;

use crate::usage;

/// What came of saying that a line stands in for content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// How many pages show it, and tell nothing any more.
    pub pages: u64,
    /// How many changes were announced, if the crawl is believed without them; otherwise why it is still unusual.
    pub told: Result<u64, String>,
}

/// Remembers that a line stands in for content, judges an unusual crawl of an embedded store again, which is open for
/// crawling, and accepts it if nothing else in it is doubted.
pub async fn outage(
    store: &dyn EmbeddedStore,
    (site, crawl): (&SiteId, CrawlId),
    line: &str,
    sharing: SharingRules,
    targets: &[TargetName],
    now: Timestamp,
) -> anyhow::Result<Outage> {
    let crawls = store.crawls(site).await?;
    let meant = crawls.iter().find(|stored| stored.id == crawl);
    let meant = meant.ok_or_else(|| usage(format!("site {site} has no {crawl}")))?;
    match decide::acceptance(meant, &crawls) {
        Acceptance::Refused(reason) | Acceptance::Outdated(reason) => return Err(usage(reason)),
        Acceptance::Already(_) | Acceptance::Confirmed(_) => {
            return Err(usage(format!("{crawl} was accepted before: what it found is told")));
        }
        Acceptance::Due => {}
    }
    let noise = recrawl_engine::save_stand_in(store, site, line, now).await?;
    let judged = recrawl_engine::judge_again(store, store, sharing, meant, &noise.in_force()).await?;
    let told = match judged.doubt {
        Some(doubt) => Err(doubt),
        None => Ok(accept(store, (site, crawl), false, sharing, targets, now).await?.unwrap_or(0)),
    };
    Ok(Outage { pages: judged.pages, told })
}

/// Accepts a crawl of an embedded store, which is open for crawling, and returns how many changes were announced; nothing
/// where that was done before. One that a later crawl saw otherwise is refused, unless by `force`. That `targets` are to
/// be told is noted; the caller tells them.
pub async fn accept(
    store: &dyn EmbeddedStore,
    (site, crawl): (&SiteId, CrawlId),
    force: bool,
    sharing: SharingRules,
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
    let told = recrawl_engine::announce(store, store, site, crawl, None).await?;
    // Before it is accepted: a process that dies in between leaves word.
    recrawl_notify::note(store, targets, (site, crawl), Occasion::Accepted, now).await?;
    // Neither what was told is told again, nor is what changes by itself.
    recrawl_engine::learn_accepted(store, store, sharing, meant, now).await?;
    store.accept_crawl(site, crawl, now).await?;
    Ok(Some(told))
}
