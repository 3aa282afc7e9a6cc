//! The audit: every page that should have been visited was, or is queued again.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::{baseline, opened_before};
use crate::crawl::Crawl;
use crate::ids::{CrawlId, SiteId};
use crate::judge::redirect_target;
use crate::ports::{Choice, Priority, QueuedPage, Store, StoreError};
use crate::record::{Found, FoundBy, PageRecord, Presence};
use crate::scope::Scope;
use crate::statistics::Statistics;
use crate::url::{PageUrl, UrlRules};

/// How many records, with their links, are read at once.
const CHUNK: usize = 300;

/// How many missing pages an audit names at most. The next one finds the others.
const MOST_MISSING: usize = 50_000;

/// What an audit found.
#[derive(Debug, Default)]
pub struct Audit {
    /// Pages without a record that should have one, or many of them where there are very many.
    pub missing: Vec<QueuedPage>,
    /// The figures of the crawl so far.
    pub statistics: Statistics,
}

/// Why an audit could not be finished.
#[derive(Debug, Error)]
#[error("the crawl could not be audited")]
pub struct AuditError(#[from] StoreError);

/// Adds up what is recorded in `crawl`.
pub async fn figures(store: &dyn Store, site: &SiteId, crawl: CrawlId) -> Result<Statistics, StoreError> {
    let mut statistics = Statistics::default();
    let mut last = None;
    loop {
        let records = store.records(site, crawl, &[], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { return Ok(statistics) };
        last = Some(record.url.clone());
        for record in &records {
            statistics.add(record);
        }
    }
}

/// Looks for pages of `crawl` that should have a record and have none: links of recorded pages, and
/// pages that were live when last seen.
///
/// A lost message therefore costs a delay, never a page.
pub async fn audit(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    crawls: &[Crawl],
    scope: &Scope,
    url_rules: &UrlRules,
) -> Result<Audit, AuditError> {
    let mut statistics = Statistics::default();
    let mut accounted = Accounted::default();
    if look_at_records(store, site, crawl, scope, url_rules, &mut accounted, Some(&mut statistics)).await? {
        // Some of what was wanted had a record after all, and took the place of others.
        look_at_records(store, site, crawl, scope, url_rules, &mut accounted, None).await?;
    }
    let missing =
        missing(store, site, crawl, crawls, scope, accounted, &|pages| (0..pages.len()).collect()).await?;
    Ok(Audit { missing, statistics })
}

/// Takes in what is recorded, and where it leads; tells whether anything was left out for lack of room that
/// another look would find.
async fn look_at_records(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    scope: &Scope,
    url_rules: &UrlRules,
    accounted: &mut Accounted,
    mut statistics: Option<&mut Statistics>,
) -> Result<bool, StoreError> {
    let mut is_full = false;
    let mut last = None;
    loop {
        let records = store.records(site, crawl, &[], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        for record in &records {
            if let Some(statistics) = &mut statistics {
                statistics.add(record);
            }
            accounted.record(&record.url);
        }
        for (record, links) in onward(store, &records, url_rules).await? {
            let depth = record.found.depth + 1;
            for (link, by) in links {
                if admits(scope, &link, depth) {
                    let found = || Found { by, depth, referrer: Some(record.url.clone()) };
                    is_full |= !accounted.want(link, found);
                }
            }
        }
    }
    Ok(is_full && accounted.has_room())
}

/// Looks for pages that were live when last seen and have no record in `crawl`, of which one process recorded every
/// page, and queued its links with it.
///
/// `undone` chooses the pages that are not recorded.
pub async fn audit_memory(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    crawls: &[Crawl],
    scope: &Scope,
    undone: &Choice<'_>,
) -> Result<Vec<QueuedPage>, AuditError> {
    Ok(missing(store, site, crawl, crawls, scope, Accounted::default(), undone).await?)
}

/// Returns what is wanted and not recorded, and pages that were live when last seen and are neither.
async fn missing(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    crawls: &[Crawl],
    scope: &Scope,
    mut accounted: Accounted,
    undone: &Choice<'_>,
) -> Result<Vec<QueuedPage>, StoreError> {
    for earlier in baseline(opened_before(crawls, crawl)) {
        let unaccounted = |pages: &[u128]| {
            undone(pages).into_iter().filter(|place| !accounted.has(pages[*place])).collect()
        };
        for record in store.records_where(site, earlier, &unaccounted).await? {
            // The newest record of a page decides, so also one that is not live counts.
            let depth = record.found.depth;
            if record.known.presence.is_live() && admits(scope, &record.url, depth) {
                accounted.want(record.url, || Found { by: FoundBy::Memory, depth, referrer: None });
            } else {
                accounted.record(&record.url);
            }
        }
    }
    let priority = Priority::default();
    let queued = |(url, found)| QueuedPage { site: site.clone(), crawl, url, found, priority };
    Ok(accounted.missing().into_iter().map(queued).collect())
}

fn admits(scope: &Scope, url: &PageUrl, depth: u32) -> bool {
    scope.admits(url).is_ok() && scope.admits_depth(depth).is_ok()
}

/// Pages that have a record, and pages that should have one: of every page, one fingerprint, and of those
/// without a record so far also the address.
#[derive(Default)]
struct Accounted {
    recorded: HashSet<u128>,
    wanted: HashMap<u128, (PageUrl, Found)>,
}

impl Accounted {
    fn record(&mut self, url: &PageUrl) {
        let fingerprint = url.fingerprint();
        self.wanted.remove(&fingerprint);
        self.recorded.insert(fingerprint);
    }

    /// Takes a page in that should have a record; tells whether there was room for it.
    fn want(&mut self, url: PageUrl, found: impl FnOnce() -> Found) -> bool {
        let fingerprint = url.fingerprint();
        if self.has(fingerprint) {
            return true;
        }
        let has_room = self.has_room();
        if has_room {
            self.wanted.insert(fingerprint, (url, found()));
        }
        has_room
    }

    fn has_room(&self) -> bool {
        self.wanted.len() < MOST_MISSING
    }

    fn has(&self, fingerprint: u128) -> bool {
        self.recorded.contains(&fingerprint) || self.wanted.contains_key(&fingerprint)
    }

    fn missing(self) -> Vec<(PageUrl, Found)> {
        let mut missing: Vec<(PageUrl, Found)> = self.wanted.into_values().collect();
        missing.sort_by(|(url, found), (other_url, other)| (found.depth, url).cmp(&(other.depth, other_url)));
        missing
    }
}

/// Returns where recorded pages lead.
async fn onward<'a>(
    store: &dyn Store,
    records: &'a [PageRecord],
    url_rules: &UrlRules,
) -> Result<Vec<(&'a PageRecord, Vec<(PageUrl, FoundBy)>)>, StoreError> {
    let mut leads = Vec::new();
    let (mut readers, mut contents) = (Vec::new(), Vec::new());
    for record in records {
        let known = &record.known;
        match (known.presence, &known.content) {
            (Presence::Present, Some(content)) => {
                readers.push(record);
                contents.push(content.hash);
            }
            (Presence::Redirect, _) => {
                let target = redirect_target(&record.url, &known.headers, url_rules);
                leads.push((record, target.into_iter().map(|url| (url, FoundBy::Redirect)).collect()));
            }
            (Presence::Present | Presence::Unknown | Presence::Gone | Presence::GoneForGood, _) => {}
        }
    }
    let links = store.links_of(&contents).await?;
    for (record, links) in readers.into_iter().zip(links) {
        let links = links.unwrap_or_default().into_iter().map(|link| (link, FoundBy::Link)).collect();
        leads.push((record, links));
    }
    Ok(leads)
}
