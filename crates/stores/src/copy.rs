//! Copies the history of a site from one store to another, oldest crawl first; a copy that was broken off is resumed.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use futures_util::{StreamExt, TryStreamExt, stream};
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::record::{ContentRef, PageRecord};
use recrawl_core::ports::{Recorded, StateKey, StoreError, StoreExt};
use recrawl_core::url::PageUrl;

use crate::error::AccessError;
use crate::open::AnyStore;

/// How many records are read at a time, and how many are written at once.
const CHUNK: usize = 300;
const AT_ONCE: usize = 16;

/// What was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Crawls looked at.
    pub crawls: u64,
    /// Crawls that were there already, as a whole.
    pub present_crawls: u64,
    /// Records written.
    pub records: u64,
    /// Records that were there already.
    pub present: u64,
}

impl std::ops::Add for Copied {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            crawls: self.crawls + other.crawls,
            present_crawls: self.present_crawls + other.present_crawls,
            records: self.records + other.records,
            present: self.present + other.present,
        }
    }
}

/// Returns under which name a site is copied: the one that somebody `says`, else that of the site with the same root in the
/// target, because names differ from store to store; else its own.
pub async fn name_in(to: &dyn AnyStore, site: &Site, says: Option<&SiteId>) -> Result<SiteId, AccessError> {
    let there = to.sites().await?;
    let name = match says {
        Some(name) => name,
        None => there.iter().find(|other| other.root == site.root).map_or(&site.id, |other| &other.id),
    };
    match there.iter().find(|other| other.id == *name && other.root != site.root) {
        Some(other) => Err(AccessError::Usage(format!(
            "the other store has a site {name} with another root, {}, and this one is {}: copy it under another name with --as",
            other.root, site.root
        ))),
        None => Ok(name.clone()),
    }
}

/// Copies every crawl of `site` that the target does not have as closed, under `name`.
///
/// A crawl is closed in the target after its last record, so what is closed there is whole.
pub async fn copy_site(
    from: &dyn AnyStore,
    to: &dyn AnyStore,
    site: &Site,
    name: &SiteId,
) -> Result<Copied, AccessError> {
    if to.site(name).await?.is_none() {
        to.save_site(&Site { id: name.clone(), ..site.clone() }).await?;
    }
    let there = to.crawls(name).await?;
    let crawls = from.crawls(&site.id).await?;
    if let Some((new, newer)) = out_of_order(&crawls, &there) {
        return Err(AccessError::Usage(format!(
            "the other store has {newer} of site {name}, which is later than {new}: a crawl that is copied now would count \
             as the latest there. Copy into a store that does not have the site, or under another name with --as"
        )));
    }
    let ids: Vec<CrawlId> = crawls.iter().map(|crawl| crawl.id).collect();
    let mut copied = Copied::default();
    let contents = Contents { from, written: Mutex::default() };
    for crawl in crawls {
        copied.crawls += 1;
        let same = there.iter().find(|other| other.id == crawl.id);
        if let Some(closed) = same.and_then(|other| other.closed.as_ref()) {
            copied.present_crawls += 1;
            copied.present += closed.statistics.total;
            continue;
        }
        let opened = Crawl { site: name.clone(), closed: None, ..crawl.clone() };
        to.open_crawl(&opened).await?;
        let known = if same.is_some() { recorded(to, name, crawl.id).await? } else { HashSet::new() };
        copied = copied + copy_records(&contents, to, &crawl, name, &known).await?;
        let shared = from.shared_changes(&site.id, crawl.id).await?;
        if !shared.is_empty() {
            to.save_shared_changes(name, crawl.id, &shared).await?;
        }
        if let Some(closed) = &crawl.closed {
            to.close_crawl(name, crawl.id, closed).await?;
        }
    }
    copy_decisions(from, to, (&site.id, name), &ids).await?;
    Ok(copied)
}

/// Copies what was learnt from the crawls of a site, so that the next one tells nothing again, and what people did with
/// their changes; what the target learnt, or people did there, later stays.
async fn copy_decisions(
    from: &dyn AnyStore,
    to: &dyn AnyStore,
    (site, name): (&SiteId, &SiteId),
    crawls: &[CrawlId],
) -> Result<(), StoreError> {
    let keys = |site: &SiteId| {
        let of_site =
            [StateKey::learnt_noise(site), StateKey::told_shared_changes(site), StateKey::last_look()];
        let of_crawls = crawls.iter().map(|crawl| StateKey::review(site, *crawl));
        of_site.into_iter().chain(of_crawls).collect::<Vec<_>>()
    };
    for (key, copy) in keys(site).into_iter().zip(keys(name)) {
        let Some(entry) = from.state(&key).await? else { continue };
        let there = to.state(&copy).await?;
        if there.is_none_or(|there| there.saved_at < entry.saved_at) {
            to.save_state(&copy, &entry).await?;
        }
    }
    Ok(())
}

