//! The audit: every page that should have been visited was, or is queued again.

use std::collections::{BTreeMap, HashMap, HashSet};

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
///
/// Where depth is limited, the shortest way to a page counts, whichever was found first, and is written into its
/// record. Pages that were live when last seen then count only once no link is missing: whether a link leads to one, and
/// from how far, is not known before. Those of the missing that `are_settled` are not waited for.
pub async fn audit(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    crawls: &[Crawl],
    scope: &Scope,
    url_rules: &UrlRules,
    are_settled: &(dyn Fn(&PageUrl) -> bool + Send + Sync),
) -> Result<Audit, AuditError> {
    let records = Records { store, site, crawl, scope, url_rules };
    let mut statistics = Statistics::default();
    let mut accounted = Accounted::default();
    if records.look_at_all(&mut accounted, Some(&mut statistics)).await? {
        // Some of what was wanted had a record after all, and took the place of others.
        records.look_at_all(&mut accounted, None).await?;
    }
    records.follow_shorter_ways(&mut accounted).await?;
    let awaits_links = scope.limits_depth() && accounted.wanted.values().any(|(url, _)| !are_settled(url));
    let missing = if awaits_links {
        accounted.missing(site, crawl)
    } else {
        missing(store, site, crawl, crawls, scope, accounted, &|pages| (0..pages.len()).collect()).await?
    };
    Ok(Audit { missing, statistics })
}

/// The records of a crawl, and where they lead.
struct Records<'a> {
    store: &'a dyn Store,
    site: &'a SiteId,
    crawl: CrawlId,
    scope: &'a Scope,
    url_rules: &'a UrlRules,
}

impl Records<'_> {
    /// Takes in what is recorded, and where it leads; tells whether anything was left out for lack of room that
    /// another look would find.
    async fn look_at_all(
        &self,
        accounted: &mut Accounted,
        mut statistics: Option<&mut Statistics>,
    ) -> Result<bool, StoreError> {
        let mut is_full = false;
        let mut last = None;
        loop {
            let records = self.store.records(self.site, self.crawl, &[], last.as_ref(), CHUNK).await?;
            let Some(record) = records.last() else { break };
            last = Some(record.url.clone());
            for record in &records {
                if let Some(statistics) = &mut statistics {
                    statistics.add(record);
                }
                accounted.record(&record.url, record.found.depth, self.scope.limits_depth());
            }
            is_full |= !self.lead_on(&records, accounted).await?;
        }
        Ok(is_full && accounted.has_room())
    }

    /// Takes in where records lead; tells whether there was room for all of it.
    async fn lead_on(&self, records: &[PageRecord], accounted: &mut Accounted) -> Result<bool, StoreError> {
        let mut has_room = true;
        let leads = |record: &&PageRecord| {
            let depth = accounted.depth(record).saturating_add(1);
            self.scope.admits_depth(depth).is_ok()
        };
        let near: Vec<&PageRecord> = records.iter().filter(leads).collect();
        for (record, links) in onward(self.store, &near, self.url_rules).await? {
            let depth = accounted.depth(record).saturating_add(1);
            for (link, by) in links {
                if self.scope.admits(&link).is_err() {
                    continue;
                }
                if self.scope.limits_depth() {
                    accounted.approach(&link, depth);
                }
                let found = || Found { by, depth, referrer: Some(record.url.clone()) };
                has_room &= accounted.want(link, found);
            }
        }
        Ok(has_room)
    }

    /// Takes in where pages lead to which there is a shorter way than was thought, and writes the way into their
    /// records.
    async fn follow_shorter_ways(&self, accounted: &mut Accounted) -> Result<(), StoreError> {
        loop {
            let nearer = std::mem::take(&mut accounted.nearer);
            if nearer.is_empty() {
                break;
            }
            for url in nearer {
                let record = self.store.page(self.site, self.crawl, &url).await?;
                self.lead_on(record.as_slice(), accounted).await?;
            }
        }
        for (depth, pages) in accounted.lowered() {
            for pages in pages.chunks(CHUNK) {
                self.store.lower_depth(self.site, self.crawl, pages, depth).await?;
            }
        }
        Ok(())
    }
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
                accounted.record(&record.url, depth, false);
            }
        }
    }
    Ok(accounted.missing(site, crawl))
}

