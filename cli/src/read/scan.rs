//! Reads the records of a crawl a chunk at a time.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::report::{offered_content, redirect_targets};
use recrawl_core::url::PageUrl;

/// How many records are read at a time.
const CHUNK: usize = 1000;

/// Reads the records of a crawl a chunk at a time.
pub(crate) struct Scan<'a> {
    history: &'a dyn History,
    crawl: &'a Crawl,
    verdicts: &'a [Verdict],
    last: Option<PageUrl>,
}

impl<'a> Scan<'a> {
    /// Begins with the first record that has one of `verdicts`, or any if there are none.
    pub(crate) fn new(history: &'a dyn History, crawl: &'a Crawl, verdicts: &'a [Verdict]) -> Self {
        Self { history, crawl, verdicts, last: None }
    }

    /// Returns the next records; none if there are no more.
    pub(crate) async fn next(&mut self) -> Result<Vec<PageRecord>, StoreError> {
        let Crawl { site, id, .. } = self.crawl;
        let records = self.history.records(site, *id, self.verdicts, self.last.as_ref(), CHUNK).await?;
        if let Some(record) = records.last() {
            self.last = Some(record.url.clone());
        }
        Ok(records)
    }
}

/// Returns where pages lead, by their links and redirects.
pub(super) async fn leads<'a>(
    history: &dyn History,
    records: &'a [PageRecord],
) -> Result<Vec<(&'a PageUrl, Vec<PageUrl>)>, StoreError> {
    let mut leads: Vec<(&PageUrl, Vec<PageUrl>)> = Vec::new();
    let (mut readers, mut contents): (Vec<&PageUrl>, Vec<ContentHash>) = (Vec::new(), Vec::new());
    for record in records {
        if let Some(content) = offered_content(record) {
            readers.push(&record.url);
            contents.push(content.hash);
        }
        leads.push((&record.url, redirect_targets(record)));
    }
    let Some(site) = records.first().map(|record| &record.site) else { return Ok(leads) };
    let links = history.links(site, &contents).await?;
    leads.extend(readers.into_iter().zip(links.into_iter().map(Option::unwrap_or_default)));
    Ok(leads)
}
