//! All of a window as seen.

use std::collections::HashMap;

use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{EventId, SiteId};
use recrawl_core::model::review::{ChangeId, ReviewEdit};
use recrawl_core::ports::{StateStore, StoreError};

use super::{Bounds, ChangeCounts, ChangesFilter, ReviewFilter, Row, Sort};
use crate::cache::Reports;
use crate::reviews;

impl Row {
    /// Returns the names of all changes that somebody who has seen the row has seen.
    pub fn changes(&self) -> Vec<ChangeId> {
        let (own, also) = match self {
            Self::Page(row) => {
                let record = &row.listed.record;
                let event = EventId::new(record.crawl, &record.url);
                (ChangeId { crawl: record.crawl, event }, &*row.also)
            }
            Self::Folder(entry) => (ChangeId { crawl: entry.crawl, event: entry.id }, &*entry.also),
            Self::Shared(entry) => (ChangeId { crawl: entry.crawl, event: entry.event() }, &*entry.also),
        };
        let also = also.iter().map(|also| ChangeId { crawl: also.crawl, event: also.id });
        std::iter::once(own).chain(also).collect()
    }
}

impl Reports<'_> {
    /// Makes all changes of a window that match seen, and returns how many rows nobody had seen.
    ///
    /// Where nothing is left out, all that its crawls found is seen, whatever its tier. What came after the end of the
    /// window stays unseen: whoever shows a list passes the time when it was shown.
    pub async fn see_window(
        &self,
        store: &dyn StateStore,
        sites: &[Site],
        bounds: Bounds,
        filter: &ChangesFilter,
    ) -> Result<usize, StoreError> {
        let is_whole = {
            let review = ReviewFilter { unseen: false, ..filter.review };
            !ChangesFilter { review, ..filter.clone() }.is_narrow()
        };
        let review = ReviewFilter { unseen: true, ..filter.review };
        let unseen = ChangesFilter { review, ..filter.clone() };
        let window = self.window(sites, bounds, &unseen, Sort::Weight).await?;
        if is_whole {
            for (site, crawl) in &window.crawls {
                reviews::see_all(store, site, *crawl, self.now).await?;
            }
        } else {
            let mut by_site: HashMap<&SiteId, Vec<ChangeId>> = HashMap::new();
            for row in &window.changes.rows {
                by_site.entry(row.site()).or_default().extend(row.changes());
            }
            for (site, changes) in by_site {
                reviews::edit(store, site, &changes, &ReviewEdit::SEEN, self.now).await?;
            }
        }
        Ok(ChangeCounts::of(&window.changes.rows).unseen)
    }
}