/// Returns a crawl that is to be copied, and one of the target that was opened later, if there is such a pair. Crawls are
/// in order of their opening, and what is copied is opened after what is there.
fn out_of_order(crawls: &[Crawl], there: &[Crawl]) -> Option<(CrawlId, CrawlId)> {
    for (place, new) in crawls.iter().enumerate() {
        if there.iter().any(|other| other.id == new.id) {
            continue;
        }
        let is_later = |other: &&Crawl| match crawls.iter().position(|crawl| crawl.id == other.id) {
            Some(of_other) => of_other > place,
            None => other.opened_at > new.opened_at,
        };
        if let Some(newer) = there.iter().find(is_later) {
            return Some((new.id, newer.id));
        }
    }
    None
}

/// Returns the pages that a crawl of the target has already.
async fn recorded(to: &dyn AnyStore, site: &SiteId, crawl: CrawlId) -> Result<HashSet<u128>, StoreError> {
    let mut known = HashSet::new();
    let mut last: Option<PageUrl> = None;
    loop {
        let pages = to.pages(site, crawl, last.as_ref(), CHUNK).await?;
        known.extend(pages.iter().map(PageUrl::fingerprint));
        match pages.last() {
            Some(page) => last = Some(page.clone()),
            None => return Ok(known),
        }
    }
}

async fn copy_records(
    contents: &Contents<'_>,
    to: &dyn AnyStore,
    crawl: &Crawl,
    name: &SiteId,
    known: &HashSet<u128>,
) -> Result<Copied, StoreError> {
    let mut copied = Copied::default();
    let mut last: Option<PageUrl> = None;
    loop {
        let records = contents.from.records(&crawl.site, crawl.id, &[], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { return Ok(copied) };
        last = Some(record.url.clone());
        let total = records.len() as u64;
        let missing = records.into_iter().filter(|record| !known.contains(&record.url.fingerprint()));
        let writes = stream::iter(missing).map(async |record| copy_record(contents, to, record, name).await);
        let written: Vec<Recorded> = writes.buffer_unordered(AT_ONCE).try_collect().await?;
        let first = written.iter().filter(|recorded| **recorded == Recorded::First).count() as u64;
        copied.records += first;
        copied.present += total - first;
    }
}

async fn copy_record(
    contents: &Contents<'_>,
    to: &dyn AnyStore,
    record: PageRecord,
    name: &SiteId,
) -> Result<Recorded, StoreError> {
    let content = match &record.known.content {
        Some(reference) => contents.for_record(&record.site, reference).await?,
        None => None,
    };
    to.record(&PageRecord { site: name.clone(), ..record }, content.as_ref()).await
}

/// Reads contents, each once, and once more for every further meaning that other rules gave it.
struct Contents<'a> {
    from: &'a dyn AnyStore,
    written: Mutex<HashSet<(ContentHash, [u8; 32])>>,
}

impl Contents<'_> {
    async fn for_record(&self, site: &SiteId, reference: &ContentRef) -> Result<Option<Content>, StoreError> {
        let name = (reference.hash, *reference.semantic.as_bytes());
        if !self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(name) {
            return Ok(None);
        }
        let Some(content) = self.from.content(site, &reference.hash).await? else {
            return Ok(None);
        };
        if content.extracted.semantic == reference.semantic {
            return Ok(Some(content));
        }
        let Some(text) = self.from.text(site, &reference.semantic).await? else {
            return Ok(Some(content));
        };
        let mut other = content;
        other.extracted.semantic = reference.semantic;
        other.extracted.rules = reference.rules.clone();
        other.extracted.text = text;
        Ok(Some(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes crawls of these days of November, opened in this order.
    fn crawls(days: &[u32]) -> Vec<Crawl> {
        let crawl = |day: &u32| {
            let id = format!("crawl-2026-11-{day:02}").parse().unwrap();
            let opened_at = format!("2026-11-{day:02}T03:00:00Z").parse().unwrap();
            Crawl::new("example".parse().unwrap(), id, opened_at)
        };
        days.iter().map(crawl).collect()
    }

    #[test]
    fn what_would_count_as_the_latest_and_is_not_is_refused() {
        for (from, there, refused) in [
            (&[1, 2, 3][..], &[][..], None),
            (&[1, 2, 3], &[1], None),
            (&[1, 2, 3], &[1, 2, 3], None),
            (&[1, 2, 3], &[2], Some((1, 2))),
            // The clock was ahead once, and both stores know it.
            (&[1, 30, 2, 3], &[1, 30], None),
            (&[1, 30, 2], &[1, 2], Some((30, 2))),
            // A crawl that only the other store has.
            (&[5, 6], &[4], None),
            (&[5, 6], &[7], Some((5, 7))),
        ] {
            let found = out_of_order(&crawls(from), &crawls(there));
            let days = found.map(|(new, newer)| (new.day().day(), newer.day().day()));
            assert_eq!(days, refused, "{from:?} to {there:?}");
        }
    }
}
