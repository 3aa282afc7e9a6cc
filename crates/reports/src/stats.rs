//! All figures of one crawl, and how they came to be.

use std::collections::BTreeSet;

use recrawl_core::decide::opened_after;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::crawl::{Crawl, Operations, Site};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::visit_planner::Reliability;
use recrawl_core::ports::{History, StateKey, StateStore, StoreError};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::crawls::CrawlSummary;
use crate::scan::Scan;

/// The figures of a crawl; its JSON form is stable.
#[derive(Debug, Serialize)]
pub struct CrawlFigures {
    /// The crawl, summed up.
    #[serde(flatten)]
    pub summary: CrawlSummary,
    /// Changed pages by what changed; a page may count for several.
    pub changed_by_aspect: ByAspect,
    /// What the provider counts, where the store is billed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
    /// How far sitemaps proved true, by host.
    pub sitemaps: Vec<SitemapEntry>,
    /// The crawls up to this one, oldest first.
    pub over_time: Vec<CrawlSummary>,
}

impl CrawlFigures {
    /// Reads the figures of `crawl`, with those of as many crawls up to it as are asked for.
    pub async fn read(
        history: &dyn History,
        state_store: &dyn StateStore,
        site: &Site,
        crawl: &Crawl,
        crawls: usize,
    ) -> Result<Self, StoreError> {
        let mut earlier = history.crawls(&site.id).await?;
        let later = opened_after(&earlier, crawl.id).len();
        earlier.truncate(earlier.len() - later);
        let mut over_time = Vec::new();
        for other in &earlier[earlier.len().saturating_sub(crawls.max(1))..] {
            over_time.push(CrawlSummary::of(history, other).await?);
        }
        Ok(Self {
            summary: CrawlSummary::of(history, crawl).await?,
            changed_by_aspect: ByAspect::of(history, crawl).await?,
            operations: history.operations(&site.id, crawl.id).await?,
            sitemaps: sitemaps(state_store, site).await?,
            over_time,
        })
    }
}

/// Changed pages by what changed.
#[derive(Debug, Default, Serialize)]
pub struct ByAspect {
    /// Pages whose text changed.
    pub text: u64,
    /// Pages whose links changed.
    pub links: u64,
    /// Pages whose images, sounds or films changed.
    pub media: u64,
    /// Pages of whose head the title, the description, the canonical address or the robots changed.
    pub meta: u64,
}

impl ByAspect {
    async fn of(history: &dyn History, crawl: &Crawl) -> Result<Self, StoreError> {
        let mut counts = Self::default();
        let mut scan = Scan::new(history, crawl, &[Verdict::Changed]);
        while let Some(records) = scan.next().await? {
            for aspect in records.iter().flat_map(|record| record.visit.aspects.iter()) {
                *counts.of_aspect(aspect) += 1;
            }
        }
        Ok(counts)
    }

    fn of_aspect(&mut self, aspect: Aspect) -> &mut u64 {
        match aspect {
            Aspect::Text => &mut self.text,
            Aspect::Links => &mut self.links,
            Aspect::Media => &mut self.media,
            Aspect::Meta => &mut self.meta,
        }
    }
}

/// How far the sitemaps of a host proved true; its JSON form is stable.
#[derive(Debug, Serialize)]
pub struct SitemapEntry {
    /// The host.
    pub host: String,
    /// How often "nothing changed" was true, from 0 to 1; `null` while too little is known.
    pub reliability: Option<f64>,
    /// Whether crawls in mode smart believe it without a visit.
    pub believed: bool,
    /// What was counted.
    #[serde(flatten)]
    pub counts: Reliability,
}

/// Reads what crawls learnt of the hosts of a site.
async fn sitemaps(state_store: &dyn StateStore, site: &Site) -> Result<Vec<SitemapEntry>, StoreError> {
    let mut hosts = BTreeSet::from([site.root.host_key()]);
    for extra in &site.scope.extra_hosts {
        let page: Option<PageUrl> = format!("{}://{extra}/", site.root.scheme()).parse().ok();
        hosts.extend(page.map(|page| page.host_key()));
    }
    let mut rows = Vec::new();
    for host in hosts {
        let memo = state_store.state(&StateKey::sitemap_reliability(&host)).await?;
        // What a later version wrote and this one cannot read is as good as not there.
        let counts: Option<Reliability> = memo.and_then(|memo| serde_json::from_str(&memo.value).ok());
        if let Some(counts) = counts.filter(|counts| counts.listed > 0) {
            rows.push(SitemapEntry {
                host: host.to_string(),
                reliability: counts.figure(),
                believed: counts.is_reliable(),
                counts,
            });
        }
    }
    Ok(rows)
}
