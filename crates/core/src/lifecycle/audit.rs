//! The audit: every page that should have been visited was, or is queued again.

use std::collections::HashSet;

use thiserror::Error;

use super::baseline;
use crate::crawl::Crawl;
use crate::ids::{CrawlId, SiteId};
use crate::judge::redirect_target;
use crate::ports::{QueuedPage, Store, StoreError};
use crate::record::{Found, FoundBy, PageRecord, Presence};
use crate::scope::Scope;
use crate::statistics::Statistics;
use crate::url::{PageUrl, UrlRules};

/// How many records are read at once.
const CHUNK: usize = 1_000;

/// What an audit found.
#[derive(Debug, Default)]
pub struct Audit {
    /// Pages without a record that should have one.
    pub missing: Vec<QueuedPage>,
    /// The figures of the crawl so far.
    pub statistics: Statistics,
}

/// Why an audit could not be finished.
#[derive(Debug, Error)]
#[error("the crawl could not be audited")]
pub struct AuditError(#[from] StoreError);

/// Looks for pages of `crawl` that should have a record and have none: links of recorded pages, and
/// pages that were live when last seen.
///
/// A lost message therefore costs a delay, never a page. `is_done` tells of a page that it is recorded, and
/// that its links are known to have been queued durably; the links of those are not read again.
pub async fn audit(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    crawls: &[Crawl],
    scope: &Scope,
    is_done: &(dyn Fn(&PageUrl) -> bool + Sync),
) -> Result<Audit, AuditError> {
    let mut found = Audit::default();
    let mut accounted: HashSet<u128> = HashSet::new();
    let mut cursor = Cursor::new(store, site, crawl);
    while let Some(records) = cursor.next().await? {
        for record in records {
            found.statistics.add(&record);
            if !is_done(&record.url) {
                accounted.insert(record.url.fingerprint());
            }
        }
    }
    let queued = |url: PageUrl, found: Found| QueuedPage { site: site.clone(), crawl, url, found };
    let admits = |url: &PageUrl, depth| scope.admits(url).is_ok() && scope.admits_depth(depth).is_ok();
    // Read again rather than kept: the records of a large crawl do not fit in memory.
    let mut cursor = Cursor::new(store, site, crawl);
    let any_unread = !accounted.is_empty();
    while any_unread && let Some(records) = cursor.next().await? {
        for record in records.iter().filter(|record| !is_done(&record.url)) {
            let depth = record.found.depth + 1;
            for (link, by) in onward(store, record).await? {
                let missing = admits(&link, depth) && !is_done(&link) && accounted.insert(link.fingerprint());
                if missing {
                    let referrer = Some(record.url.clone());
                    found.missing.push(queued(link, Found { by, depth, referrer }));
                }
            }
        }
    }
    for earlier in baseline(crawls, crawl) {
        let mut cursor = Cursor::new(store, site, earlier);
        while let Some(records) = cursor.next().await? {
            for record in records {
                // The newest record of a page decides, so also one that is not live counts.
                let first = !is_done(&record.url) && accounted.insert(record.url.fingerprint());
                if first && record.known.presence.is_live() && admits(&record.url, record.found.depth) {
                    let way = Found { by: FoundBy::Memory, depth: record.found.depth, referrer: None };
                    found.missing.push(queued(record.url, way));
                }
            }
        }
    }
    Ok(found)
}

/// Returns where a recorded page leads.
async fn onward(store: &dyn Store, record: &PageRecord) -> Result<Vec<(PageUrl, FoundBy)>, StoreError> {
    let known = &record.known;
    match (known.presence, &known.content) {
        (Presence::Present, Some(content)) => {
            let links = store.links(&content.hash).await?.unwrap_or_default();
            Ok(links.into_iter().map(|link| (link, FoundBy::Link)).collect())
        }
        (Presence::Redirect, _) => {
            let target = redirect_target(&record.url, &known.headers, &UrlRules::default());
            Ok(target.into_iter().map(|target| (target, FoundBy::Redirect)).collect())
        }
        (Presence::Present | Presence::Unknown | Presence::Gone | Presence::GoneForGood, _) => Ok(Vec::new()),
    }
}

/// Reads the records of a crawl a chunk at a time.
struct Cursor<'a> {
    store: &'a dyn Store,
    site: &'a SiteId,
    crawl: CrawlId,
    last: Option<PageUrl>,
}

impl<'a> Cursor<'a> {
    fn new(store: &'a dyn Store, site: &'a SiteId, crawl: CrawlId) -> Self {
        Self { store, site, crawl, last: None }
    }

    async fn next(&mut self) -> Result<Option<Vec<PageRecord>>, StoreError> {
        let records = self.store.records(self.site, self.crawl, &[], self.last.as_ref(), CHUNK).await?;
        self.last = records.last().map(|record| record.url.clone());
        Ok(self.last.is_some().then_some(records))
    }
}
