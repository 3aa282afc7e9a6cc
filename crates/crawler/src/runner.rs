//! Works a backlog off until the crawl is complete, the budget is spent or somebody stops it.

mod queue;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::answer::Answer;
use recrawl_core::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::lifecycle::{self, AuditError};
use recrawl_core::ports::{Backlog, FetchError, QueueError, QueuedPage, RobotsError, Store, StoreError};
use recrawl_core::record::{Found, FoundBy, PageRecord};
use recrawl_core::step::{CrawlStep, Outcome, StepError};
use recrawl_core::url::PageUrl;
use thiserror::Error;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::queue::{Task, WorkQueue};
use crate::hosts::Hosts;
use crate::observer::{Event, Observer};
use crate::sitemaps::SitemapFinder;

/// How many records or waiting pages are read at once when a crawl is resumed.
const CHUNK: usize = 1_000;

/// How far a run may go.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// Pages asked for, in all runs of the crawl.
    pub max_pages: Option<u64>,
    /// Time, of this run.
    pub max_time: Option<Duration>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The crawl is closed.
    Closed(Closed),
    /// Somebody stopped the run; the crawl is open, and goes on with the next run.
    Stopped,
    /// Hosts cannot be visited now, for these reasons; the crawl is open, and goes on with the next run.
    Waiting(Vec<String>),
}

/// Why a run broke off. The crawl is open, and goes on with the next run.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant is the error of its port")]
pub enum RunnerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error("a visit panicked")]
    Panicked(#[from] tokio::task::JoinError),
}

/// What a run is about.
pub struct Run {
    /// The site.
    pub site: Site,
    /// The open crawl.
    pub crawl: Crawl,
    /// How far it may go.
    pub budget: Budget,
    /// How many pages are visited at a time.
    pub parallel: usize,
    /// Whether the crawl was begun by an earlier run.
    pub resumed: bool,
}

/// Runs a crawl on an embedded store.
#[expect(missing_docs, reason = "each field is named after its type")]
pub struct Runner {
    pub run: Run,
    pub step: Arc<CrawlStep>,
    pub store: Arc<dyn Store>,
    pub backlog: Arc<dyn Backlog>,
    pub sitemaps: Option<Arc<SitemapFinder>>,
    pub observer: Arc<dyn Observer>,
    /// Once this is set, no further visit is begun.
    pub stopping: Arc<AtomicBool>,
    pub clock: fn() -> Timestamp,
}

/// What a task of the run came back with.
enum Done {
    Visited(Task, Result<Outcome, StepError>),
    Searched(Result<(), QueueError>),
}

/// The running account of a run.
struct Account {
    queue: WorkQueue,
    hosts: Hosts,
    tasks: JoinSet<Done>,
    asked: u64,
    deadline: Option<Instant>,
    set_aside: u64,
}

impl Runner {
    /// Runs until the crawl is complete, the budget is spent or somebody stops it.
    pub async fn run(self) -> Result<Ended, RunnerError> {
        let mut account = Account {
            queue: WorkQueue::default(),
            hosts: Hosts::default(),
            tasks: JoinSet::new(),
            asked: 0,
            deadline: self.run.budget.max_time.map(|time| Instant::now() + time),
            set_aside: 0,
        };
        if self.run.resumed {
            account.asked = self.recall().await?;
        }
        let seed = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        self.step.queue([&self.run.site.root], &seed).await?;
        self.search_sitemaps(&mut account.tasks);
        loop {
            let spent = self.work_off(&mut account).await?;
            if self.is_stopping() {
                return Ok(Ended::Stopped);
            }
            if account.set_aside > 0 {
                return Ok(Ended::Waiting(account.hosts.reasons()));
            }
            let crawls = self.store.crawls(&self.run.site.id).await?;
            let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
            // This store takes links and record in one transaction: what this process recorded needs no audit.
            let is_done = |url: &PageUrl| !self.run.resumed && self.step.seen().is_finished(url);
            let (scope, url_rules) = (self.step.scope(), self.step.url_rules());
            let audit =
                lifecycle::audit(&*self.store, site, crawl, &crawls, scope, url_rules, &is_done).await?;
            let waiting = audit.missing.len() as u64 + self.backlog.waiting(site, crawl).await?;
            let ending = match spent {
                Some(reason) if waiting > 0 => Ending::Partial(reason),
                Some(_) | None => Ending::Complete,
            };
            if ending == Ending::Complete && !audit.missing.is_empty() {
                self.observer.on(Event::Audited(audit.missing.len()));
                self.requeue(&audit.missing).await?;
                continue;
            }
            let closed = Closed { at: (self.clock)(), ending, statistics: audit.statistics };
            self.store.close_crawl(site, crawl, &closed).await?;
            return Ok(Ended::Closed(closed));
        }
    }

