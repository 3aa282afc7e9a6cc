//! Reads the records of a crawl a chunk at a time, so that nobody has to hold a crawl in memory.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::{ContentHash, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;

use crate::faults::redirect_targets;

/// How many records are read at a time.
const CHUNK: usize = 1000;

/// Reads the records of a crawl a chunk at a time.
pub struct Scan<'a> {
    history: &'a dyn History,
    crawl: &'a Crawl,
    verdicts: &'a [Verdict],
    last: Option<PageUrl>,
}

impl<'a> Scan<'a> {
    /// Begins with the first record that has one of `verdicts`, or any if there are none.
    pub fn new(history: &'a dyn History, crawl: &'a Crawl, verdicts: &'a [Verdict]) -> Self {
        Self { history, crawl, verdicts, last: None }
    }

    /// Returns the next records; `None` if there are no more.
    pub async fn next(&mut self) -> Result<Option<Vec<PageRecord>>, StoreError> {
        let Crawl { site, id, .. } = self.crawl;
        let records = self.history.records(site, *id, self.verdicts, self.last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { return Ok(None) };
        self.last = Some(record.url.clone());
        Ok(Some(records))
    }
}

/// Calls `each` with every record of a crawl.
pub(crate) async fn for_each_record(
    history: &dyn History,
    crawl: &Crawl,
    mut each: impl FnMut(&PageRecord),
) -> Result<(), StoreError> {
    let mut scan = Scan::new(history, crawl, &[]);
    while let Some(records) = scan.next().await? {
        records.iter().for_each(&mut each);
    }
    Ok(())
}

/// Pages with what leads away from them: the content whose links they offer, and where they redirect. It is kept in
/// brief from the first reading of records, so that none is read twice.
#[derive(Default)]
pub(crate) struct Leads(Vec<(PageUrl, Option<ContentHash>, Vec<PageUrl>)>);

impl Leads {
    /// Notes what leads away from a page.
    pub(crate) fn take_in(&mut self, record: &PageRecord) {
        let content = record.offered_content().map(|content| content.hash);
        let targets = redirect_targets(record);
        if content.is_some() || !targets.is_empty() {
            self.0.push((record.url.clone(), content, targets));
        }
    }

    /// Calls `each` with every page and where it leads, by its links and redirects.
    pub(crate) async fn follow(
        self,
        history: &dyn History,
        site: &SiteId,
        mut each: impl FnMut(&PageUrl, &[PageUrl]),
    ) -> Result<(), StoreError> {
        for some in self.0.chunks(CHUNK) {
            let contents: Vec<ContentHash> = some.iter().filter_map(|(_, content, _)| *content).collect();
            let mut links = history.links(site, &contents).await?.into_iter();
            for (url, content, targets) in some {
                let mut leads = content.and_then(|_| links.next().flatten()).unwrap_or_default();
                leads.extend_from_slice(targets);
                each(url, &leads);
            }
        }
        Ok(())
    }
}
