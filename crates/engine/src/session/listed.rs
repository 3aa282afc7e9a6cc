//! What sitemaps list, noted for the audit: no record leads to a page that only a sitemap knows, so a message that is lost
//! would cost it.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StateEntry, StateGroup, StateKey, StateStore, StoreError};
use recrawl_core::url::PageUrl;

/// How many pages are noted at once.
const PART: usize = 5_000;

/// How many pages are noted at most: as many as a crawl visits, unless somebody wants more.
const MOST: usize = 200_000;

/// Notes the pages that sitemaps list in an open crawl.
pub struct ListedNotes<'a> {
    state_store: &'a dyn StateStore,
    site: &'a SiteId,
    crawl: CrawlId,
    now: Timestamp,
    part: Vec<PageUrl>,
    parts: usize,
}

impl<'a> ListedNotes<'a> {
    /// Notes pages of `crawl`.
    pub fn new(state_store: &'a dyn StateStore, site: &'a SiteId, crawl: CrawlId, now: Timestamp) -> Self {
        Self { state_store, site, crawl, now, part: Vec::new(), parts: 0 }
    }

    /// Takes in pages that a sitemap lists.
    pub async fn add(&mut self, pages: &[PageUrl]) -> Result<(), StoreError> {
        for page in pages {
            if self.parts * PART >= MOST {
                return Ok(());
            }
            self.part.push(page.clone());
            if self.part.len() == PART {
                self.save().await?;
            }
        }
        Ok(())
    }

    /// Ends the search: all that was taken in is noted.
    pub async fn finish(mut self) -> Result<(), StoreError> {
        if self.part.is_empty() { Ok(()) } else { self.save().await }
    }

    async fn save(&mut self) -> Result<(), StoreError> {
        let mut value = self.crawl.to_string();
        for page in self.part.drain(..) {
            value.push('\n');
            value.push_str(page.as_str());
        }
        let key = StateKey::listed_pages(self.site, self.parts);
        self.parts += 1;
        self.state_store.save_state(&key, &StateEntry { saved_at: self.now, value }).await
    }
}

/// Returns the pages that sitemaps list in `crawl`, as far as they were noted.
pub(crate) async fn listed_pages(
    state_store: &(impl StateStore + ?Sized),
    site: &SiteId,
    crawl: CrawlId,
) -> Result<Vec<PageUrl>, StoreError> {
    let entries = state_store.states(&StateGroup::listed_pages(site)).await?;
    let mut pages = Vec::new();
    for entry in &entries {
        let mut lines = entry.value.lines();
        // What a crawl before left behind says nothing of this one.
        if lines.next() == Some(crawl.to_string().as_str()) {
            pages.extend(lines.filter_map(|line| line.parse::<PageUrl>().ok()));
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use recrawl_core::memory::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn what_sitemaps_list_is_noted_in_parts_and_for_one_crawl() {
        let (store, site): (MemoryStore, SiteId) = (MemoryStore::default(), "news".parse().unwrap());
        let [crawl, other]: [CrawlId; 2] =
            ["crawl-2026-11-16", "crawl-2026-11-23"].map(|id| id.parse().unwrap());
        let pages: Vec<PageUrl> =
            (0..PART + 10).map(|number| format!("https://example.org/{number}").parse().unwrap()).collect();
        let mut notes = ListedNotes::new(&store, &site, crawl, Timestamp::UNIX_EPOCH);
        for some in pages.chunks(700) {
            notes.add(some).await.unwrap();
        }
        notes.finish().await.unwrap();
        assert_eq!(store.states(&StateGroup::listed_pages(&site)).await.unwrap().len(), 2);
        assert_eq!(listed_pages(&store, &site, crawl).await.unwrap(), pages);
        assert_eq!(listed_pages(&store, &site, other).await.unwrap(), []);
    }
}
