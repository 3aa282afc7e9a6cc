//! Which way to a page is the shortest. Where depth is limited, that decides whether its links are followed, so it must
//! not depend on the order in which pages are visited.
//!
//! Ways over links are found again by the audit, which reads them from the records. Others are noted when they are found.

use super::CrawlStep;
use crate::seen::Approached;
use recrawl_core::model::record::{Found, FoundBy, PageRecord};
use recrawl_core::ports::{QueuedPage, Recorded, StoreError};
use recrawl_core::url::PageUrl;

impl CrawlStep {
    /// Notes the way by which a recorded page comes once more, if it is shorter than the one in its record.
    pub async fn note_way(&self, page: &QueuedPage) -> Result<(), StoreError> {
        let depth = page.found.depth;
        let is_shorter = || self.seen.depth(&page.url).is_none_or(|recorded| depth < recorded);
        if self.scope.limits_depth() && self.scope.admits_depth(depth).is_ok() && is_shorter() {
            self.lower_depth(&[&page.url], depth).await?;
        }
        Ok(())
    }

    /// Returns how far from the root a page is by the shortest way known.
    pub(super) fn nearest(&self, page: &QueuedPage) -> u32 {
        let depth = page.found.depth;
        if !self.scope.limits_depth() {
            return depth;
        }
        self.seen.depth(&page.url).map_or(depth, |other| depth.min(other))
    }

    /// Takes in another way to pages of which some may wait or be recorded. Returns those that are to be queued once
    /// more, because another process may visit them by the longer way.
    pub(super) async fn approach<'a>(
        &self,
        pages: &[&'a PageUrl],
        found: &Found,
    ) -> Result<Vec<&'a PageUrl>, StoreError> {
        // That a page shows what is a page, too, is no way to it.
        if !self.scope.limits_depth() || found.by == FoundBy::Image {
            return Ok(Vec::new());
        }
        let Approached { waiting, recorded } = self.seen.approach(pages, found.depth);
        match found.by {
            FoundBy::Link | FoundBy::Redirect | FoundBy::Image => Ok(Vec::new()),
            FoundBy::Seed | FoundBy::Sitemap | FoundBy::Memory => {
                self.lower_depth(&recorded, found.depth).await?;
                Ok(waiting)
            }
        }
    }

    /// Remembers that a page is recorded, and notes a shorter way that was found while it was visited.
    pub(super) async fn note_recorded(
        &self,
        record: &PageRecord,
        recorded: Recorded,
    ) -> Result<(), StoreError> {
        let (url, depth) = (&record.url, record.found.depth);
        let shorter = self.seen.finish(url, depth);
        if !self.scope.limits_depth() {
            return Ok(());
        }
        match (recorded, shorter) {
            (Recorded::First, None) => Ok(()),
            (Recorded::First, Some(shorter)) => self.lower_depth(&[url], shorter).await,
            // Another process recorded it, by a way that is not known here.
            (Recorded::Already, shorter) => self.lower_depth(&[url], shorter.unwrap_or(depth)).await,
        }
    }

    async fn lower_depth(&self, pages: &[&PageUrl], depth: u32) -> Result<(), StoreError> {
        if pages.is_empty() {
            return Ok(());
        }
        let urls: Vec<PageUrl> = pages.iter().map(|page| (*page).clone()).collect();
        self.ports.store.lower_depth(&self.site.id, self.crawl.id, &urls, depth).await?;
        for page in pages {
            self.seen.lower(page, depth);
        }
        Ok(())
    }
}
