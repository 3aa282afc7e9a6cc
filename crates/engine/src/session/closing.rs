//! Closing a crawl: one sequence for both homes, with a place for each part.
//!
//! Before it, the audit says that nothing is missing, or why the crawl ends without it. Then:
//! * `doubt`: pages that lost their content, and were not asked for again, are recorded as failed.
//! * `look`: whether the site could be read ([`decide::site_state`](recrawl_core::decide::site_state)); one that could
//!   not is never whole.
//! * `settle`: what only the whole crawl can tell: shared changes, and the final verdicts
//!   ([`changes::settle`](recrawl_core::changes::settle)).
//! * `guard`: whether the findings are unusual (anomaly detection), or confirm an unusual crawl before
//!   ([`decide::belief`](recrawl_core::decide::belief)).
//! * `announce`: changes are told, unless they wait because they are unusual.
//! * `archive`: the Wayback Machine is asked for what the step marked on the records.
//! * `close`: an unusual crawl before is marked as confirmed, the summary is told, the notes of the crawl are forgotten,
//!   and it is closed.
//!
//! Each part may be done twice: a process that is killed between two of them leaves the crawl open, and the next run
//! closes it again, under the same ids.

use jiff::Timestamp;
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide;
use recrawl_core::model::crawl::{Closed, Crawl, CrawlKind, Ending, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{
    Announcer, ArchiveQueue, ArchiveRequest, ArchiveStore, History, QueueError, StateStore, Store,
    StoreError, Summaries,
};
use recrawl_core::url::UrlRules;
use thiserror::Error;

use super::believing::{Believed, believe};
use super::doubts::fail_unconfirmed;
use super::settling::{learn, settle};
use super::{PendingAcceptance, Seen, announce, forget_notes, site_state};

/// How many pages closing asks to be archived at most. The tick asks for the others.
const MOST_REQUESTS: usize = 10_000;

/// How many of them are asked for at a time.
const ASKED_AT_ONCE: usize = 500;

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
    /// The record of the root, where it is at hand.
    pub root: Option<Box<PageRecord>>,
    /// Why the host did not answer at all, if it did not.
    pub silence: Option<String>,
}

