//! What is wrong with a site, read from the records of one crawl: broken links, chains of redirects, orphans
//! and duplicates (deduplication), and pages over which Recrawl itself stumbled.
//!
//! Each gatherer takes records and links a chunk at a time, in any order. The functions here read a crawl into them.

mod broken;
mod duplicates;
mod orphans;
mod redirects;
mod stumbles;

use recrawl_core::decide::judge::redirect_target;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::{PageUrl, UrlRules};

pub use self::broken::{BrokenLinks, BrokenTarget, Fault};
pub use self::duplicates::{DuplicateEntry, Duplicates, Group, Likeness};
pub use self::orphans::{OrphanEntry, Orphans};
pub use self::redirects::{ChainEnd, RedirectChain, Redirects};
pub use self::stumbles::StumbleEntry;
use crate::scan::{Leads, for_each_record};

/// Returns where a page redirects, as far as is known: in full, and without parameters that crawls drop.
///
/// Nobody stored which of the two the crawl went by.
pub fn redirect_targets(record: &PageRecord) -> Vec<PageUrl> {
    if record.known.presence != Presence::Redirect {
        return Vec::new();
    }
    let mut targets: Vec<PageUrl> = Vec::new();
    for rules in [UrlRules::keep_all_parameters(), UrlRules::default()] {
        let target = redirect_target(&record.url, &record.known.headers, &rules);
        targets.extend(target.filter(|target| !targets.contains(target)));
    }
    targets
}

/// Returns the broken links of a crawl.
pub async fn broken_links(history: &dyn History, crawl: &Crawl) -> Result<Vec<BrokenTarget>, StoreError> {
    let (mut report, mut leads) = (BrokenLinks::default(), Leads::default());
    for_each_record(history, crawl, |record| {
        report.take_in(record);
        leads.take_in(record);
    })
    .await?;
    leads.follow(history, &crawl.site, |page, links| report.refer(page, links)).await?;
    Ok(report.finish())
}

/// Returns the redirects of a crawl, followed to their ends.
pub async fn redirects(history: &dyn History, crawl: &Crawl) -> Result<Vec<RedirectChain>, StoreError> {
    let mut report = Redirects::default();
    for_each_record(history, crawl, |record| report.take_in(record)).await?;
    Ok(report.finish())
}

/// Returns the orphans of a crawl.
pub async fn orphans(history: &dyn History, crawl: &Crawl) -> Result<Vec<OrphanEntry>, StoreError> {
    let (mut report, mut leads) = (Orphans::default(), Leads::default());
    for_each_record(history, crawl, |record| {
        report.take_in(record);
        leads.take_in(record);
    })
    .await?;
    leads.follow(history, &crawl.site, |page, links| report.refer(page, links)).await?;
    OrphanEntry::read(history, &crawl.site, report.finish()).await
}

/// Returns groups of pages that say the same.
pub async fn duplicates(history: &dyn History, crawl: &Crawl) -> Result<Vec<Group>, StoreError> {
    let mut report = Duplicates::default();
    for_each_record(history, crawl, |record| report.take_in(record)).await?;
    Ok(report.finish())
}

#[cfg(test)]
mod stage;
