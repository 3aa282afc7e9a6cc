//! How much there is of a site, for whoever is about to delete it.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::words::counted;

/// Verdicts of visits that found a version of a page.
const VERSIONS: [Verdict; 4] = [Verdict::New, Verdict::Changed, Verdict::Shared, Verdict::Moved];

/// How much there is of a site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Pages of the largest of its crawls.
    pub pages: u64,
    /// Its crawls.
    pub crawls: u64,
    /// Versions that its crawls found of its pages.
    pub versions: u64,
}

impl Extent {
    /// Measures a site by the figures of its crawls.
    pub async fn of(history: &dyn History, site: &SiteId) -> Result<Self, StoreError> {
        Ok(Self::of_crawls(&history.crawls(site).await?))
    }

    fn of_crawls(crawls: &[Crawl]) -> Self {
        let closed = crawls.iter().filter_map(|crawl| crawl.closed.as_ref());
        closed.fold(Self { crawls: crawls.len() as u64, ..Self::default() }, |extent, closed| Self {
            pages: extent.pages.max(closed.statistics.total),
            versions: extent.versions + closed.statistics.counts.of(|verdict| VERSIONS.contains(&verdict)),
            ..extent
        })
    }

    /// Writes it: `1,186 pages, 46 crawls and 2,310 versions`.
    pub fn in_words(&self) -> String {
        format!(
            "{}, {} and {}",
            counted(self.pages, "page"),
            counted(self.crawls, "crawl"),
            counted(self.versions, "version")
        )
    }
}
