//! Archive requests that nobody carried out: their message was lost, or they were put off.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::ArchiveRequest;

use super::remembered::{Unarchived, recall, remember};
use super::report::TickReport;
use super::{Maintenance, MaintenanceError};

/// How long a message may be on its way, and how often requests are looked at.
const PATIENCE: SignedDuration = SignedDuration::from_mins(30);
/// No request is put off for longer.
const HORIZON: SignedDuration = SignedDuration::from_hours(366 * 24);

impl Maintenance {
    /// Returns the crawls that may have requests; `open` is remembered as one, so that it is known when it
    /// is closed.
    pub(super) async fn unarchived(
        &self,
        site: &SiteId,
        open: Option<&Crawl>,
        now: Timestamp,
    ) -> Result<Unarchived, MaintenanceError> {
        let recalled: Option<Unarchived> = recall(&*self.store, site).await?;
        let mut unarchived = recalled.unwrap_or_else(|| Unarchived { crawls: Vec::new(), looked_at: now });
        if let Some(crawl) = open.filter(|crawl| !unarchived.crawls.contains(&crawl.id)) {
            unarchived.crawls.push(crawl.id);
            remember(&*self.store, site, &unarchived, now).await?;
        }
        Ok(unarchived)
    }

    /// Makes requests again that are due and have waited, those of older crawls first, and forgets crawls
    /// other than `open` that have none left.
    pub(super) async fn request_again(
        &self,
        site: &SiteId,
        open: Option<&Crawl>,
        unarchived: Unarchived,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        if unarchived.crawls.is_empty() || now.duration_since(unarchived.looked_at).abs() < PATIENCE {
            return Ok(());
        }
        let mut left = self.settings.archives_a_tick;
        let mut remaining = Vec::new();
        for crawl in unarchived.crawls {
            let is_open = open.is_some_and(|open| open.id == crawl);
            let requested = self.request_of(site, crawl, left, now).await?;
            report.archives_requested += requested as u64;
            left -= requested;
            if is_open || requested > 0 || self.has_requests(site, crawl, now).await? {
                remaining.push(crawl);
            }
        }
        let unarchived = Unarchived { crawls: remaining, looked_at: now };
        Ok(remember(&*self.store, site, &unarchived, now).await?)
    }

    async fn request_of(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        limit: usize,
        now: Timestamp,
    ) -> Result<usize, MaintenanceError> {
        if limit == 0 {
            return Ok(0);
        }
        let mut requested = 0;
        for record in self.store.unarchived(site, crawl, now, limit).await? {
            let waited =
                record.archive.filter(|archive| now.duration_since(archive.requested_at).abs() >= PATIENCE);
            let Some(archive) = waited else { continue };
            let id = EventId::new(crawl, &record.url);
            let (page, requested_at) = (record.url, archive.requested_at);
            let request = ArchiveRequest { id, site: site.clone(), crawl, page, requested_at };
            self.archive_queue.request(&request).await?;
            requested += 1;
        }
        Ok(requested)
    }

    async fn has_requests(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
    ) -> Result<bool, MaintenanceError> {
        let horizon = now.checked_add(HORIZON).unwrap_or(Timestamp::MAX);
        Ok(!self.store.unarchived(site, crawl, horizon, 1).await?.is_empty())
    }
}
