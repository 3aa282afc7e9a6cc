//! The crawl step: one page, from the queue to its record. The same code in every home.
//!
//! A visit is plan, fetch, interpret, judge, commit. [`request_plan`], [`interpret()`] and [`judge`] are pure, in
//! `core/decide`; only fetching, looking up facts and committing touch the world.

mod confirming;
mod facts;
mod fetching;
mod images;
mod known;
mod nearness;
mod progress;
mod queueing;
mod rechecking;
mod stumbling;
mod weighing;

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use recrawl_core::changes::again::CollapseQuota;
use recrawl_core::changes::noise::NoiseInForce;
use recrawl_core::changes::settle::SharingRules;
pub use recrawl_core::decide::interpret::Attempt;
use recrawl_core::decide::interpret::{Answers, Asked, Evidence, Interpreted, Stored, interpret};
use recrawl_core::decide::judge::{Observation, judge, repeat};
use recrawl_core::decide::learnt::Learnt;
use recrawl_core::decide::request_plan::{Plan, PlanRules, Planned, needs_last_reason, request_plan};
use recrawl_core::decide::{FIRST_SEEN, image_verdict};
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::{Content, Extractor, KeepBodies};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::{Check, Found, FoundBy, PageRecord, PageState, Visit};
use recrawl_core::model::scope::Scope;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::panics::{Panic, caught};
use recrawl_core::plan::sample::{self, Sample, SmartDecision};
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{
    DocumentExtractor, FetchError, Fetcher, Frontier, Permission, QueueError, QueuedPage, Recorded,
    RobotsError, RobotsGate, SoftErrorProbe, StateStore, Store, StoreError, Stumbles,
};
use recrawl_core::url::{HostKey, UrlRules};
use thiserror::Error;
use tokio::sync::OnceCell;

use self::confirming::Believed;
use self::known::Known;
use self::progress::{KeptFacts, VisitProgress};
pub use self::rechecking::Rechecked;
use crate::seen::Seen;
use crate::session::learnt_noise;

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
    pub documents: Arc<dyn DocumentExtractor>,
}

