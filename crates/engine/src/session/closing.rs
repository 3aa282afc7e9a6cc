//! Closing a crawl: one sequence for both homes, with a place for each part.
//!
//! Before it, the audit says that nothing is missing, or why the crawl ends without it. Then:
//! * `settle`: what only the whole crawl can tell; nothing yet.
//! * `guard`: whether the findings are suspect (anomaly detection, [`decide::suspicion`]).
//! * `announce`: changes are told, unless they are suspect.
//! * `archive`: the Wayback Machine is asked for what the step marked on the records.
//! * `close`: the summary is told, the notes of the crawl are forgotten, and it is closed.
//!
//! Each part may be done twice: a process that is killed between two of them leaves the crawl open, and the next run
//! closes it again, under the same ids.

use jiff::Timestamp;
use recrawl_core::decide;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{
    Announcer, ArchiveQueue, ArchiveRequest, ArchiveStore, QueueError, StateStore, Store, StoreError,
    Summaries,
};
use thiserror::Error;

use super::{PendingAcceptance, announce, forget_notes};

/// How many pages closing asks to be archived at most. The tick asks for the others.
const MOST_REQUESTS: usize = 10_000;

/// Why a crawl could not be closed, or its changes not all be told. The same call may succeed later, and tells under
/// the same ids.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant is the error of its port")]
pub enum ClosingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// What a crawl came to, before anybody doubts it.
#[derive(Debug, Clone)]
pub struct Findings {
    /// Whether it saw the whole site.
    pub ending: Ending,
    /// What it saw.
    pub statistics: Statistics,
}

/// Where archiving is asked for by messages. Embedded, the records are the queue: a worker finds them by their state.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Archiving<'a> {
    pub store: &'a dyn ArchiveStore,
    pub queue: &'a dyn ArchiveQueue,
}

/// What closing a crawl uses.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Closing<'a> {
    pub store: &'a dyn Store,
    pub state_store: &'a dyn StateStore,
    pub announcer: &'a dyn Announcer,
    pub archiving: Option<Archiving<'a>>,
    pub summaries: Option<&'a dyn Summaries>,
    /// Whether a change of the text is announced with what differs.
    pub describes: bool,
    /// Whether a later tick announces a suspect crawl that somebody accepted; embedded, `recrawl accept` does.
    pub awaits_acceptance: bool,
}

impl Closing<'_> {
    /// Closes `crawl` at `now`; returns how it is closed, and how many changes were announced.
    pub async fn close(
        &self,
        site: &Site,
        crawl: &Crawl,
        findings: Findings,
        now: Timestamp,
    ) -> Result<(Closed, u64), ClosingError> {
        let findings = settle(findings);
        let closed = guard(findings, now);
        let announced = self.announce(&site.id, crawl.id, &closed).await?;
        self.archive(&site.id, crawl.id, &closed).await?;
        self.end(site, crawl.id, &closed).await?;
        Ok((closed, announced))
    }

    /// Tells of the changes, or remembers that they wait for somebody to accept them.
    async fn announce(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<u64, ClosingError> {
        if let Some(Suspicion { reason, .. }) = &closed.suspicion {
            tracing::warn!(%site, crawl.id = %crawl, reason, "a crawl is suspect: nothing is announced until it is accepted");
            if self.awaits_acceptance {
                PendingAcceptance::add(self.state_store, site, crawl, closed.at).await?;
            }
            return Ok(0);
        }
        let mut announced = 0;
        if closed.statistics.changes() > 0 {
            announced = announce(self.store, self.announcer, site, crawl, self.describes).await?;
        }
        if self.awaits_acceptance && closed.is_whole() {
            // A whole crawl that is believed has looked at all of it again.
            PendingAcceptance::clear(self.state_store, site, closed.at).await?;
        }
        Ok(announced)
    }

    /// Asks for what the step marked on the records to be archived, unless it is suspect.
    async fn archive(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), ClosingError> {
        match self.archiving.filter(|_| closed.is_trusted()) {
            Some(archiving) => ask_for_archiving(archiving, site, crawl, closed.at).await,
            None => Ok(()),
        }
    }

    /// Writes that the crawl is closed, last: nobody looks at a closed crawl again.
    async fn end(&self, site: &Site, crawl: CrawlId, closed: &Closed) -> Result<(), ClosingError> {
        if let Some(summaries) = self.summaries {
            summaries.summarise(site, crawl, closed).await?;
        }
        forget_notes(self.state_store, &site.id).await?;
        Ok(self.store.close_crawl(&site.id, crawl, closed).await?)
    }
}

/// The place for what only the whole crawl can tell of its records.
fn settle(findings: Findings) -> Findings {
    findings
}

/// Decides whether the findings are believed.
fn guard(Findings { ending, statistics }: Findings, at: Timestamp) -> Closed {
    let suspicion = decide::suspicion(&ending, &statistics);
    Closed { at, ending, suspicion, statistics }
}

/// Asks for the pages of a crawl that wait for it to be archived. One that is asked for twice is captured once.
pub(crate) async fn ask_for_archiving(
    archiving: Archiving<'_>,
    site: &SiteId,
    crawl: CrawlId,
    now: Timestamp,
) -> Result<(), ClosingError> {
    for record in archiving.store.unarchived(site, crawl, now, MOST_REQUESTS).await? {
        let Some(archive) = record.archive else { continue };
        let id = EventId::new(crawl, &record.url);
        let (page, requested_at) = (record.url, archive.requested_at);
        archiving
            .queue
            .request(&ArchiveRequest { id, site: site.clone(), crawl, page, requested_at })
            .await?;
    }
    Ok(())
}
