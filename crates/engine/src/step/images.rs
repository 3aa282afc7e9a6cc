//! Images that pages show, where they are watched: asked for like pages, and told as what pages show.

use recrawl_core::model::content::Extracted;
use recrawl_core::model::outline::{Item, Outline};
use recrawl_core::model::record::{Found, FoundBy, PageRecord, Presence};
use recrawl_core::model::verdict::Sight;
use recrawl_core::url::PageUrl;

use super::{CrawlStep, StepError};

/// How many records are read at once.
const CHUNK: usize = 300;

impl CrawlStep {
    /// Queues the images that a page shows, on the hosts of the site. `read` is what its body says; of a page that was not
    /// read, what is stored tells.
    pub(super) async fn queue_images(
        &self,
        record: &PageRecord,
        read: Option<&Extracted>,
    ) -> Result<(), StepError> {
        let is_there =
            record.visit.verdict.sight() == Sight::There && record.known.presence == Presence::Present;
        if !self.policy.watch_images || record.found.by == FoundBy::Image || !is_there {
            return Ok(());
        }
        let images = if let Some(outline) = read.and_then(|read| read.outline.as_ref()) {
            self.images(outline)
        } else {
            let stored = self.reading_of(record.known.content.as_ref()).await?;
            stored.and_then(|reading| reading.outline).map_or_else(Vec::new, |outline| self.images(&outline))
        };
        // As near as the page: they are a part of it.
        let (by, depth) = (FoundBy::Image, record.found.depth);
        self.queue(&images, &Found { by, depth, referrer: Some(record.url.clone()) }).await?;
        Ok(())
    }

    /// Queues the images that pages recorded in this crawl show, as far as they are watched: nothing else leads to those whose
    /// messages were lost with the process that queued them.
    pub async fn queue_shown_images(&self) -> Result<(), StepError> {
        if !self.policy.watch_images {
            return Ok(());
        }
        let mut last = None;
        loop {
            let store = &self.ports.store;
            let records = store.records(&self.site.id, self.crawl.id, &[], last.as_ref(), CHUNK).await?;
            let Some(record) = records.last() else { return Ok(()) };
            last = Some(record.url.clone());
            for record in &records {
                self.queue_images(record, None).await?;
            }
        }
    }

    fn images(&self, outline: &Outline) -> Vec<PageUrl> {
        let sources = outline.media.iter().filter_map(Item::image_source);
        sources.filter_map(|source| self.policy.url_rules.page(source, None).ok()).collect()
    }
}
