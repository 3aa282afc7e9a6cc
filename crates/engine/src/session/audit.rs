//! The audit: every page that should have been visited was, or is queued again.

mod accounted;
mod gathered;

use thiserror::Error;

use self::accounted::Accounted;
pub use self::gathered::GatheredAudits;
use super::ListedPages;
use recrawl_core::decide::judge::redirect_target;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Found, FoundBy, PageRecord, PageSummary, Presence};
use recrawl_core::model::scope::Scope;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{QueuedPage, Store, StoreError};
use recrawl_core::url::{PageUrl, UrlRules};

/// How many records, with their links, are read at once.
const CHUNK: usize = 300;

/// What an audit found.
#[derive(Debug, Default)]
pub struct Audit {
    /// Pages without a record that should have one, or many of them where there are very many.
    pub missing: Vec<QueuedPage>,
    /// The figures of the crawl so far.
    pub statistics: Statistics,
    /// The record of the root, where it is at hand.
    pub root: Option<Box<PageRecord>>,
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
///
/// `listed` are pages that sitemaps list: they should have a record, too.
pub async fn audit(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    scope: &Scope,
    url_rules: &UrlRules,
    listed: Vec<PageUrl>,
    are_settled: &(dyn Fn(&PageUrl) -> bool + Send + Sync),
) -> Result<Audit, AuditError> {
    let records = Records { store, site, crawl, scope, url_rules };
    Ok(Gathered::of(&records, listed, are_settled).await?.audit(site, crawl))
}

/// What an audit saw.
#[derive(Debug)]
struct Gathered {
    accounted: Accounted,
    statistics: Statistics,
}

impl Gathered {
    /// Reads all records of a crawl.
    async fn of(
        records: &Records<'_>,
        listed: Vec<PageUrl>,
        are_settled: &(dyn Fn(&PageUrl) -> bool + Send + Sync),
    ) -> Result<Self, StoreError> {
        let mut statistics = Statistics::default();
        let mut accounted = Accounted::default();
        if records.look_at_all(&mut accounted, Some(&mut statistics)).await? {
            // Some of what was wanted had a record after all, and took the place of others.
            records.look_at_all(&mut accounted, None).await?;
        }
        records.expect(listed, &mut accounted);
        records.follow_shorter_ways(&mut accounted).await?;
        let Records { store, site, crawl, scope, .. } = *records;
        let awaits_links =
            scope.limits_depth() && accounted.wanted.values().any(|(url, _)| !are_settled(url));
        if !awaits_links {
            want_known(store, site, crawl, scope, &mut accounted, &|_| false).await?;
        }
        Ok(Self { accounted, statistics })
    }

    fn audit(&self, site: &SiteId, crawl: CrawlId) -> Audit {
        let missing = self.accounted.missing(site, crawl);
        Audit { missing, statistics: self.statistics.clone(), root: None }
    }
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

    /// Takes in pages that sitemaps list.
    fn expect(&self, listed: Vec<PageUrl>, accounted: &mut Accounted) {
        let depth = ListedPages::FOUND.depth;
        for page in listed {
            if !admits(self.scope, &page, depth) {
                continue;
            }
            if self.scope.limits_depth() {
                accounted.approach(&page, depth);
            }
            accounted.want(page, || ListedPages::FOUND);
        }
    }

    /// Takes in where records lead; tells whether there was room for all of it.
    async fn lead_on(&self, records: &[PageRecord], accounted: &mut Accounted) -> Result<bool, StoreError> {
        let mut has_room = true;
        let leads = |record: &&PageRecord| {
            let depth = accounted.depth(record).saturating_add(1);
            self.scope.admits_depth(depth).is_ok()
        };
        let near: Vec<&PageRecord> = records.iter().filter(leads).collect();
        for (record, links) in onward(self.store, self.site, &near, self.url_rules).await? {
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
/// `is_recorded` tells of which pages that is known already.
pub async fn audit_memory(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    scope: &Scope,
    is_recorded: &(dyn Fn(&PageUrl) -> bool + Send + Sync),
) -> Result<Vec<QueuedPage>, AuditError> {
    let mut accounted = Accounted::default();
    want_known(store, site, crawl, scope, &mut accounted, is_recorded).await?;
    Ok(accounted.missing(site, crawl))
}

/// Wants pages that were live when last seen and are neither recorded nor wanted.
async fn want_known(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    scope: &Scope,
    accounted: &mut Accounted,
    is_recorded: &(dyn Fn(&PageUrl) -> bool + Send + Sync),
) -> Result<(), StoreError> {
    let mut each = |PageSummary { url, presence, found_by, depth, .. }: PageSummary| {
        // Images are asked for where pages show them, and else forgotten.
        let is_expected = found_by != FoundBy::Image && presence.is_live() && admits(scope, &url, depth);
        if is_expected && !is_recorded(&url) {
            accounted.want(url, || Found { by: FoundBy::Memory, depth, referrer: None });
        }
    };
    store.page_summaries(site, Some(crawl), &mut each).await
}

fn admits(scope: &Scope, url: &PageUrl, depth: u32) -> bool {
    scope.admits(url).is_ok() && scope.admits_depth(depth).is_ok()
}

/// Returns where recorded pages lead.
async fn onward<'a>(
    store: &dyn Store,
    site: &SiteId,
    records: &[&'a PageRecord],
    url_rules: &UrlRules,
) -> Result<Vec<(&'a PageRecord, Vec<(PageUrl, FoundBy)>)>, StoreError> {
    let mut leads = Vec::new();
    let (mut readers, mut contents) = (Vec::new(), Vec::new());
    for record in records.iter().copied().filter(|record| record.found.by != FoundBy::Image) {
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
    let links = store.links(site, &contents).await?;
    for (record, links) in readers.into_iter().zip(links) {
        let links = links.unwrap_or_default().into_iter().map(|link| (link, FoundBy::Link)).collect();
        leads.push((record, links));
    }
    Ok(leads)
}
