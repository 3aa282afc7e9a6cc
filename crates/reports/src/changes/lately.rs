//! The changes of the latest crawls together: what feeds tell, and what ignore rules are tried on.

use recrawl_core::decide::{is_first_crawl, left_out, told_singly};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;

use super::{ChangeEntry, ChangesFilter};
use crate::cache::Reports;
use crate::difference::has_text;

/// From how many crawls changes are told: what who comes once a week needs.
const MOST_CRAWLS: usize = 8;

/// How many pages are offered to try rules on.
const OFFERED: usize = 50;

impl Reports<'_> {
    /// Returns at most `most` changes of the latest closed crawls that are believed, the newest first. What is new to a
    /// first crawl is no news. The kinds of `filter` count for nothing.
    pub async fn told_lately(
        &self,
        site: &Site,
        filter: &ChangesFilter,
        most: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let crawls = self.history.crawls(&site.id).await?;
        let mut records: Vec<PageRecord> = Vec::new();
        for crawl in believed(&crawls).take(MOST_CRAWLS) {
            let verdicts = told_singly(is_first_crawl(&crawls, crawl.id)).to_vec();
            let filter = ChangesFilter { verdicts, ..filter.clone() };
            let mut listed = self.listing(site, crawl, &filter).await?;
            listed.sort_by_key(|change| {
                let visit = &change.record.visit;
                std::cmp::Reverse((visit.weight, visit.fetched_at))
            });
            records.extend(listed.into_iter().take(most).map(|change| change.record.clone()));
            if records.len() >= most {
                break;
            }
        }
        records.truncate(most);
        Ok(records)
    }
}

impl Reports<'_> {
    /// Returns the shared changes that are told of the latest closed crawls that are believed, each as the entry of its
    /// first page, the newest first.
    pub async fn shared_lately(&self, site: &Site) -> Result<Vec<ChangeEntry>, StoreError> {
        let crawls = self.history.crawls(&site.id).await?;
        let mut told = Vec::new();
        for crawl in believed(&crawls).take(MOST_CRAWLS) {
            let found_at = crawl.closed.as_ref().map_or(crawl.opened_at, |closed| closed.at);
            let shared = self.shared_rows(site, crawl).await?;
            told.extend(shared.iter().filter_map(|entry| ChangeEntry::of_shared(entry, found_at)));
        }
        Ok(told)
    }
}

fn believed(crawls: &[Crawl]) -> impl Iterator<Item = &Crawl> {
    crawls.iter().rev().filter(|crawl| !crawl.is_open() && crawl.is_trusted())
}

/// Returns pages with a text that changed in the latest crawl that found any, to try rules on: an unusual one, too, while
/// it waits.
pub async fn lately_changed(history: &dyn History, site: &Site) -> Result<Vec<PageUrl>, StoreError> {
    let crawls = history.crawls(&site.id).await?;
    let waiting = left_out(&crawls).filter(|crawl| crawl.is_unusual(None));
    for crawl in waiting.into_iter().chain(believed(&crawls)) {
        let changed = history.records(&site.id, crawl.id, &[Verdict::Changed], None, OFFERED).await?;
        let read = changed.into_iter().filter(|record| record.offered_content().is_some_and(has_text));
        let pages: Vec<PageUrl> = read.map(|record| record.url).collect();
        if !pages.is_empty() {
            return Ok(pages);
        }
    }
    Ok(Vec::new())
}
