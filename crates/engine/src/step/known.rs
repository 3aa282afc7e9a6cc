//! What is known of a page before it is visited: what is believed, with which it is compared, and what an unusual crawl
//! fetched since, which need not be fetched again.

use recrawl_core::model::record::{PageRecord, PageState, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{QueuedPage, StoreError};

use super::CrawlStep;

/// What is known of a page.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What is believed.
    pub(super) believed: Option<PageState>,
    /// The newest record of an unusual crawl, where it has another content.
    pub(super) unusual: Option<Box<PageRecord>>,
}

impl Known {
    /// Returns what is believed.
    pub(super) fn believed(&self) -> Option<&PageState> {
        self.believed.as_ref()
    }

    /// Returns what an unusual crawl fetched.
    pub(super) fn fetched(&self) -> Option<&PageState> {
        self.unusual.as_ref().map(|record| &record.known)
    }

    /// Returns what an answer confirms that says that nothing changed.
    pub(super) fn newest(&self) -> Option<&PageState> {
        self.fetched().or(self.believed())
    }
}

impl CrawlStep {
    /// Returns what is known of a page by its records before this crawl.
    pub(super) async fn known(&self, page: &QueuedPage) -> Result<Known, StoreError> {
        let store = &self.ports.store;
        let mut believed = store.page_state_before(&self.site.id, self.crawl.id, &page.url).await?;
        for crawl in &self.unusual {
            let Some(record) = store.page(&self.site.id, *crawl, &page.url).await? else { continue };
            match record.visit.verdict {
                // It tells nothing of the page.
                Verdict::Failed | Verdict::Excluded => continue,
                // There is nothing that need not be fetched.
                _ if record.known.presence != Presence::Present => break,
                _ => {}
            }
            let here = believed.as_mut().filter(|known| known.presence == Presence::Present);
            match here.filter(|known| known.content == record.known.content) {
                // The same under newer validators.
                Some(known) => known.headers = record.known.headers,
                None => return Ok(Known { believed, unusual: Some(Box::new(record)) }),
            }
            break;
        }
        Ok(Known { believed, unusual: None })
    }
}
