//! The clock for people without Cloud Scheduler: starts crawls on time, and asks for ticks.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::ports::{QueueError, StateEntry, StateKey, StateStore, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_queue_pubsub::Topics;
use recrawl_schedule::Schedule;

/// How late a start may be made up for.
const GRACE: SignedDuration = SignedDuration::from_hours(1);
/// How often a tick is asked for.
const TICK: SignedDuration = SignedDuration::from_mins(10);
/// When what failed is tried again.
const RETRY: SignedDuration = SignedDuration::from_secs(30);
/// No sleep is longer, because the clock may be set and the machine may sleep.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);

/// Takes wishes to start a crawl or to look after crawls.
#[async_trait]
pub trait Trigger: Send + Sync {
    /// Asks for a crawl that begins at `root`.
    async fn seed(&self, root: &PageUrl) -> Result<(), QueueError>;

    /// Asks for a look at the state of the crawls.
    async fn tick(&self) -> Result<(), QueueError>;
}

#[async_trait]
impl Trigger for Topics {
    async fn seed(&self, root: &PageUrl) -> Result<(), QueueError> {
        self.publish_seed(root.as_str()).await
    }

    async fn tick(&self) -> Result<(), QueueError> {
        self.publish_tick().await
    }
}

/// Starts crawls of one root on time.
///
/// The time of the last start is remembered, so a restart neither repeats it nor loses one: a start that
/// fell into a pause is made up for if the pause ends within an hour. After that the next one counts.
pub struct Weekly {
    root: PageUrl,
    schedule: Schedule,
    trigger: Arc<dyn Trigger>,
    state_store: Arc<dyn StateStore>,
    last_start: Option<Timestamp>,
    last_tick: Option<Timestamp>,
}

impl Weekly {
    /// Prepares to start crawls of `root`.
    pub fn new(
        root: PageUrl,
        schedule: Schedule,
        trigger: Arc<dyn Trigger>,
        state_store: Arc<dyn StateStore>,
    ) -> Self {
        Self { root, schedule, trigger, state_store, last_start: None, last_tick: None }
    }

    /// Does what is due, again and again, for as long as it is polled.
    ///
    /// It may be dropped at any point: what was published and not remembered is published again, and joins
    /// the crawl that it opened.
    pub async fn run(mut self, clock: fn() -> Timestamp) {
        loop {
            let wake = self.step(clock()).await;
            let pause = Duration::try_from(wake.duration_since(clock())).unwrap_or_default();
            tokio::time::sleep(pause.min(LONGEST_SLEEP)).await;
        }
    }

    /// Does what is due at `now`; returns when to look again.
    pub async fn step(&mut self, now: Timestamp) -> Timestamp {
        let start = self.start(now).await;
        let tick = self.tick(now).await;
        start.min(tick)
    }

    async fn start(&mut self, now: Timestamp) -> Timestamp {
        let last = match self.last_start(now).await {
            Ok(last) => last,
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the last start is not known");
                return now + RETRY;
            }
        };
        let oldest = now - GRACE;
        if let Some(missed) = self.schedule.next_run(last).filter(|missed| *missed <= oldest) {
            tracing::error!(%missed, "a start was missed and is too old to be made up for");
            self.last_start = Some(oldest);
        }
        let Some(due) = self.latest_run(last.max(oldest), now) else {
            return self.schedule.next_run(now).unwrap_or(Timestamp::MAX);
        };
        if let Err(error) = self.trigger.seed(&self.root).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, %due, "the crawl was not started and is tried again");
            return now + RETRY;
        }
        tracing::info!(page.url = %self.root, %due, "asked for a crawl");
        self.last_start = Some(due);
        self.remember(due, now).await;
        self.schedule.next_run(now).unwrap_or(Timestamp::MAX)
    }

    async fn tick(&mut self, now: Timestamp) -> Timestamp {
        let last = self.last_tick.filter(|last| *last <= now);
        if let Some(next) = last.map(|last| last + TICK).filter(|next| *next > now) {
            return next;
        }
        if let Err(error) = self.trigger.tick().await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the tick was not asked for and is tried again");
            return now + RETRY;
        }
        self.last_tick = Some(now);
        now + TICK
    }

    /// Returns the last run after `after` that is due at `now`.
    fn latest_run(&self, after: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let due = |after| self.schedule.next_run(after).filter(|run| *run <= now);
        std::iter::successors(due(after), |run| due(*run)).last()
    }

    /// Returns the time of the last start; the first time, there has been one now.
    async fn last_start(&mut self, now: Timestamp) -> Result<Timestamp, StoreError> {
        if let Some(last) = self.last_start.filter(|last| *last <= now) {
            return Ok(last);
        }
        let memo = self.state_store.state(&self.key()).await?;
        // A start that lies ahead was made while the clock was wrong. It would be the last one until that time has come.
        let remembered: Option<Timestamp> = memo.and_then(|memo| memo.value.parse().ok());
        let remembered = remembered.filter(|start| *start <= now);
        if remembered.is_none() {
            self.remember(now, now).await;
        }
        Ok(*self.last_start.insert(remembered.unwrap_or(now)))
    }

    async fn remember(&self, start: Timestamp, now: Timestamp) {
        let memo = StateEntry { saved_at: now, value: start.to_string() };
        if let Err(error) = self.state_store.save_state(&self.key(), &memo).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "a restart within the hour will repeat this start");
        }
    }

    fn key(&self) -> StateKey {
        StateKey::last_start(&self.root)
    }
}
