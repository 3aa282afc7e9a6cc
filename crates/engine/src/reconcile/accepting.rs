//! What a suspect crawl found is held back until somebody accepts it.

use jiff::Timestamp;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;

use super::report::{Accepted, TickReport};
use super::{Maintenance, MaintenanceError};
use crate::session::{self, PendingAcceptance, remember};

impl Maintenance {
    /// Announces suspect crawls that were accepted since they were closed.
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
        let state = |id: &CrawlId| crawls.iter().find(|crawl| crawl.id == *id).map(state_of);
        let mut still = PendingAcceptance::default();
        for id in &held.crawls {
            match state(id) {
                Some(State::Accepted) => report.announced += self.tell(site, *id, now).await?,
                Some(State::Doubted) => still.crawls.push(*id),
                // It was deleted meanwhile, or the tick that doubted it died before it closed it.
                Some(State::Other) | None => {}
            }
        }
        if still != held {
            // Announced before it is forgotten: a death between tells it again, under the same ids.
            remember(&*self.store, site, &still, now).await?;
        }
        Ok(())
    }

    /// Accepts the findings of a suspect crawl, the newest where `crawl` is `None`, and announces them.
    pub async fn accept(
        &self,
        site: &SiteId,
        crawl: Option<CrawlId>,
        now: Timestamp,
    ) -> Result<Accepted, MaintenanceError> {
        let crawl = if let Some(crawl) = crawl {
            crawl
        } else {
            let crawls = self.store.crawls(site).await?;
            let suspect = crawls.iter().rev().find(|crawl| state_of(crawl) == State::Doubted);
            suspect.ok_or_else(|| StoreError::Absent(format!("suspect crawl of site {site}")))?.id
        };
        self.store.accept_crawl(site, crawl, now).await?;
        let announced = self.tell(site, crawl, now).await?;
        let mut held = PendingAcceptance::of(&*self.store, site).await?;
        if held.crawls.contains(&crawl) {
            held.crawls.retain(|other| *other != crawl);
            remember(&*self.store, site, &held, now).await?;
        }
        Ok(Accepted { crawl, announced })
    }

    /// Announces what a crawl found, and asks for it to be archived; returns how many changes were announced.
    async fn tell(&self, site: &SiteId, crawl: CrawlId, now: Timestamp) -> Result<u64, MaintenanceError> {
        let announced = session::announce(&*self.store, &*self.announcer, site, crawl, true).await?;
        session::ask_for_archiving(self.archiving(), site, crawl, now).await?;
        Ok(announced)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Suspect, and nobody has accepted it.
    Doubted,
    /// Suspect, and somebody has accepted it.
    Accepted,
    /// Open, or never doubted.
    Other,
}

fn state_of(crawl: &Crawl) -> State {
    let suspicion = crawl.closed.as_ref().and_then(|closed| closed.suspicion.as_ref());
    match suspicion.map(|suspicion| suspicion.accepted_at) {
        Some(None) => State::Doubted,
        Some(Some(_)) => State::Accepted,
        None => State::Other,
    }
}