    /// Fills in what an earlier run recorded and queued; returns how many pages it asked for.
    async fn recall(&self) -> Result<u64, RunnerError> {
        let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
        let (mut last, mut recorded, mut asked) = (None, 0, 0);
        loop {
            let records = self.store.records(site, crawl, &[], last.as_ref(), CHUNK).await?;
            let Some(record) = records.last() else { break };
            last = Some(record.url.clone());
            recorded += records.len() as u64;
            asked += records.iter().filter(|record| record.visit.requests > 0).count() as u64;
            self.step.seen().not_yet_queued(records.iter().map(|record| &record.url), |_| true);
            for record in &records {
                self.step.seen().finish(&record.url);
            }
        }
        let waiting = self.backlog.waiting_pages(site, crawl).await?;
        self.step.seen().not_yet_queued(&waiting, |_| true);
        self.observer.on(Event::Resumed { recorded, waiting: waiting.len() as u64 });
        Ok(asked)
    }

    async fn requeue(&self, missing: &[QueuedPage]) -> Result<(), QueueError> {
        self.step.seen().not_yet_queued(missing.iter().map(|page| &page.url), |_| true);
        self.backlog.queue(missing).await
    }

    fn search_sitemaps(&self, tasks: &mut JoinSet<Done>) {
        let Some(finder) = self.sitemaps.clone() else {
            return;
        };
        let (step, observer, root) = (self.step.clone(), self.observer.clone(), self.run.site.root.clone());
        tasks.spawn(async move {
            let mut search = finder.search(&root).await;
            while let Some(found) = search.next().await {
                observer.on(Event::Sitemap { url: &found.sitemap, pages: found.pages.len() });
                for warning in found.warnings {
                    observer.on(Event::Warning(format!("{}: {warning}", found.sitemap)));
                }
                let way = Found { by: FoundBy::Sitemap, depth: 1, referrer: None };
                if let Err(error) = step.queue(&found.pages, &way).await {
                    return Done::Searched(Err(error));
                }
            }
            Done::Searched(Ok(()))
        });
    }

