//! Pages with changes of the latest crawls, to try ignore rules on.

use recrawl_core::decide::left_out;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;

use crate::difference::has_text;

/// How many pages are offered to try rules on.
const OFFERED: usize = 50;

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
