//! Archive requests that nobody carried out: their message was lost, or they were put off.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::opened_after;
use recrawl_core::model::crawl::{Closed, Crawl};
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::ArchiveRequest;

use super::remembered::Unarchived;
use super::report::TickReport;
use super::{Maintenance, MaintenanceError};
use crate::session::{recall, remember};

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

    /// Makes requests again that are due and have waited, those of older crawls first, and forgets crawls that have none
    /// left. A crawl that is open or unusual has not asked yet, and is left alone.
    pub(super) async fn request_again(
        &self,
        site: &SiteId,
        unarchived: Unarchived,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        if unarchived.crawls.is_empty() || now.duration_since(unarchived.looked_at).abs() < PATIENCE {
            return Ok(());
        }
        let crawls = self.store.crawls(site).await?;
        let mut left = self.settings.archives_a_tick;
        let mut remaining = Vec::new();
        for id in unarchived.crawls {
            // One that was deleted is forgotten.
            let Some(crawl) = crawls.iter().find(|crawl| crawl.id == id) else { continue };
            if is_outdated(crawl, &crawls) {
                continue;
            }
            let Some(asked_at) = asked_at(crawl) else {
                remaining.push(id);
                continue;
            };
            let requested = self.request_of(site, id, asked_at, left, now).await?;
            report.archives_requested += requested as u64;
            left -= requested;
            if requested > 0 || self.has_requests(site, id, now).await? {
                remaining.push(id);
            }
        }
        let unarchived = Unarchived { crawls: remaining, looked_at: now };
        Ok(remember(&*self.store, site, &unarchived, now).await?)
    }

    async fn request_of(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        asked_at: Timestamp,
        limit: usize,
        now: Timestamp,
    ) -> Result<usize, MaintenanceError> {
        if limit == 0 || now.duration_since(asked_at).abs() < PATIENCE {
            return Ok(0);
        }
        let mut requested = 0;
        for record in self.store.unarchived(site, crawl, now, limit).await? {
            let Some(archive) = record.archive else { continue };
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

/// Tells whether an unusual crawl will never ask: a later one was believed instead.
fn is_outdated(crawl: &Crawl, crawls: &[Crawl]) -> bool {
    let is_whole = |later: &Crawl| later.closed.as_ref().is_some_and(Closed::is_whole);
    !crawl.is_trusted() && opened_after(crawls, crawl.id).iter().any(is_whole)
}

/// Returns when the requests of a crawl were made: when it was closed, or accepted; `None` where they were not.
fn asked_at(crawl: &Crawl) -> Option<Timestamp> {
    let closed = crawl.closed.as_ref().filter(|closed| closed.is_trusted())?;
    Some(closed.suspicion.as_ref().and_then(|suspicion| suspicion.accepted_at).unwrap_or(closed.at))
}
