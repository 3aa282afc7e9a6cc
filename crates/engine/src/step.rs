//! The crawl step: one page, from the queue to its record. The same code in every home.

mod asking;
mod conduct;
mod evidence;
mod gone;
mod nearness;
mod partial;
mod progress;
mod soft_error;
mod stumbling;

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use thiserror::Error;

use self::conduct::Learnt;
use self::evidence::{Evidence, Gathered};
use self::progress::VisitProgress;
use crate::seen::Seen;
use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::decide::traps::{PageLimit, Traps};
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::{Content, Extractor, KeepBodies};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::{Check, Found, FoundBy, PageRecord, PageState, Visit};
use recrawl_core::model::scope::Scope;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::panics::{Panic, caught};
use recrawl_core::plan::sample;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{
    FetchError, Fetcher, Frontier, Permission, Priority, QueueError, QueuedPage, Recorded, RobotsError,
    RobotsGate, SoftErrorProbe, StateStore, Store, StoreError, Stumbles,
};
use recrawl_core::url::{PageUrl, UrlRules};

/// How many pages are queued at a time.
const QUEUED: usize = 1_000;

/// Everything outside that a crawl step uses.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub frontier: Arc<dyn Frontier>,
    pub fetcher: Arc<dyn Fetcher>,
    pub robots: Arc<dyn RobotsGate>,
    pub absence: Arc<dyn SoftErrorProbe>,
    pub memos: Arc<dyn StateStore>,
    pub stumbles: Arc<dyn Stumbles>,
    pub extractor: Arc<dyn Extractor>,
}

/// What came of a visit.
#[derive(Debug)]
pub enum Outcome {
    /// The page was recorded in this crawl before; nothing was done.
    Duplicate,
    /// The page is recorded now.
    Recorded(Box<PageRecord>),
    /// A known page is absent. Nothing is recorded: it should be visited once more at the end of the crawl, and
    /// is gone if it is absent then, too.
    Unconfirmed {
        /// Requests made.
        requests: u32,
    },
    /// The server is in trouble; nothing is recorded, and the page should be visited again later.
    Retry {
        /// What happened, in words.
        reason: String,
        /// The attempt that comes next.
        next: Attempt,
    },
}

/// Which attempt at a page it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempt {
    /// How many requests were made before.
    pub number: u32,
    /// How long they took together.
    pub spent: Duration,
}

impl Attempt {
    fn following(self, took: Duration) -> Self {
        Self { number: self.number + 1, spent: self.spent + took }
    }
}

/// Why a visit could not be finished. Nothing is recorded; redelivery cures all but the last.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant is the error of its port")]
pub enum StepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Robots(#[from] RobotsError),
    #[error(transparent)]
    NotBegun(FetchError),
    /// A panic over a page that could not even be recorded. Another visit would come to the same.
    #[error("Recrawl stumbled over this page, and over noting that: {0}")]
    Stumbled(Panic),
}

/// The crawl step of one crawl.
pub struct CrawlStep {
    site: Site,
    crawl: Crawl,
    /// What the crawl draws pages by.
    draw: u64,
    scope: Scope,
    settings: CrawlPolicy,
    ports: Ports,
    planner: Arc<VisitPlanner>,
    seen: Seen,
    learnt: Learnt,
    traps: Traps,
}

impl CrawlStep {
    /// Prepares to visit pages of `crawl`.
    pub fn new(
        site: Site,
        crawl: Crawl,
        scope: Scope,
        settings: CrawlPolicy,
        ports: Ports,
        planner: Arc<VisitPlanner>,
    ) -> Self {
        let (seen, learnt, draw) = (Seen::default(), Learnt::default(), sample::seed(crawl.id));
        let traps = Traps::new(settings.trap_limit);
        Self { site, crawl, draw, scope, settings, ports, planner, seen, learnt, traps }
    }

    /// Returns what this process has queued and finished, for a resumed crawl to fill.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Returns the scope of the site.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns what is expected of pages.
    pub fn planner(&self) -> &Arc<VisitPlanner> {
        &self.planner
    }

    /// Returns how links become pages.
    pub fn url_rules(&self) -> &UrlRules {
        &self.settings.url_rules
    }

    /// Visits `page` at `now`.
    ///
    /// Links are queued before the record is written, so that a recorded page never lost its links; a crash before that is cured by visiting again. A panic on the way costs this page, which is
    /// recorded as Failed, and nothing else.
    pub async fn visit(
        &self,
        page: &QueuedPage,
        attempt: Attempt,
        now: Timestamp,
    ) -> Result<Outcome, StepError> {
        if self.seen.is_finished(&page.url) {
            self.note_way(page).await?;
            return Ok(Outcome::Duplicate);
        }
        let progress = VisitProgress::new(&page.url);
        match caught(self.visit_unguarded(page, &progress, attempt, now)).await {
            Ok(Err(StepError::Stumbled(fault))) | Err(fault) => {
                let stumbled = caught(self.stumble(page, progress, attempt, fault, now)).await;
                stumbled.unwrap_or_else(|panic| Err(StepError::Stumbled(panic)))
            }
            Ok(outcome) => outcome,
        }
    }

