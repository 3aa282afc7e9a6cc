//! What a rule would have hidden, found out by reading stored versions with it.

use std::sync::Arc;
use std::time::Instant;

use recrawl_core::model::content::{Extracted, Extractor};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Bounds, Choice, EditedLine};
use crate::cache::Reports;
use crate::changes::ListedRecord;

/// The verdicts of pages that differ from what they were.
const DIFFERENT: [Verdict; 3] = [Verdict::Changed, Verdict::Shared, Verdict::Touched];

/// A rule, and what it would have hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Effect {
    /// The rule.
    pub choice: Choice,
    /// In the crawl that found the line.
    pub crawl: Counted,
    /// In the crawls of the eight weeks before.
    pub before: Counted,
}

/// What a rule would have hidden of some crawls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Counted {
    /// How many pages differed from what they were.
    pub differ: u64,
    /// How many of them were read again, both versions; the others had no body, or there were too many.
    pub read: u64,
    /// How many of those would not differ any more.
    pub hidden: u64,
    /// On how many of those the line, went or come, would not be seen any more.
    pub line: u64,
}

impl Counted {
    /// Tells whether the figures are those of a part of the pages.
    pub const fn is_sample(&self) -> bool {
        self.read < self.differ
    }
}

/// Pages that differ from what they were, in an order that is even at any length.
pub(super) struct Pages(Vec<Arc<ListedRecord>>);

/// Returns the pages of these crawls that differ from what they were.
pub(super) async fn pages_of(
    reports: &Reports<'_>,
    site: &Site,
    crawls: &[&Crawl],
) -> Result<Pages, StoreError> {
    let mut pages: Vec<Arc<ListedRecord>> = Vec::new();
    for crawl in crawls {
        let listed = reports.listed(site, crawl, &DIFFERENT).await?;
        pages.extend(listed.iter().cloned());
    }
    let spread = |listed: &Arc<ListedRecord>| {
        let record = &listed.record;
        (record.url.fingerprint(), record.crawl.day(), record.crawl.ordinal())
    };
    pages.sort_by_cached_key(spread);
    Ok(Pages(pages))
}

/// Counts what each of the rules that are tried would have hidden.
pub(super) async fn counted(
    history: &dyn History,
    pages: &Pages,
    line: &EditedLine,
    base: &dyn Extractor,
    tried: &[&dyn Extractor],
    bounds: Bounds,
) -> Result<Vec<Counted>, StoreError> {
    let Pages(pages) = pages;
    let mut counted = vec![Counted { differ: pages.len() as u64, ..Counted::default() }; tried.len()];
    let until = Instant::now() + bounds.patience;
    for listed in pages.iter().take(bounds.pages) {
        if Instant::now() > until {
            break;
        }
        let Some(versions) = Versions::read(history, &listed.record).await? else { continue };
        let Some((older, newer)) = versions.by(base) else { continue };
        let is_seen = has_edit(&older, &newer, line);
        for (count, reader) in counted.iter_mut().zip(tried) {
            let Some((older, newer)) = versions.by(*reader) else { continue };
            count.read += 1;
            count.hidden += u64::from(says_the_same(&older, &newer));
            count.line += u64::from(is_seen && !has_edit(&older, &newer, line));
        }
    }
    Ok(counted)
}

fn says_the_same(older: &Extracted, newer: &Extracted) -> bool {
    older.semantic == newer.semantic && older.signatures == newer.signatures
}

/// Tells whether a line went or came between two versions.
fn has_edit(older: &Extracted, newer: &Extracted, line: &EditedLine) -> bool {
    let (with, without) = if line.came { (newer, older) } else { (older, newer) };
    let lines = |page: &Extracted| page.text.lines().filter(|text| *text == line.text).count();
    lines(with) > lines(without)
}

/// Both versions of a page, as they were fetched.
struct Versions {
    records: [PageRecord; 2],
    bodies: [Vec<u8>; 2],
}

impl Versions {
    async fn read(history: &dyn History, record: &PageRecord) -> Result<Option<Self>, StoreError> {
        let before = history.latest_before(&record.site, record.crawl, &record.url).await?;
        let Some(before) = before else { return Ok(None) };
        let mut bodies = Vec::new();
        for record in [&before, record] {
            let Some(content) = record.offered_content() else { return Ok(None) };
            bodies.extend(history.body(&record.site, content).await?);
        }
        let bodies = <[Vec<u8>; 2]>::try_from(bodies).ok();
        Ok(bodies.map(|bodies| Self { records: [before, record.clone()], bodies }))
    }

    fn by(&self, reader: &dyn Extractor) -> Option<(Extracted, Extracted)> {
        let read = |place: usize| {
            let record = &self.records[place];
            let content_type = record.known.headers.content_type.as_deref();
            reader.extract(&record.url, content_type, &self.bodies[place]).ok()
        };
        read(0).zip(read(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_part_of_the_pages_say_so() {
        let whole = Counted { differ: 3, read: 3, hidden: 1, line: 1 };
        assert!(!whole.is_sample());
        assert!(Counted { read: 2, ..whole }.is_sample());
    }
}
