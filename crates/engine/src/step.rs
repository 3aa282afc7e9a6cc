//! The crawl step: one page, from the queue to its record. The same code in every home.
//!
//! A visit is plan, fetch, interpret, judge, commit. [`request_plan`], [`interpret()`] and [`judge`] are pure, in
//! `core/decide`; only fetching, looking up facts and committing touch the world.

mod confirming;
mod facts;
mod fetching;
mod nearness;
mod progress;
mod queueing;
mod stumbling;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
pub use recrawl_core::decide::interpret::Attempt;
use recrawl_core::decide::interpret::{Asked, Evidence, Interpreted, Stored, interpret};
use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::decide::learnt::Learnt;
use recrawl_core::decide::request_plan::{Plan, PlanRules, Planned, needs_last_reason, request_plan};
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::{Content, Extractor, KeepBodies};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::{Check, Found, FoundBy, PageRecord, PageState, Visit};
use recrawl_core::model::scope::Scope;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::panics::{Panic, caught};
use recrawl_core::plan::sample::{self, Sample, SmartDecision};
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{
    FetchError, Fetcher, Frontier, Permission, QueueError, QueuedPage, Recorded, RobotsError, RobotsGate,
    SoftErrorProbe, StateStore, Store, StoreError, Stumbles,
};
use recrawl_core::url::{HostKey, UrlRules};
use thiserror::Error;

use self::progress::{KeptFacts, VisitProgress};
use crate::seen::Seen;

/// Everything outside that a crawl step uses.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub frontier: Arc<dyn Frontier>,
    pub fetcher: Arc<dyn Fetcher>,
    pub robots: Arc<dyn RobotsGate>,
    pub absence: Arc<dyn SoftErrorProbe>,
    pub state_store: Arc<dyn StateStore>,
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
    policy: CrawlPolicy,
    ports: Ports,
    planner: Arc<VisitPlanner>,
    seen: Seen,
    learnt: Mutex<Learnt>,
}

impl CrawlStep {
    /// Prepares to visit pages of `crawl`.
    pub fn new(
        site: Site,
        crawl: Crawl,
        scope: Scope,
        policy: CrawlPolicy,
        ports: Ports,
        planner: Arc<VisitPlanner>,
    ) -> Self {
        let learnt = Mutex::new(Learnt::new(policy.smart_threshold, policy.trap_limit));
        let (seen, draw) = (Seen::default(), sample::seed(crawl.id));
        Self { site, crawl, draw, scope, policy, ports, planner, seen, learnt }
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
        &self.policy.url_rules
    }

    /// Decides by these pages whether a crawl in mode smart becomes a full one.
    pub fn decide_by(&self, sample: Sample) {
        self.learnt().decide_by(sample);
    }

    /// Returns what a crawl in mode smart has come to, once its sample has decided.
    pub fn turn(&self) -> Option<SmartDecision> {
        self.learnt().turn()
    }

    /// Returns the hosts whose 304s are not believed in this crawl.
    pub fn distrusted_hosts(&self) -> Vec<HostKey> {
        self.learnt().distrusted_hosts()
    }

    /// Takes in a record that an earlier process of this crawl wrote.
    pub fn resume(&self, record: &PageRecord) {
        self.learnt().learn(record, &self.policy.url_rules);
        self.seen.finish(&record.url, record.found.depth);
    }

    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        // What was lost in a panic is one page more to visit, or one request more.
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Visits `page` at `now`.
    ///
    /// Links are queued before the record is written, so that a recorded page never lost its links; a crash before that
    /// is cured by visiting again. A panic, or a body that takes too long to read, costs this page, which is recorded as
    /// Failed, and nothing else.
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