    /// Visits a page; where its body cannot be read, that is [`StepError::Stumbled`].
    async fn visit_unguarded(
        &self,
        page: &QueuedPage,
        progress: &VisitProgress<'_>,
        attempt: Attempt,
        now: Timestamp,
    ) -> Result<Outcome, StepError> {
        let known = self.ports.store.page_state_before(&self.site.id, self.crawl.id, &page.url).await?;
        let evidence = match self.exclusion(page, known.as_ref()).await? {
            Some(reason) => Evidence::passed_over(reason, now),
            None => match self.gather(progress, known.as_ref(), attempt, now).await? {
                Gathered::Evidence(evidence) => *evidence,
                Gathered::Retry { reason, next } => return Ok(Outcome::Retry { reason, next }),
            },
        };
        let was_live = known.as_ref().is_some_and(|known| known.presence.is_live());
        let is_absent = matches!(evidence.observation, Observation::Absent { .. });
        if was_live && is_absent && !self.is_confirmed_absent(page, evidence.fetched_at).await? {
            return Ok(Outcome::Unconfirmed { requests: evidence.requests });
        }
        self.settle(page, known.as_ref(), evidence).await
    }

    /// Records that nothing was learnt of `page` in `requests` requests, for this reason.
    pub async fn give_up(
        &self,
        page: &QueuedPage,
        requests: u32,
        reason: String,
        now: Timestamp,
    ) -> Result<Outcome, StepError> {
        let giving_up = async {
            let known = self.ports.store.page_state_before(&self.site.id, self.crawl.id, &page.url).await?;
            self.settle(page, known.as_ref(), Evidence::gave_up(reason, requests, now)).await
        };
        caught(giving_up).await.unwrap_or_else(|panic| Err(StepError::Stumbled(panic)))
    }

