//! Known pages that are absent: only the second time in a crawl makes them gone.

use jiff::Timestamp;
use recrawl_core::ports::{Memo, QueuedPage};

use super::{CrawlStep, StepError};
use crate::session::PageNote;

impl CrawlStep {
    /// Tells whether the absence of a known page was seen before in this crawl; remembers it if not.
    pub(super) async fn is_confirmed_absent(
        &self,
        page: &QueuedPage,
        at: Timestamp,
    ) -> Result<bool, StepError> {
        let key = PageNote::MissingOnce.key(&self.site.id, &page.url);
        let value = self.crawl.id.to_string();
        let seen = self.ports.memos.memo(&key).await?;
        if seen.is_some_and(|memo| memo.value == value) {
            return Ok(true);
        }
        self.ports.memos.save_memo(&key, &Memo { saved_at: at, value }).await?;
        Ok(false)
    }
}