fn admits(scope: &Scope, url: &PageUrl, depth: u32) -> bool {
    scope.admits(url).is_ok() && scope.admits_depth(depth).is_ok()
}

/// Pages that have a record, and pages that should have one: of every page, one fingerprint and how far it is from the
/// root, and of those without a record so far also the address.
#[derive(Default)]
struct Accounted {
    recorded: HashMap<u128, u32>,
    wanted: HashMap<u128, (PageUrl, Found)>,
    /// Recorded pages to which a shorter way was found, and where that leads was not looked at.
    nearer: Vec<PageUrl>,
    /// Recorded pages whose records name a longer way.
    lowered: HashSet<PageUrl>,
}

impl Accounted {
    /// Takes in a record that names a way of `depth` links. A shorter way may be known, which counts where
    /// `ways_count`.
    fn record(&mut self, url: &PageUrl, depth: u32, ways_count: bool) {
        let fingerprint = url.fingerprint();
        let wanted = self.wanted.remove(&fingerprint).map(|(_, found)| found.depth);
        let known = self.recorded.get(&fingerprint).copied().or(wanted);
        let shorter = known.filter(|known| ways_count && *known < depth);
        if shorter.is_some() {
            self.lowered.insert(url.clone());
        }
        self.recorded.insert(fingerprint, shorter.unwrap_or(depth));
    }

    /// Returns how far a recorded page is from the root.
    fn depth(&self, record: &PageRecord) -> u32 {
        self.recorded.get(&record.url.fingerprint()).copied().unwrap_or(record.found.depth)
    }

    /// Takes in a way of `depth` links to a page that may be recorded or wanted already.
    fn approach(&mut self, url: &PageUrl, depth: u32) {
        let fingerprint = url.fingerprint();
        if let Some((_, found)) = self.wanted.get_mut(&fingerprint) {
            found.depth = found.depth.min(depth);
        }
        if let Some(recorded) = self.recorded.get_mut(&fingerprint).filter(|recorded| **recorded > depth) {
            *recorded = depth;
            self.nearer.push(url.clone());
            self.lowered.insert(url.clone());
        }
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
        self.recorded.contains_key(&fingerprint) || self.wanted.contains_key(&fingerprint)
    }

    /// Returns the pages whose records name a longer way than there is, by the depth of the shortest.
    fn lowered(&mut self) -> BTreeMap<u32, Vec<PageUrl>> {
        let mut by_depth: BTreeMap<u32, Vec<PageUrl>> = BTreeMap::new();
        for url in std::mem::take(&mut self.lowered) {
            if let Some(depth) = self.recorded.get(&url.fingerprint()) {
                by_depth.entry(*depth).or_default().push(url);
            }
        }
        by_depth
    }

    /// Returns what is wanted, the nearest first.
    fn missing(self, site: &SiteId, crawl: CrawlId) -> Vec<QueuedPage> {
        let mut missing: Vec<(PageUrl, Found)> = self.wanted.into_values().collect();
        missing.sort_by(|(url, found), (other_url, other)| (found.depth, url).cmp(&(other.depth, other_url)));
        let priority = Priority::default();
        let queued = |(url, found)| QueuedPage { site: site.clone(), crawl, url, found, priority };
        missing.into_iter().map(queued).collect()
    }
}

/// Returns where recorded pages lead.
async fn onward<'a>(
    store: &dyn Store,
    records: &[&'a PageRecord],
    url_rules: &UrlRules,
) -> Result<Vec<(&'a PageRecord, Vec<(PageUrl, FoundBy)>)>, StoreError> {
    let mut leads = Vec::new();
    let (mut readers, mut contents) = (Vec::new(), Vec::new());
    for record in records.iter().copied() {
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
