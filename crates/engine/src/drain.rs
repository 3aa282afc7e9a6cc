//! Works a frontier off until the crawl is complete, the budget is spent or somebody stops it.

mod beginning;
mod ending;
mod hosts;
mod list_queue;
mod listing;
mod postponing;
mod queue;
mod rechecking;
mod visiting;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::session::{AuditError, ClosingError};
use crate::step::{CrawlStep, Outcome, Rechecked, StepError};
use jiff::Timestamp;
use recrawl_core::changes::again::Rechecks;
use recrawl_core::decide::traps::PageLimit;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{
    Announcer, Pace, PullFrontier, QueueError, QueuedPage, StateStore, Store, StoreError,
};
use recrawl_core::url::{HostKey, PageUrl};
use thiserror::Error;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::beginning::Sampled;
use self::hosts::Hosts;
pub use self::hosts::Waiting;
pub use self::listing::{Choice, Choose, List, ListItem};
use self::queue::{Task, WorkQueue};
use crate::budget::RequestBudget;
use crate::observer::Observer;
use crate::sitemaps::SitemapFinder;
use crate::sitemaps::remember_reliability;
use crate::stop_handle::{StopHandle, StopMode};

/// How far a run may go.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// Pages asked for, in all runs of the crawl.
    pub max_pages: PageLimit,
    /// Time, of this run.
    pub max_time: Option<Duration>,
    /// Requests for pages, in all runs of the crawl; the fetcher of the step must count them.
    pub requests: Option<Arc<RequestBudget>>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The crawl is closed.
    Closed(Box<Closed>),
    /// Somebody stopped the run; the crawl is open, and goes on with the next run.
    Stopped,
    /// Hosts cannot be visited now; the crawl is open, and goes on with the next run.
    Waiting(Waiting),
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
    #[error(transparent)]
    Closing(#[from] ClosingError),
    /// A panic outside visits: those are caught one by one.
    #[error("a task of the crawl panicked")]
    Panicked(#[from] tokio::task::JoinError),
}

/// What a run is about.
pub struct Run {
    /// The site.
    pub site: Site,
    /// The open crawl.
    pub crawl: Crawl,
    /// How many pages a crawl of due pages visits at most: the best of them.
    pub most_due: Option<usize>,
    /// How far it may go.
    pub budget: Budget,
    /// How many known pages decide for a crawl in mode smart.
    pub sample_size: usize,
    /// How many pages are visited at a time.
    pub parallel: usize,
    /// Whether the crawl was begun by an earlier run.
    pub resumed: bool,
    /// Whether a crawl is closed to which the site answered nothing at all; otherwise it waits for the next run.
    pub closes_silent: bool,
}

/// Runs a crawl on an embedded store.
#[expect(missing_docs, reason = "each field is named after its type")]
pub struct Runner {
    pub run: Run,
    pub step: Arc<CrawlStep>,
    pub store: Arc<dyn Store>,
    pub pull_frontier: Arc<dyn PullFrontier>,
    pub announcer: Arc<dyn Announcer>,
    pub state_store: Arc<dyn StateStore>,
    pub sitemaps: Option<Arc<SitemapFinder>>,
    pub observer: Arc<dyn Observer>,
    /// Knows when a host in trouble is tried next.
    pub pace: Option<Arc<dyn Pace>>,
    /// Once something is asked of this, no further visit is begun.
    pub stop_handle: StopHandle,
    pub clock: fn() -> Timestamp,
}

/// What a task of the run came back with.
enum Done {
    Visited(Task, Result<Outcome, StepError>),
    Rechecked(Result<Option<Box<Rechecked>>, StepError>),
    Searched(Result<(), QueueError>),
}

/// The running account of a run.
#[derive(Default)]
struct Account {
    queue: WorkQueue,
    hosts: Hosts,
    tasks: JoinSet<Done>,
    asked: u64,
    /// How many pages are asked for at most.
    page_limit: Option<u64>,
    /// The figures of what this run and those before it recorded.
    recorded: Statistics,
    /// Visits were broken off because the time was up.
    is_cut: bool,
    deadline: Option<Instant>,
    set_aside: u64,
    /// Why the host of the root does not answer, if it does not.
    silence: Option<String>,
    /// The sample of a crawl in mode smart.
    sampled: Option<Sampled>,
    /// Known pages that were absent or lost their content, to be visited again.
    unconfirmed: Vec<Task>,
    /// Nothing is left but these.
    confirming: bool,
    /// Pages that changed by a few words.
    rechecks: Rechecks,
    /// Those of them that are asked for again, when nothing else is left.
    rechecked: VecDeque<QueuedPage>,
    /// Pages that could not even be recorded as failed.
    given_up: HashSet<PageUrl>,
    /// The fingerprints of the pages that the last audit had queued.
    audited: HashSet<u128>,
    /// Hosts whose 304s were found to be false.
    distrusted_hosts: HashSet<HostKey>,
    /// The traps that people were told of.
    traps: HashSet<String>,
}

impl Runner {
    /// Runs until the crawl is complete, the budget is spent or somebody stops it.
    pub async fn run(self) -> Result<Ended, RunnerError> {
        let ended = Box::pin(self.run_on()).await;
        remember_reliability(&*self.state_store, self.step.planner(), (self.clock)()).await;
        ended
    }

    async fn run_on(&self) -> Result<Ended, RunnerError> {
        let deadline = self.run.budget.max_time.map(|time| Instant::now() + time);
        let mut account = Account { deadline, rechecks: self.step.rechecks(), ..Account::default() };
        self.prepare(&mut account).await?;
        loop {
            let spent = self.drain(&mut account).await?;
            let silence = self.silence(&account);
            let spent = match self.stop_mode(&account) {
                Some(StopMode::Pause) => return Ok(Ended::Stopped),
                Some(StopMode::Close(reason)) => Some(reason.to_owned()),
                None if account.set_aside > 0 && silence.is_none() => {
                    return Ok(Ended::Waiting(account.hosts.waiting()));
                }
                None if account.set_aside > 0 => silence.clone(),
                None => spent,
            };
            if let Some(closed) = self.finish(&mut account, spent, silence).await? {
                return Ok(Ended::Closed(Box::new(closed)));
            }
        }
    }

    /// Returns why the site does not answer, where nothing of it was recorded and nobody waits for it.
    fn silence(&self, account: &Account) -> Option<String> {
        let is_silent = self.run.closes_silent && account.recorded.total == 0;
        account.silence.clone().filter(|_| is_silent)
    }

    /// Returns how the run shall end before its time, if it shall.
    ///
    /// Where pages are being confirmed to be gone, nothing else is left: the crawl is not closed before all of them
    /// are, because it would be neither whole nor partial.
    fn stop_mode(&self, account: &Account) -> Option<StopMode> {
        self.stop_handle.asked().filter(|stop_mode| *stop_mode == StopMode::Pause || !account.confirming)
    }
}