    /// Visits a page: plan, fetch, interpret, commit. Where its body cannot be read, that is [`StepError::Stumbled`].
    async fn visit_unguarded(
        &self,
        page: &QueuedPage,
        progress: &VisitProgress<'_>,
        attempt: Attempt,
        now: Timestamp,
    ) -> Result<Outcome, StepError> {
        let known = self.known(page).await?;
        let known = known.as_ref();
        let questions = match self.plan(page, known, now).await? {
            Plan::Exclude(reason) => {
                return self.commit(page, known, 0, Evidence::excluded(reason, now), None).await;
            }
            Plan::Presume(reason, questions) => match self.stored_links(known).await? {
                Some(links) => {
                    return self.commit(page, known, 0, Evidence::presumed(reason, links, now), None).await;
                }
                None => questions,
            },
            Plan::Ask(questions) => questions,
        };
        let mut answers = self.ask(progress, known, &questions).await?;
        let mut facts = progress.facts();
        let (url, root, rules, policy) =
            (&page.url, &self.site.root, self.ports.extractor.rules(), &self.policy);
        let asked = Asked { url, root, known, attempt, rules, policy, now };
        let evidence = loop {
            match interpret(&asked, &answers, &facts) {
                Interpreted::Needs(fact) => self.look_up(fact, &asked, &mut answers, &mut facts).await?,
                Interpreted::Retry { reason, next } => return Ok(Outcome::Retry { reason, next }),
                Interpreted::Lost => return Err(content_is_lost().into()),
                Interpreted::Seen(evidence) => break *evidence,
            }
        };
        let requests = attempt.number + progress.requests();
        let was_live = known.is_some_and(|known| known.presence.is_live());
        let is_absent = matches!(evidence.observation, Observation::Absent { .. });
        if was_live && is_absent && !self.is_confirmed_absent(page, evidence.fetched_at).await? {
            return Ok(Outcome::Unconfirmed { requests });
        }
        self.commit(page, known, requests, evidence, Some(facts)).await
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
            let known = self.known(page).await?;
            self.commit(page, known.as_ref(), requests, Evidence::gave_up(reason, now), None).await
        };
        caught(giving_up).await.unwrap_or_else(|panic| Err(StepError::Stumbled(panic)))
    }

    /// Returns what is known of a page by its newest record before this crawl.
    async fn known(&self, page: &QueuedPage) -> Result<Option<PageState>, StoreError> {
        self.ports.store.page_state_before(&self.site.id, self.crawl.id, &page.url).await
    }

    /// Plans the visit of a page. Robots.txt is read only where a page would be asked for.
    async fn plan(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
        now: Timestamp,
    ) -> Result<Plan, StepError> {
        let last = if needs_last_reason(known, self.crawl.mode) {
            self.ports.store.latest_before(&self.site.id, self.crawl.id, &page.url).await?
        } else {
            None
        };
        let last_reason = last.as_ref().and_then(|last| last.visit.reason.as_deref());
        let (url, found, depth) = (&page.url, &page.found, self.nearest(page));
        let planned = Planned { url, found, depth, known, last_reason };
        let rules = PlanRules {
            root: &self.site.root,
            mode: self.crawl.mode,
            draw: self.draw,
            scope: &self.scope,
            policy: &self.policy,
            planner: &self.planner,
        };
        let plan = request_plan(&planned, &rules, &self.learnt(), now);
        if matches!(plan, Plan::Exclude(_)) {
            return Ok(plan);
        }
        // Rules that cannot be read allow nothing: the host waits, and none of its pages is to blame.
        let unreadable = |panic: Panic| {
            let Panic { message, place } = &panic;
            tracing::error!(%url, message, place, "Recrawl stumbled over a robots.txt");
            RobotsError::Unreachable {
                host: url.host_key(),
                reason: format!("Recrawl stumbled over it: {panic}"),
            }
        };
        Ok(match caught(self.ports.robots.permits(url)).await.map_err(unreadable)?? {
            Permission::Allowed => plan,
            Permission::Disallowed(rule) => Plan::Exclude(format!("robots.txt: {rule}")),
        })
    }

    /// Judges what was seen of a page, queues where it leads, and writes its record, last.
    async fn commit(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
        requests: u32,
        seen: Evidence,
        facts: Option<KeptFacts>,
    ) -> Result<Outcome, StepError> {
        let record = self.record(page, known, requests, &seen);
        let by = if seen.observation == Observation::Redirect { FoundBy::Redirect } else { FoundBy::Link };
        if by == FoundBy::Redirect {
            // Before others can follow it.
            for target in &seen.links {
                self.learnt().learn_redirect(&page.url, target);
            }
        }
        let depth = record.found.depth.saturating_add(1);
        self.queue(&seen.links, &Found { by, depth, referrer: Some(page.url.clone()) }).await?;
        let mut facts = facts.filter(|_| seen.stores.is_some());
        if let Some(content) = facts.as_mut().and_then(|facts| facts.content.as_mut())
            && let Some(Stored::AsMeaning(semantic, text)) = seen.stores
        {
            (content.extracted.semantic, content.extracted.text) = (semantic, text);
        }
        if let Some(facts) = &mut facts
            && let Some(content) = &facts.content
            && !self.keeps_body(record.visit.verdict, seen.rebased, content)
        {
            facts.put_body_aside();
        }
        let content = facts.as_ref().and_then(|facts| facts.content.as_ref());
        let recorded = self.ports.store.record(&record, content).await?;
        // Its memory counts until here.
        drop((facts, seen.memory));
        self.note_recorded(&record, recorded).await?;
        self.learnt().learn(&record, &self.policy.url_rules);
        self.compare_with_sitemap(known, &record);
        Ok(match recorded {
            Recorded::First => Outcome::Recorded(Box::new(record)),
            Recorded::Already => Outcome::Duplicate,
        })
    }

    /// Makes the record of what was seen of a page.
    fn record(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
        requests: u32,
        seen: &Evidence,
    ) -> PageRecord {
        let mut judgement = judge(&page.url, known, &seen.observation, &seen.headers, seen.fetched_at);
        if seen.observation.is_evidence() {
            judgement.known.fresh_until = seen.fresh_until;
        }
        // Asked for when the crawl is closed and believed.
        let is_archived = self.policy.archive.includes(judgement.verdict, self.policy.is_first_crawl);
        PageRecord {
            site: self.site.id.clone(),
            crawl: self.crawl.id,
            url: page.url.clone(),
            found: Found { depth: self.nearest(page), ..page.found.clone() },
            visit: Visit {
                verdict: judgement.verdict,
                aspects: judgement.aspects,
                status: seen.status,
                not_modified: seen.not_modified,
                check: seen.check,
                reason: seen.reason.clone(),
                fetched_at: seen.fetched_at,
                fetch_ms: seen.fetch_ms,
                requests,
                received_bytes: seen.received_bytes,
                saved_bytes: match seen.check {
                    Check::None if seen.observation == Observation::NotModified => {
                        judgement.known.transfer_bytes
                    }
                    Check::None | Check::Confirmed | Check::False304 => 0,
                },
                truncated: seen.truncated,
            },
            known: judgement.known,
            archive: is_archived.then(|| Archive::queued(seen.fetched_at)),
        }
    }

    fn keeps_body(&self, verdict: Verdict, rebased: bool, content: &Content) -> bool {
        if self.policy.full_history.contains(&content.media_type) {
            return true;
        }
        match self.policy.keep_bodies {
            KeepBodies::All => true,
            // After a change of rules the next one needs a body to compare with.
            KeepBodies::Changed => verdict.change().is_some() || rebased,
            KeepBodies::None => false,
        }
    }

    /// Compares what the sitemap said of a page with what the visit found.
    fn compare_with_sitemap(&self, known: Option<&PageState>, record: &PageRecord) {
        let is_evidence = match record.visit.verdict {
            Verdict::Changed | Verdict::Unchanged | Verdict::Touched => record.visit.requests > 0,
            Verdict::New
            | Verdict::Gone
            | Verdict::Moved
            | Verdict::Missing
            | Verdict::Failed
            | Verdict::Excluded => false,
        };
        if let Some(known) = known.filter(|_| is_evidence) {
            let changed = record.visit.verdict == Verdict::Changed;
            self.planner.note(&record.url, known.last_seen, changed);
        }
    }
}

fn content_is_lost() -> StoreError {
    StoreError::Corrupt("a page is known, and its content is not stored".into())
}