    /// Visits what waits, until nothing does; returns why it ended early if the budget is spent.
    async fn work_off(&self, account: &mut Account) -> Result<Option<String>, RunnerError> {
        let mut searching = usize::from(!account.tasks.is_empty());
        loop {
            let limit = self.run.parallel + searching;
            while account.tasks.len() < limit && self.overrun(account).is_none() && !self.is_stopping() {
                let Some(task) = self.next(account).await? else {
                    break;
                };
                self.begin(account, task);
            }
            match account.tasks.join_next().await {
                None => return Ok(self.overrun(account)),
                Some(done) => match done? {
                    Done::Searched(result) => {
                        result?;
                        searching = 0;
                    }
                    Done::Visited(task, outcome) => self.note(account, task, outcome).await?,
                },
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    fn overrun(&self, account: &Account) -> Option<String> {
        let Budget { max_pages, max_time } = &self.run.budget;
        if let Some(limit) = max_pages.filter(|limit| account.asked >= *limit) {
            return Some(format!("the limit of {limit} pages was reached"));
        }
        let late = account.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let limit = max_time.filter(|_| late)?;
        Some(format!("the limit of {} s was reached", limit.as_secs_f64()))
    }

    async fn next(&self, account: &mut Account) -> Result<Option<Task>, QueueError> {
        loop {
            let Some(task) = account.queue.pop() else {
                let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
                let taken = self.backlog.take(site, crawl, WorkQueue::REFILL).await?;
                if taken.is_empty() {
                    return Ok(account.queue.pop_retry());
                }
                account.queue.refill(taken);
                continue;
            };
            if account.hosts.is_held(&task.page.url.host_key()) {
                account.set_aside += 1;
                continue;
            }
            return Ok(Some(task));
        }
    }

    fn begin(&self, account: &mut Account, task: Task) {
        account.asked += u64::from(task.attempt.number == 0);
        let (step, now) = (self.step.clone(), (self.clock)());
        account.tasks.spawn(async move {
            let outcome = step.visit(&task.page, task.attempt, now).await;
            Done::Visited(task, outcome)
        });
    }

    async fn note(
        &self,
        account: &mut Account,
        task: Task,
        outcome: Result<Outcome, StepError>,
    ) -> Result<(), RunnerError> {
        let host = task.page.url.host_key();
        match outcome {
            Ok(Outcome::Duplicate) | Err(StepError::NotBegun(FetchError::Stopped)) => account.asked -= 1,
            Ok(Outcome::Recorded(record)) => {
                // What was passed over costs nothing of the budget.
                account.asked -= u64::from(record.visit.requests == 0);
                self.recorded(&record);
                if is_good(&record) {
                    account.hosts.succeeded(&host);
                } else if account.hosts.failed(&host) {
                    self.host_is_down(account, &host).await?;
                }
                account.queue.visited();
            }
            Ok(Outcome::Retry { reason, next }) => {
                self.observer.on(Event::Retrying { url: &task.page.url, reason: &reason });
                account.queue.retry(Task { attempt: next, ..task });
                if account.hosts.failed(&host) {
                    self.host_is_down(account, &host).await?;
                }
            }
            Err(StepError::NotBegun(error)) => self.hold(account, &task, error.to_string()),
            Err(StepError::Robots(error @ RobotsError::Unreachable { .. })) => {
                self.hold(account, &task, error.to_string());
            }
            Err(StepError::Store(error)) => return Err(error.into()),
            Err(StepError::Queue(error)) => return Err(error.into()),
        }
        Ok(())
    }

    fn recorded(&self, record: &PageRecord) {
        self.observer.on(Event::Recorded { record, waiting: self.step.seen().waiting() });
    }

    fn hold(&self, account: &mut Account, task: &Task, reason: String) {
        account.asked -= 1;
        account.set_aside += 1;
        if !self.is_stopping() {
            account.hosts.hold(task.page.url.host_key(), reason);
        }
    }

    /// Leaves a host alone that does not answer; where nothing but failed pages is left of it, they
    /// are recorded as failed, so that a few broken pages never keep a crawl open.
    async fn host_is_down(
        &self,
        account: &mut Account,
        host: &recrawl_core::url::HostKey,
    ) -> Result<(), RunnerError> {
        if account.queue.needs_refill() {
            let taken = self.backlog.take(&self.run.site.id, self.run.crawl.id, WorkQueue::REFILL).await?;
            account.queue.refill(taken);
        }
        if account.queue.has_fresh(host) {
            account.hosts.hold(host.clone(), format!("{host} does not answer"));
            account.set_aside += account.queue.drop_retries(host).len() as u64;
            return Ok(());
        }
        for Task { page, attempt } in account.queue.drop_retries(host) {
            let reason = format!("no good answer to {} requests", attempt.number);
            let outcome = self.step.give_up(&page, attempt.number, reason, (self.clock)()).await;
            match outcome {
                Ok(Outcome::Recorded(record)) => self.recorded(&record),
                Ok(Outcome::Duplicate | Outcome::Retry { .. }) => {}
                Err(StepError::Store(error)) => return Err(error.into()),
                Err(StepError::Queue(error)) => return Err(error.into()),
                Err(StepError::Robots(_) | StepError::NotBegun(_)) => account.set_aside += 1,
            }
        }
        Ok(())
    }
}

/// Tells whether a record shows that its host is well.
fn is_good(record: &PageRecord) -> bool {
    if record.visit.requests == 0 {
        return true;
    }
    record.visit.status.is_some_and(|status| Answer::of(status) != Answer::Trouble)
}
