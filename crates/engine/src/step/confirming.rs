//! Known pages that are absent: only the second time in a crawl makes them gone.

use jiff::Timestamp;
use recrawl_core::ports::{QueuedPage, StateEntry, StateKey};

use super::{CrawlStep, StepError};

impl CrawlStep {
    /// Tells whether the absence of a known page was seen before in this crawl; remembers it if not.
    pub(super) async fn is_confirmed_absent(
        &self,
        page: &QueuedPage,
        at: Timestamp,
    ) -> Result<bool, StepError> {
        let key = StateKey::first_absence(&self.site.id, &page.url);
        let value = self.crawl.id.to_string();
        let seen = self.ports.state_store.state(&key).await?;
        if seen.is_some_and(|entry| entry.value == value) {
            return Ok(true);
        }
        self.ports.state_store.save_state(&key, &StateEntry { saved_at: at, value }).await?;
        Ok(false)
    }
}