impl Findings {
    /// What a crawl came to that ended so, with these figures.
    pub const fn new(ending: Ending, statistics: Statistics) -> Self {
        Self { ending, statistics, root: None, silence: None }
    }
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
    pub url_rules: &'a UrlRules,
    /// Where titles and texts are read, if changes are announced with what differs and what else there is to say.
    pub described_by: Option<&'a dyn History>,
    /// When the same edit on several pages is one change.
    pub sharing: SharingRules,
    /// Whether a later tick announces an unusual crawl that somebody accepted; embedded, `recrawl accept` does.
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
        let mut findings = findings;
        let statistics = &mut findings.statistics;
        let has_doubts =
            fail_unconfirmed(self.store, self.state_store, &site.id, crawl.id, statistics).await?;
        // A list has no root that speaks for it.
        let state = match crawl.kind {
            CrawlKind::List => None,
            CrawlKind::Full | CrawlKind::Due => self.look(site, crawl.id, &mut findings).await?,
        };
        let settled =
            settle(self.store, self.state_store, self.sharing, &site.id, crawl.id, &mut findings.statistics)
                .await?;
        let is_awaited = self.is_awaited(&site.id, &findings).await?;
        let crawls = if is_awaited { self.store.crawls(&site.id).await? } else { Vec::new() };
        let Believed { mut closed, confirmed } =
            believe(self.store, &site.id, crawl.id, findings, &crawls, now).await?;
        closed.state = state;
        let announced = self.announce(&site.id, crawl.id, &closed).await?;
        self.archive(&site.id, crawl.id, &closed).await?;
        if let Some(settled) = settled.filter(|_| closed.is_trusted()) {
            learn(self.state_store, &site.id, crawl.id, settled, closed.is_whole(), closed.at).await?;
        }
        self.end(site, crawl.id, confirmed, &closed, has_doubts).await?;
        if is_awaited && self.awaits_acceptance && closed.is_whole() {
            // It has looked at all of it again. Until it is closed, what waits decides what is believed of it.
            PendingAcceptance::clear(self.state_store, &site.id, closed.at).await?;
        }
        Ok((closed, announced))
    }

    /// Says whether the site could be read. Where it could not, the crawl did not see the whole of it.
    async fn look(
        &self,
        site: &Site,
        crawl: CrawlId,
        findings: &mut Findings,
    ) -> Result<Option<SiteState>, ClosingError> {
        let Findings { ending, statistics, root, silence } = findings;
        let seen = Seen { root: root.as_deref(), silence: silence.as_deref(), statistics };
        // Boxed: it holds records, and everybody who closes a crawl would.
        let state = Box::pin(site_state(self.store, site, crawl, self.url_rules, seen)).await?;
        if let Some(state) = state.as_ref().filter(|state| state.is_never_whole()) {
            tracing::warn!(site = %site.id, crawl.id = %crawl, state = state.word(), "{}", state.sentence());
            if *ending == Ending::Complete {
                *ending = Ending::Partial(state.sentence());
            }
        }
        Ok(state)
    }

    /// Tells whether an unusual crawl may wait for what this one found. Where somebody keeps count of them, that is one
    /// read, and the crawls of a site would be many.
    async fn is_awaited(&self, site: &SiteId, findings: &Findings) -> Result<bool, ClosingError> {
        let Findings { ending, statistics, .. } = findings;
        if *ending != Ending::Complete && decide::suspicion(ending, statistics).is_none() {
            return Ok(false);
        }
        if !self.awaits_acceptance {
            return Ok(true);
        }
        Ok(!PendingAcceptance::of(self.state_store, site).await?.crawls.is_empty())
    }

    /// Tells of the changes, or remembers that they wait for somebody to accept them.
    async fn announce(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<u64, ClosingError> {
        if let Some(Suspicion { reason, accepted_at, .. }) = &closed.suspicion {
            if accepted_at.is_none() {
                tracing::warn!(alarm = "unusual", %site, crawl.id = %crawl, reason, "a crawl is unusual: no change is announced yet");
                if self.awaits_acceptance {
                    PendingAcceptance::add(self.state_store, site, crawl, closed.at).await?;
                }
                return Ok(0);
            }
            tracing::warn!(%site, crawl.id = %crawl, reason, "a crawl is unusual, as the one before it was: it is announced");
        }
        let told = closed.statistics.changes() + closed.statistics.shared_changes;
        if told == 0 {
            return Ok(0);
        }
        announce(self.store, self.announcer, site, crawl, self.described_by).await
    }

    /// Asks for what the step marked on the records to be archived, unless it is unusual and waits.
    async fn archive(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), ClosingError> {
        match self.archiving.filter(|_| closed.is_trusted()) {
            Some(archiving) => ask_for_archiving(archiving, site, crawl, closed.at).await,
            None => Ok(()),
        }
    }

    /// Writes that the crawl is closed, last: nobody looks at a closed crawl again.
    async fn end(
        &self,
        site: &Site,
        crawl: CrawlId,
        confirmed: Option<CrawlId>,
        closed: &Closed,
        has_doubts: bool,
    ) -> Result<(), ClosingError> {
        if let Some(unusual) = confirmed {
            self.store.confirm_crawl(&site.id, unusual, crawl).await?;
        }
        if let Some(summaries) = self.summaries {
            summaries.summarise(site, crawl, closed).await?;
        }
        forget_notes(self.state_store, &site.id, has_doubts).await?;
        Ok(self.store.close_crawl(&site.id, crawl, closed).await?)
    }
}

/// Asks for the pages of a crawl that wait for it to be archived. One that is asked for twice is captured once.
pub(crate) async fn ask_for_archiving(
    archiving: Archiving<'_>,
    site: &SiteId,
    crawl: CrawlId,
    now: Timestamp,
) -> Result<(), ClosingError> {
    let waiting = archiving.store.unarchived(site, crawl, now, MOST_REQUESTS).await?;
    let requests = waiting.into_iter().filter_map(|record| {
        let (id, requested_at) = (EventId::new(crawl, &record.url), record.archive?.requested_at);
        Some(ArchiveRequest { id, site: site.clone(), crawl, page: record.url, requested_at })
    });
    let requests: Vec<ArchiveRequest> = requests.collect();
    for some in requests.chunks(ASKED_AT_ONCE) {
        archiving.queue.request(some).await?;
    }
    Ok(())
}