/// What came of a visit.
#[derive(Debug)]
pub enum Outcome {
    /// The page was recorded in this crawl before; nothing was done.
    Duplicate,
    /// The page is recorded now.
    Recorded(Box<PageRecord>),
    /// A known page is absent, or lost its content. Nothing is recorded: it should be visited once more at the end of
    /// the crawl, and only what is seen then, too, is believed.
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
    /// The unusual crawls since the believed one, newest first.
    unusual: Vec<CrawlId>,
    /// What the crawl draws pages by.
    draw: u64,
    scope: Scope,
    policy: CrawlPolicy,
    ports: Ports,
    planner: Arc<VisitPlanner>,
    seen: Seen,
    learnt: Mutex<Learnt>,
    noise: OnceCell<NoiseInForce>,
    /// The pages that are asked for again because they lost their content.
    collapses: Mutex<CollapseQuota>,
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
        let unusual = Vec::new();
        Self {
            site,
            crawl,
            unusual,
            draw,
            scope,
            policy,
            ports,
            planner,
            seen,
            learnt,
            noise: OnceCell::new(),
            collapses: Mutex::default(),
        }
    }

    /// Does not fetch again what these unusual crawls fetched since the believed one, newest first
    /// ([`unusual_since_believed`](recrawl_core::decide::unusual_since_believed)).
    #[must_use]
    pub fn after_unusual(self, crawls: Vec<CrawlId>) -> Self {
        Self { unusual: crawls, ..self }
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

    /// Returns when the same edit on several pages is one change.
    pub fn sharing(&self) -> SharingRules {
        self.policy.sharing
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

    /// Returns what was learnt to be noise before this crawl, read once: the first time that a page is compared.
    async fn noise(&self, known: Option<&PageState>) -> Result<&NoiseInForce, StoreError> {
        static NONE: LazyLock<NoiseInForce> = LazyLock::new(NoiseInForce::default);
        if known.is_none_or(|known| known.content.is_none()) {
            return Ok(&NONE);
        }
        let load = || async {
            let noise = learnt_noise(&*self.ports.state_store, &self.site.id).await?;
            Ok(noise.in_force())
        };
        self.noise.get_or_try_init(load).await
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
        let believed = known.believed();
        let questions = match self.plan(page, &known, now).await? {
            Plan::Exclude(reason) => {
                return self.commit(page, &known, 0, Evidence::excluded(reason, now), None).await;
            }
            Plan::Presume(reason, questions) => match self.stored_links(believed).await? {
                Some(links) => {
                    return self.commit(page, &known, 0, Evidence::presumed(reason, links, now), None).await;
                }
                None => questions,
            },
            Plan::Ask(questions) => questions,
        };
        let mut answers = self.ask(progress, known.newest(), &questions).await?;
        let mut facts = progress.facts();
        let (url, root, rules, policy) =
            (&page.url, &self.site.root, self.ports.extractor.rules(), &self.policy);
        let is_unchanged = matches!(answers, Answers::Unchanged { .. });
        let compared = if is_unchanged { known.newest() } else { believed };
        let noise = self.noise(known.believed()).await?;
        let asked = Asked { url, root, known: compared, attempt, rules, policy, noise, now };
        let evidence = loop {
            match interpret(&asked, &answers, &facts) {
                Interpreted::Needs(fact) => self.look_up(fact, &asked, &mut answers, &mut facts).await?,
                Interpreted::Retry { reason, next } => return Ok(Outcome::Retry { reason, next }),
                Interpreted::Lost => return Err(content_is_lost().into()),
                Interpreted::Seen(evidence) => break evidence,
            }
        };
        let requests = attempt.number + progress.requests();
        match Box::pin(self.confirm(page, believed, evidence)).await? {
            Believed::Yes(evidence) => {
                Box::pin(self.commit(page, &known, requests, *evidence, Some(facts))).await
            }
            Believed::NotYet => Ok(Outcome::Unconfirmed { requests }),
        }
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
            self.commit(page, &known, requests, Evidence::gave_up(reason, now), None).await
        };
        caught(giving_up).await.unwrap_or_else(|panic| Err(StepError::Stumbled(panic)))
    }

    /// Plans the visit of a page. Robots.txt is read only where a page would be asked for.
    async fn plan(&self, page: &QueuedPage, known: &Known, now: Timestamp) -> Result<Plan, StepError> {
        let (known, fetched) = (known.believed(), known.fetched());
        let last = if needs_last_reason(known, self.crawl.mode) {
            self.ports.store.latest_before(&self.site.id, self.crawl.id, &page.url).await?
        } else {
            None
        };
        let last_reason = last.as_ref().and_then(|last| last.visit.reason.as_deref());
        let (url, found, depth) = (&page.url, &page.found, self.nearest(page));
        let planned = Planned { url, found, depth, known, fetched, last_reason };
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
        known: &Known,
        requests: u32,
        seen: Evidence,
        facts: Option<KeptFacts>,
    ) -> Result<Outcome, StepError> {
        let mut record = self.record(page, known, requests, &seen);
        let read = facts.as_ref().and_then(|facts| facts.content.as_ref()).map(|content| &content.extracted);
        self.weigh(&mut record, known.believed(), &seen, read).await?;
        if let Some(read) = read.filter(|_| seen.stores.is_some()) {
            record.known.note_scripts(read.needs_scripts);
            record.known.note_document(read.document.as_deref());
        }
        // An image leads nowhere, also one that redirects.
        let leads_on = page.found.by != FoundBy::Image;
        let by = if seen.observation == Observation::Redirect { FoundBy::Redirect } else { FoundBy::Link };
        if by == FoundBy::Redirect && leads_on {
            // Before others can follow it.
            for target in &seen.links {
                self.learnt().learn_redirect(&page.url, target);
            }
        }
        let depth = record.found.depth.saturating_add(1);
        if leads_on {
            self.queue(&seen.links, &Found { by, depth, referrer: Some(page.url.clone()) }).await?;
        }
        self.queue_images(&record, read).await?;
        let mut facts = facts.filter(|_| seen.stores.is_some());
        if let Some(content) = facts.as_mut().and_then(|facts| facts.content.as_mut())
            && let Some(Stored::AsMeaning(semantic, text)) = seen.stores
        {
            (content.extracted.semantic, content.extracted.text) = (semantic, text);
        }
        if let Some(facts) = &mut facts
            && let Some(content) = &facts.content
            && !self.keeps_body(page.found.by, &record, seen.rebased, content)
        {
            facts.put_body_aside();
        }
        let content = facts.as_ref().and_then(|facts| facts.content.as_ref());
        let recorded = self.ports.store.record(&record, content).await?;
        // Its memory counts until here.
        drop((facts, seen.memory));
        self.note_recorded(&record, recorded).await?;
        self.learnt().learn(&record, &self.policy.url_rules);
        self.compare_with_sitemap(known.believed(), &record);
        Ok(match recorded {
            Recorded::First => Outcome::Recorded(Box::new(record)),
            Recorded::Already => Outcome::Duplicate,
        })
    }

    /// Makes the record of what was seen of a page.
    fn record(&self, page: &QueuedPage, known: &Known, requests: u32, seen: &Evidence) -> PageRecord {
        let repeated = known.unusual.as_ref().filter(|_| seen.observation == Observation::NotModified);
        let believed = known.believed();
        let mut judgement = match repeated {
            Some(unusual) => repeat(believed, unusual, &seen.headers, seen.fetched_at),
            None => judge(&page.url, believed, &seen.observation, &seen.headers, seen.fetched_at),
        };
        if seen.observation.is_evidence() {
            judgement.known.fresh_until = seen.fresh_until;
        }
        let is_image = page.found.by == FoundBy::Image;
        let mut reason = seen.reason.clone();
        if is_image {
            if judgement.verdict == Verdict::New {
                reason = reason.or_else(|| Some(FIRST_SEEN.to_owned()));
            }
            (judgement.verdict, judgement.aspects) = image_verdict(judgement.verdict, self.policy.compare);
        }
        let said = repeated.map(|unusual| &unusual.visit);
        // Asked for when the crawl is closed and believed.
        let is_archived = !is_image
            // The Wayback Machine keeps the web, and no capsules.
            && !page.url.is_gemini()
            && self.policy.archive.includes(judgement.verdict, self.policy.is_first_crawl);
        PageRecord {
            site: self.site.id.clone(),
            crawl: self.crawl.id,
            url: page.url.clone(),
            found: Found { depth: self.nearest(page), ..page.found.clone() },
            visit: Visit {
                verdict: judgement.verdict,
                aspects: judgement.aspects,
                tier: said.and_then(|visit| visit.tier),
                weight: said.map_or(0, |visit| visit.weight),
                words: said.map_or_else(WordCount::default, |visit| visit.words),
                kinds: said.map_or_else(Kinds::default, |visit| visit.kinds),
                edits: said.and_then(|visit| visit.edits.clone()),
                status: seen.status,
                not_modified: seen.not_modified,
                check: seen.check,
                reason,
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

    fn keeps_body(&self, by: FoundBy, record: &PageRecord, rebased: bool, content: &Content) -> bool {
        if self.policy.full_history.contains(&content.media_type) {
            return true;
        }
        match self.policy.keep_bodies {
            KeepBodies::All => true,
            // After a change of rules the next one needs a body to compare with.
            KeepBodies::Changed => {
                // That an image is new is no news, but what it was is wanted when it is replaced.
                let is_of_image = by == FoundBy::Image && record.visit.verdict == Verdict::Unchanged;
                record.visit.verdict.change().is_some() || rebased || is_of_image
            }
            KeepBodies::None => false,
        }
    }

    /// Compares what the sitemap said of a page with what the visit found.
    fn compare_with_sitemap(&self, known: Option<&PageState>, record: &PageRecord) {
        let is_evidence = record.visit.verdict.compares_content() && record.visit.requests > 0;
        if let Some(known) = known.filter(|_| is_evidence) {
            let changed = record.visit.verdict == Verdict::Changed;
            self.planner.note(&record.url, known.last_seen, changed);
        }
    }
}

fn content_is_lost() -> StoreError {
    StoreError::Corrupt("a page is known, and its content is not stored".into())
}
