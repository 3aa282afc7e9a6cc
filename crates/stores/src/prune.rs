//! Applies a retention policy: decides which visits of a site are deleted, and deletes them.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use recrawl_core::decide::{Keep, deletable, forgotten};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StoreError, StoreExt};
use recrawl_core::url::PageUrl;

use crate::open::AnyStore;

/// How many pages are read at once.
const CHUNK: usize = 300;

/// How much of a crawl is deleted by one call. Each call looks through all records for contents that nothing names any more,
/// so there must be few of them; a store deletes in small parts whatever it is told.
const SHARE: u64 = 50_000;

/// What is forgotten of one crawl.
#[derive(Debug)]
enum Share {
    /// Everything: this many visits.
    Whole(u64),
    /// The visits of these pages.
    Pages(Vec<PageUrl>),
}

/// What is forgotten of one site, crawl by crawl, in order of their opening.
#[derive(Debug, Default)]
pub struct Plan {
    shares: Vec<(CrawlId, Share)>,
    /// A crawl of which versions may have been forgotten before.
    trimmed: Option<CrawlId>,
}

impl Plan {
    /// Decides what is forgotten at `now`.
    pub async fn make(
        store: &dyn AnyStore,
        site: &SiteId,
        keep: &Keep,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let deletable = deletable(&store.crawls(site).await?, keep, now);
        let mut plan = Self::default();
        let mut seen = HashSet::new();
        let mut dropped: HashMap<CrawlId, Vec<PageUrl>> = HashMap::new();
        for crawl in deletable.iter().copied() {
            let mut total = 0;
            let mut last = None;
            loop {
                let pages = store.pages(site, crawl, last.as_ref(), CHUNK).await?;
                let Some(page) = pages.last() else { break };
                last = Some(page.clone());
                total += pages.len() as u64;
                let Some(versions) = keep.versions else { continue };
                for page in pages {
                    if seen.insert(page.fingerprint()) {
                        collect(store, site, &page, &deletable, versions, &mut dropped).await?;
                    }
                }
            }
            plan.shares.push((crawl, Share::Whole(total)));
        }
        if keep.versions.is_some() {
            plan.keep_the_rest(dropped);
            plan.trimmed = deletable.last().copied();
        }
        Ok(plan)
    }

    /// Turns crawls of which some visits are kept into those that are not.
    fn keep_the_rest(&mut self, mut dropped: HashMap<CrawlId, Vec<PageUrl>>) {
        for (crawl, share) in &mut self.shares {
            let pages = dropped.remove(crawl).unwrap_or_default();
            if matches!(share, Share::Whole(total) if *total > pages.len() as u64) {
                *share = Share::Pages(pages);
            }
        }
        self.shares.retain(|(_, share)| !matches!(share, Share::Pages(pages) if pages.is_empty()));
    }

    /// Returns how many crawls lose visits.
    pub fn crawls(&self) -> u64 {
        self.shares.len() as u64
    }

    /// Returns how many visits go.
    pub fn visits(&self) -> u64 {
        let count = |share: &Share| match share {
            Share::Whole(visits) => *visits,
            Share::Pages(pages) => pages.len() as u64,
        };
        self.shares.iter().map(|(_, share)| count(share)).sum()
    }

    /// Forgets it, oldest first. What dies half-way is finished by the same command.
    pub async fn carry_out(&self, store: &dyn AnyStore, site: &SiteId) -> Result<(), StoreError> {
        if let Some(crawl) = self.trimmed {
            // A command that died after it deleted visits has left their contents, which nothing else would find.
            store.delete_records(site, crawl, &[]).await?;
        }
        for (crawl, share) in &self.shares {
            match share {
                Share::Whole(_) => while !store.delete_crawl(site, *crawl, SHARE).await?.finished {},
                Share::Pages(pages) => {
                    store.delete_records(site, *crawl, pages).await?;
                }
            }
        }
        Ok(())
    }
}

/// Adds the visits of a page that are forgotten to `dropped`.
async fn collect(
    store: &dyn AnyStore,
    site: &SiteId,
    page: &PageUrl,
    deletable: &[CrawlId],
    versions: usize,
    dropped: &mut HashMap<CrawlId, Vec<PageUrl>>,
) -> Result<(), StoreError> {
    let visits = store.visits(site, page).await?;
    for crawl in forgotten(&visits, deletable, versions) {
        dropped.entry(crawl).or_default().push(page.clone());
    }
    Ok(())
}