    /// Queues those of `pages` that are in scope and not queued yet, as found this way, unless too many wait.
    ///
    /// Returns how many were queued.
    pub async fn queue<'a>(
        &self,
        pages: impl IntoIterator<Item = &'a PageUrl> + Send,
        found: &Found,
    ) -> Result<usize, QueueError> {
        if self.scope.admits_depth(found.depth).is_err() {
            return Ok(0);
        }
        let pages: Vec<&PageUrl> = pages.into_iter().collect();
        let again = self.approach(&pages, found).await;
        let again = again.map_err(|error| QueueError::Unavailable(error.into()))?;
        let admits = |page: &PageUrl| self.scope.admits(page).is_ok();
        let fresh = self.seen.not_yet_queued_within(self.most_waiting(), found.depth, pages, admits);
        let mut queueing = Queueing { seen: &self.seen, pages: [fresh, again].concat() };
        queueing.pages.sort_by_cached_key(|url| Reverse(self.planner.priority(url, found.depth)));
        let number = queueing.pages.len();
        // Some at a time, so that a page with very many links is not held in memory twice.
        while !queueing.pages.is_empty() {
            let some = queueing.pages.len().min(QUEUED);
            let queued = |url: &&PageUrl| self.queued((*url).clone(), found.clone());
            let queued: Vec<QueuedPage> = queueing.pages[..some].iter().map(queued).collect();
            self.ports.frontier.queue(&queued).await?;
            queueing.pages.drain(..some);
        }
        Ok(number)
    }

    /// Queues those of `pages` that were not queued before, the highest priority first. The planner gives one to those
    /// that have none.
    pub async fn queue_first(&self, mut pages: Vec<QueuedPage>) -> Result<(), QueueError> {
        let is_new = |page: &QueuedPage| {
            let fresh = self.seen.not_yet_queued_within(usize::MAX, page.found.depth, [&page.url], |_| true);
            !fresh.is_empty()
        };
        pages.retain(is_new);
        for page in pages.iter_mut().filter(|page| page.priority == Priority::default()) {
            page.priority = self.planner.priority(&page.url, page.found.depth);
        }
        pages.sort_by_key(|page| Reverse(page.priority));
        let mut queueing = Queueing { seen: &self.seen, pages: pages.iter().map(|page| &page.url).collect() };
        for some in pages.chunks(QUEUED) {
            self.ports.frontier.queue(some).await?;
            queueing.pages.drain(..some.len());
        }
        Ok(())
    }

    /// Returns how many pages may wait: as many as a crawl asks for, unless somebody wants more.
    ///
    /// What is left out is found again by the audit, when fewer wait.
    fn most_waiting(&self) -> usize {
        let pages = PageLimit::Usual.of(self.planner.known() as u64);
        pages.and_then(|pages| usize::try_from(pages).ok()).unwrap_or(usize::MAX)
    }

    fn queued(&self, url: PageUrl, found: Found) -> QueuedPage {
        let priority = self.planner.priority(&url, found.depth);
        QueuedPage { site: self.site.id.clone(), crawl: self.crawl.id, url, found, priority }
    }

    async fn exclusion(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
    ) -> Result<Option<String>, StepError> {
        if let Err(reason) = self.scope.admits(&page.url) {
            return Ok(Some(reason.to_string()));
        }
        if let Err(reason) = self.scope.admits_depth(self.nearest(page)) {
            return Ok(Some(reason.to_string()));
        }
        if let Some(reason) = self.gone_for_good(page, known).await? {
            return Ok(Some(reason));
        }
        let was_live = known.is_some_and(|known| known.presence.is_live());
        if !was_live && let Some(trap) = self.traps.around(&page.url, &page.found) {
            return Ok(Some(trap.to_string()));
        }
        // Rules that cannot be read allow nothing: the host waits, and none of its pages is to blame.
        let unreadable = |panic: Panic| {
            let Panic { message, place } = &panic;
            tracing::error!(url = %page.url, message, place, "Recrawl stumbled over a robots.txt");
            let (host, reason) = (page.url.host_key(), format!("Recrawl stumbled over it: {panic}"));
            RobotsError::Unreachable { host, reason }
        };
        match caught(self.ports.robots.permits(&page.url)).await.map_err(unreadable)?? {
            Permission::Allowed => Ok(None),
            Permission::Disallowed(rule) => Ok(Some(format!("robots.txt: {rule}"))),
        }
    }

    async fn settle(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
        evidence: Evidence,
    ) -> Result<Outcome, StepError> {
        let mut judgement =
            judge(&page.url, known, &evidence.observation, &evidence.headers, evidence.fetched_at);
        if evidence.observation.is_evidence() {
            judgement.known.fresh_until = evidence.fresh_until;
        }
        let record = PageRecord {
            site: self.site.id.clone(),
            crawl: self.crawl.id,
            url: page.url.clone(),
            found: Found { depth: self.nearest(page), ..page.found.clone() },
            visit: Visit {
                verdict: judgement.verdict,
                aspects: judgement.aspects,
                status: evidence.status,
                not_modified: evidence.not_modified,
                check: evidence.check,
                reason: evidence.reason,
                fetched_at: evidence.fetched_at,
                fetch_ms: evidence.fetch_ms,
                requests: evidence.requests,
                received_bytes: evidence.received_bytes,
                saved_bytes: match evidence.check {
                    Check::None if evidence.observation == Observation::NotModified => {
                        judgement.known.transfer_bytes
                    }
                    Check::None | Check::Confirmed | Check::False304 => 0,
                },
                truncated: evidence.truncated,
            },
            known: judgement.known,
            archive: self.wish(judgement.verdict, evidence.fetched_at),
        };
        let depth = record.found.depth.saturating_add(1);
        let by = match evidence.observation {
            Observation::Redirect => {
                // Before others can follow it.
                for target in &evidence.links {
                    self.traps.learn_redirect(&page.url, target);
                }
                FoundBy::Redirect
            }
            Observation::Content { .. }
            | Observation::NotModified
            | Observation::Presumed
            | Observation::Absent { .. }
            | Observation::NoEvidence
            | Observation::PassedOver => FoundBy::Link,
        };
        self.queue(&evidence.links, &Found { by, depth, referrer: Some(page.url.clone()) }).await?;
        let mut content = evidence.content;
        if let Some(content) = &mut content
            && !self.keeps_body(record.visit.verdict, evidence.rebased, content)
        {
            content.put_body_aside();
        }
        let recorded = self.ports.store.record(&record, content.as_deref()).await?;
        // Its memory counts until here.
        drop((content, evidence.memory));
        self.note_recorded(&record, recorded).await?;
        self.learn(&record);
        self.compare_with_sitemap(known, &record);
        Ok(match recorded {
            Recorded::First => Outcome::Recorded(Box::new(record)),
            Recorded::Already => Outcome::Duplicate,
        })
    }

    fn keeps_body(&self, verdict: Verdict, rebased: bool, content: &Content) -> bool {
        if self.settings.full_history.contains(&content.media_type) {
            return true;
        }
        match self.settings.keep_bodies {
            KeepBodies::All => true,
            // After a change of rules the next one needs a body to compare with.
            KeepBodies::Changed => verdict.change().is_some() || rebased,
            KeepBodies::None => false,
        }
    }

    /// Returns the wish to have a change archived, if there is one.
    fn wish(&self, verdict: Verdict, requested_at: Timestamp) -> Option<Archive> {
        let is_wanted = self.settings.archive.includes(verdict, self.settings.is_first_crawl);
        is_wanted.then(|| Archive::queued(requested_at))
    }
}

/// Pages that are marked as queued. Dropped before that is done, by an error or a panic, it marks them as not queued.
struct Queueing<'a> {
    seen: &'a Seen,
    pages: Vec<&'a PageUrl>,
}

impl Drop for Queueing<'_> {
    fn drop(&mut self) {
        self.seen.forget_queued(self.pages.drain(..));
    }
}
