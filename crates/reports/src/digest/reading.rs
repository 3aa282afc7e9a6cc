//! Reads a digest from a store.

use jiff::Timestamp;
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::difference::in_brief;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use similar::{ChangeTag, TextDiff};

use super::{BriefDifference, Digest};
use crate::cache::{ReportCache, Reports};
use crate::changes::{ChangeEntry, ChangesFilter, Detail};

/// How many differences are made: a site that changed everywhere is not told line by line.
const MOST_DIFFERENCES: usize = 1_000;

impl Digest {
    /// Reads what a crawl found.
    ///
    /// Where more than a thousand pages changed, the rest are told without their differences. A crawl that is
    /// open or unknown is refused with [`StoreError::Absent`].
    pub async fn read(history: &dyn History, site: &SiteId, crawl: CrawlId) -> Result<Self, StoreError> {
        let absent = || StoreError::Absent(format!("closed {crawl} of site {site}"));
        let site = history.site(site).await?.ok_or_else(absent)?;
        let crawls = history.crawls(&site.id).await?;
        let meant = crawls.iter().find(|other| other.id == crawl).ok_or_else(absent)?;
        let closed = meant.closed.as_ref().ok_or_else(absent)?;
        let is_first = is_first_crawl(&crawls, crawl);
        Ok(Self {
            crawl,
            opened_at: meant.opened_at,
            closed_at: closed.at,
            partial: partial(closed),
            suspicion: suspicion(closed),
            is_first,
            is_test: false,
            statistics: closed.statistics.clone(),
            changes: changes(history, &site, meant, told_singly(is_first)).await?,
            site: site.id,
            root: site.root,
        })
    }
}

fn partial(closed: &Closed) -> Option<String> {
    match &closed.ending {
        Ending::Complete => None,
        Ending::Partial(reason) => Some(reason.clone()),
    }
}

fn suspicion(closed: &Closed) -> Option<String> {
    let suspicion = closed.suspicion.as_ref().filter(|_| !closed.is_trusted());
    suspicion.map(|suspicion| suspicion.reason.clone())
}

async fn changes(
    history: &dyn History,
    site: &Site,
    crawl: &Crawl,
    kinds: &[Verdict],
) -> Result<Vec<ChangeEntry>, StoreError> {
    let cache = ReportCache::default();
    let reports = Reports { history, cache: &cache, now: Timestamp::UNIX_EPOCH };
    let listed = reports.listing_by_kind(site, crawl, &ChangesFilter::of_kinds(kinds)).await?;
    let records: Vec<&PageRecord> = listed.iter().map(|listed| &listed.record).collect();
    let mut changes = reports.described(site, &records, Detail::Titles).await?;
    let mut room = MOST_DIFFERENCES;
    for (change, record) in changes.iter_mut().zip(records) {
        change.difference = if room > 0 { difference(history, record).await? } else { None };
        room -= usize::from(change.difference.is_some());
    }
    Ok(changes)
}

async fn difference(
    history: &dyn History,
    record: &PageRecord,
) -> Result<Option<BriefDifference>, StoreError> {
    let (Verdict::Changed, Some(content)) = (record.visit.verdict, &record.known.content) else {
        return Ok(None);
    };
    let previous = history.latest_before(&record.site, record.crawl, &record.url).await?;
    let Some(before) = previous.and_then(|previous| previous.known.content) else {
        return Ok(None);
    };
    if before.semantic == content.semantic {
        return Ok(None);
    }
    let old = history.text(&record.site, &before.semantic).await?;
    let new = history.text(&record.site, &content.semantic).await?;
    Ok(old.zip(new).map(|(old, new)| BriefDifference::new(in_brief(&old, &new))))
}

impl BriefDifference {
    /// Measures lines that went and came, each after `-` or `+`.
    pub fn new(brief: String) -> Self {
        let words_of = |sign: char| -> Vec<&str> {
            let lines = brief.lines().filter_map(move |line| line.strip_prefix(sign));
            lines.flat_map(str::split_whitespace).collect()
        };
        let (went, came) = (words_of('-'), words_of('+'));
        let differing = TextDiff::from_slices(&went, &came);
        let differing = differing.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
        let size = differing.map(|change| change.value().chars().count()).sum();
        Self { brief, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_difference_is_what_is_in_other_words() {
        for (brief, size) in [
            ("", 0),
            ("-Open until 5 pm on Mondays\n+Open until 6 pm on Mondays", 2),
            ("+A new line", 8),
            ("-one\n-two\n+two\n+three", 8),
            ("-same words\n+same  words", 0),
        ] {
            assert_eq!(BriefDifference::new(brief.to_owned()).size, size, "{brief}");
        }
    }
}
