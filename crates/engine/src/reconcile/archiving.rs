//! Archive requests that wait: the records are the queue, and messages are reminders that something in it is due.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::opened_after;
use recrawl_core::model::crawl::{Closed, Crawl};
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::ArchiveRequest;

use super::remembered::Unarchived;
use super::report::TickReport;
use super::{Maintenance, MaintenanceError};
use crate::session::{recall, remember};

/// How long a message may be on its way.
const ON_ITS_WAY: SignedDuration = SignedDuration::from_mins(5);
/// How long nobody looks whether something is due, where what was seen is due later.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(30);
/// No request is put off for longer.
const HORIZON: SignedDuration = SignedDuration::from_hours(366 * 24);

/// What waits of a crawl.
enum Waiting {
    /// Nothing any more.
    Nothing,
    /// Something, from then on.
    From(Timestamp),
    /// Something that is due.
    Due(Box<ArchiveRequest>),
}

impl Maintenance {
    /// Returns the crawls whose pages may wait to be archived and may be, oldest first, site by site.
    pub async fn archivable(&self) -> Result<Vec<(SiteId, Vec<CrawlId>)>, MaintenanceError> {
        let mut archivable = Vec::new();
        for site in self.store.sites().await? {
            let recalled: Option<Unarchived> = recall(&*self.store, &site.id).await?;
            let Some(unarchived) = recalled.filter(|unarchived| !unarchived.crawls.is_empty()) else {
                continue;
            };
            let crawls = self.store.crawls(&site.id).await?.into_iter();
            let waits = |crawl: &Crawl| unarchived.crawls.contains(&crawl.id) && crawl.is_settled();
            archivable.push((site.id, crawls.filter(waits).map(|crawl| crawl.id).collect()));
        }
        Ok(archivable)
    }

    /// Returns the crawls that may have requests; `open` is remembered as one, so that it is known when it
    /// is closed.
    pub(super) async fn unarchived(
        &self,
        site: &SiteId,
        open: Option<&Crawl>,
        now: Timestamp,
    ) -> Result<Unarchived, MaintenanceError> {
        let recalled: Option<Unarchived> = recall(&*self.store, site).await?;
        let due_at = after(now, LONGEST_PAUSE);
        let mut unarchived = recalled.unwrap_or_else(|| Unarchived { crawls: Vec::new(), due_at });
        if let Some(crawl) = open.filter(|crawl| !unarchived.crawls.contains(&crawl.id)) {
            unarchived.crawls.push(crawl.id);
            remember(&*self.store, site, &unarchived, now).await?;
        }
        Ok(unarchived)
    }

    /// Makes one request again if any is due, which reminds whoever carries them out of all, and forgets crawls that have
    /// none left. A crawl that is open or unusual has not asked yet, and is left alone.
    pub(super) async fn remind_of_archiving(
        &self,
        site: &SiteId,
        unarchived: Unarchived,
        just_closed: bool,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        // A time far ahead was written while a clock was wrong.
        let is_early = unarchived.due_at > now && unarchived.due_at.duration_since(now) <= LONGEST_PAUSE;
        if just_closed {
            let unarchived = Unarchived { due_at: after(now, ON_ITS_WAY), ..unarchived };
            return Ok(remember(&*self.store, site, &unarchived, now).await?);
        }
        if unarchived.crawls.is_empty() || is_early {
            return Ok(());
        }
        let crawls = self.store.crawls(site).await?;
        let latest = after(now, LONGEST_PAUSE);
        let (mut remaining, mut due, mut due_at) = (Vec::new(), None, latest);
        for id in unarchived.crawls {
            // One that was deleted is forgotten.
            let Some(crawl) = crawls.iter().find(|crawl| crawl.id == id) else { continue };
            if is_outdated(crawl, &crawls) {
                continue;
            }
            let from = match asked_at(crawl) {
                None => latest,
                Some(asked_at) if now.duration_since(asked_at).abs() < ON_ITS_WAY => {
                    after(asked_at, ON_ITS_WAY)
                }
                Some(_) => match self.waiting(site, id, now).await? {
                    Waiting::Nothing => continue,
                    Waiting::From(time) => time,
                    Waiting::Due(request) => {
                        due = due.or(Some(request));
                        now
                    }
                },
            };
            due_at = due_at.min(from);
            remaining.push(id);
        }
        if let Some(request) = due {
            self.archive_queue.request(&[*request]).await?;
            report.archives_requested += 1;
        }
        let unarchived = Unarchived { crawls: remaining, due_at };
        Ok(remember(&*self.store, site, &unarchived, now).await?)
    }

    async fn waiting(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
    ) -> Result<Waiting, MaintenanceError> {
        let next = async |until| {
            Ok::<_, MaintenanceError>(self.store.unarchived(site, crawl, until, 1).await?.pop())
        };
        if let Some(record) = next(now).await?
            && let Some(archive) = record.archive
        {
            let (id, page) = (EventId::new(crawl, &record.url), record.url);
            let (site, requested_at) = (site.clone(), archive.requested_at);
            return Ok(Waiting::Due(Box::new(ArchiveRequest { id, site, crawl, page, requested_at })));
        }
        let later = next(after(now, HORIZON)).await?;
        let archive = later.and_then(|record| record.archive);
        Ok(archive.map_or(Waiting::Nothing, |archive| Waiting::From(archive.not_before.unwrap_or(now))))
    }
}

fn after(time: Timestamp, pause: SignedDuration) -> Timestamp {
    time.checked_add(pause).unwrap_or(Timestamp::MAX)
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
