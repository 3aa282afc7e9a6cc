//! What an unusual crawl found is held back until it is accepted.

use jiff::Timestamp;
use recrawl_core::decide::{self, Acceptance};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;

use super::report::{Accepted, TickReport};
use super::{Maintenance, MaintenanceError};
use crate::session::{self, PendingAcceptance, remember};

impl Maintenance {
    /// Announces unusual crawls that were accepted since they were closed.
    pub(super) async fn release(
        &self,
        site: &SiteId,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        let held = PendingAcceptance::of(&*self.store, site).await?;
        if held.crawls.is_empty() {
            return Ok(());
        }
        let crawls = self.store.crawls(site).await?;
        // One that is confirmed waits until the crawl that confirms it is closed.
        let open = crawls.iter().find(|crawl| crawl.is_open()).map(|crawl| crawl.id);
        let find = |id: &CrawlId| crawls.iter().find(|crawl| crawl.id == *id);
        let mut still = PendingAcceptance::default();
        for id in &held.crawls {
            let Some(crawl) = find(id) else { continue };
            match state_of(crawl, open) {
                State::Accepted => report.announced += self.tell(crawl, now).await?,
                State::Doubted => still.crawls.push(*id),
                // It was confirmed meanwhile, or the tick that doubted it died before it closed it.
                State::Other => {}
            }
        }
        if still != held {
            // Announced before it is forgotten: a death between tells it again, under the same ids.
            remember(&*self.store, site, &still, now).await?;
        }
        Ok(())
    }

    /// Accepts the findings of an unusual crawl, the newest where `crawl` is `None`, and announces them; nothing is done
    /// about one that was accepted before. One that a later crawl saw otherwise is refused, unless by `force`.
    pub async fn accept(
        &self,
        site: &SiteId,
        crawl: Option<CrawlId>,
        force: bool,
        now: Timestamp,
    ) -> Result<Accepted, MaintenanceError> {
        let crawls = self.store.crawls(site).await?;
        let meant = match crawl {
            Some(id) => crawls.iter().find(|crawl| crawl.id == id),
            None => decide::newest_unusual(&crawls),
        };
        let name = crawl.map_or_else(|| "unusual crawl".to_owned(), |id| id.to_string());
        let meant = meant.ok_or_else(|| StoreError::Absent(format!("{name} of site {site}")))?;
        let crawl = meant.id;
        match decide::acceptance(meant, &crawls) {
            Acceptance::Due => {}
            Acceptance::Outdated(_) if force => {}
            Acceptance::Already(_) | Acceptance::Confirmed(_) => return Ok(Accepted { crawl, announced: 0 }),
            Acceptance::Outdated(reason) | Acceptance::Refused(reason) => {
                return Err(MaintenanceError::NotAccepted(reason));
            }
        }
        self.store.accept_crawl(site, crawl, now).await?;
        let announced = self.tell(meant, now).await?;
        let mut held = PendingAcceptance::of(&*self.store, site).await?;
        if held.crawls.contains(&crawl) {
            held.crawls.retain(|other| *other != crawl);
            remember(&*self.store, site, &held, now).await?;
        }
        Ok(Accepted { crawl, announced })
    }

    /// Announces what an accepted crawl found, asks for it to be archived, and learns from it; returns how many changes
    /// were announced.
    async fn tell(&self, crawl: &Crawl, now: Timestamp) -> Result<u64, MaintenanceError> {
        let (site, id) = (&crawl.site, crawl.id);
        self.notices.accepted(site, id).await?;
        let announced =
            session::announce(&*self.store, &*self.announcer, site, id, Some(&*self.store)).await?;
        session::ask_for_archiving(self.archiving(), site, id, now).await?;
        let sharing = self.settings.sharing;
        session::learn_accepted(&*self.store, &*self.store, sharing, crawl, now).await?;
        Ok(announced)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Unusual, and nobody has decided about it.
    Doubted,
    /// Unusual, and somebody has accepted it.
    Accepted,
    /// Open, never doubted, or confirmed by another.
    Other,
}

/// Returns where a crawl stands, given the one that is open and may be about to confirm it.
fn state_of(crawl: &Crawl, open: Option<CrawlId>) -> State {
    let suspicion = crawl.closed.as_ref().and_then(|closed| closed.suspicion.as_ref());
    match suspicion {
        Some(_) if crawl.is_unusual(open) => State::Doubted,
        Some(suspicion) if suspicion.accepted_at.is_some() => State::Accepted,
        Some(_) | None => State::Other,
    }
}
