//! Visiting what waits, and taking in what each visit came to.

use std::time::Duration;

use crate::step::{Attempt, Outcome, StepError};
use jiff::Timestamp;
use recrawl_core::decide::answer::Answer;
use recrawl_core::decide::traps::Trap;
use recrawl_core::model::crawl::CrawlKind;
use recrawl_core::model::record::{Check, PageRecord};
use recrawl_core::ports::{FetchError, QueueError, RobotsError};
use recrawl_core::url::{HostKey, PageUrl};
use tokio::time::{Instant, timeout_at};

use super::queue::{Task, WorkQueue};
use super::{Account, Budget, Done, Runner, RunnerError};
use crate::observer::Event;
use crate::stop_handle::StopMode;

/// How long visits that are under way may take when the time is up.
pub(super) const GRACE: Duration = Duration::from_secs(2);

impl Runner {
    /// Visits what waits, until nothing does; returns why it ended early if the budget is spent.
    pub(super) async fn drain(&self, account: &mut Account) -> Result<Option<String>, RunnerError> {
        let mut searching = usize::from(!account.tasks.is_empty());
        loop {
            let limit = self.run.parallel + searching;
            while account.tasks.len() < limit && self.may_begin(account) {
                match self.next(account).await? {
                    Some(task) => self.begin(account, task),
                    None if self.begin_recheck(account) => {}
                    None => break,
                }
            }
            let next = account.tasks.join_next();
            let done = match account.deadline.filter(|_| !account.confirming) {
                None => Ok(next.await),
                Some(deadline) => timeout_at(deadline + GRACE, next).await,
            };
            let Ok(done) = done else {
                self.cut(account).await?;
                return Ok(self.overrun(account));
            };
            match done {
                None => return Ok(self.overrun(account)),
                Some(done) => match done? {
                    Done::Searched(result) => {
                        result?;
                        searching = 0;
                    }
                    Done::Visited(task, outcome) => self.note(account, task, outcome).await?,
                    Done::Rechecked(outcome) => Self::note_rechecked(account, outcome)?,
                },
            }
        }
    }

    /// Breaks off the visits that are under way. What they recorded stays, and the others wait.
    pub(super) async fn cut(&self, account: &mut Account) -> Result<(), RunnerError> {
        account.is_cut = true;
        account.tasks.abort_all();
        while let Some(done) = account.tasks.join_next().await {
            match done {
                Ok(Done::Visited(task, outcome)) => self.note(account, task, outcome).await?,
                Ok(Done::Searched(result)) => result?,
                Ok(Done::Rechecked(outcome)) => Self::note_rechecked(account, outcome)?,
                Err(error) if error.is_cancelled() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(super) fn may_begin(&self, account: &Account) -> bool {
        self.overrun(account).is_none() && self.stop_mode(account).is_none()
    }

    pub(super) fn overrun(&self, account: &Account) -> Option<String> {
        let Budget { max_pages, max_time, requests } = &self.run.budget;
        if let Some(request_budget) = requests.as_ref().filter(|request_budget| request_budget.left() == 0) {
            return Some(format!("the budget of {} requests was spent", request_budget.limit()));
        }
        // Some pages gone and others not would be neither a whole crawl nor a partial one.
        if account.confirming {
            return None;
        }
        if let Some(limit) = account.page_limit.filter(|limit| account.asked >= *limit) {
            return Some(max_pages.words(limit));
        }
        let late = account.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let limit = max_time.filter(|_| late)?;
        Some(format!("the limit of {} s was reached", limit.as_secs_f64()))
    }

    async fn next(&self, account: &mut Account) -> Result<Option<Task>, QueueError> {
        loop {
            let Some(task) = account.queue.pop() else {
                let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
                let taken = self.pull_frontier.take(site, crawl, self.refill()).await?;
                if taken.is_empty() {
                    return Ok(account.queue.pop_retry());
                }
                account.queue.refill(taken);
                continue;
            };
            if account.hosts.is_held(&task.page.url) {
                account.set_aside += 1;
                continue;
            }
            return Ok(Some(task));
        }
    }

    /// Returns how many pages are taken from the frontier at once: where requests are counted, no more than are
    /// begun at once, so that a better page that is found meanwhile comes first.
    fn refill(&self) -> usize {
        if self.run.budget.requests.is_some() { self.run.parallel } else { WorkQueue::REFILL }
    }

    pub(super) fn begin(&self, account: &mut Account, task: Task) {
        account.asked += u64::from(task.attempt.number == 0);
        let (step, now) = (self.step.clone(), (self.clock)());
        account.tasks.spawn(async move {
            let outcome = step.visit(&task.page, task.attempt, now).await;
            Done::Visited(task, outcome)
        });
    }

    pub(super) async fn note(
        &self,
        account: &mut Account,
        task: Task,
        outcome: Result<Outcome, StepError>,
    ) -> Result<(), RunnerError> {
        let host = task.page.url.host_key();
        if let Some(reason) = self.refusal_of_list(&outcome) {
            account.hosts.hold(host, reason.clone(), None);
            account.asked -= 1;
            return self.give_up(account, task, reason).await;
        }
        match outcome {
            Ok(Outcome::Duplicate) | Err(StepError::NotBegun(FetchError::Stopped)) => account.asked -= 1,
            Ok(Outcome::Recorded(record)) => {
                // What was passed over costs nothing of the budget.
                account.asked -= u64::from(record.visit.requests == 0);
                self.recorded(account, &record);
                self.learn(account, &record);
                if is_good(&record) {
                    account.hosts.succeeded(&host);
                } else if account.hosts.failed(&host) {
                    self.host_is_down(account, &host).await?;
                }
                account.queue.visited();
            }
            Ok(Outcome::Unconfirmed { requests }) => {
                account.hosts.succeeded(&host);
                account.queue.visited();
                let attempt = Attempt { number: requests, ..Attempt::default() };
                account.unconfirmed.push(Task { attempt, ..task });
            }
            Ok(Outcome::Retry { reason, next }) => {
                let next_try = self.pace.as_ref().and_then(|pace| pace.next_try(&host));
                self.observer.on(Event::Retrying {
                    url: &task.page.url,
                    reason: &reason,
                    wait: next_try
                        .and_then(|time| Duration::try_from(time.duration_since((self.clock)())).ok()),
                    retry: next.number,
                });
                account.queue.retry(Task { attempt: next, ..task });
                if account.hosts.failed(&host) {
                    self.host_is_down(account, &host).await?;
                }
            }
            Err(StepError::NotBegun(error @ FetchError::Paused { until, .. })) => {
                self.postpone(account, task, error.to_string(), until).await?;
            }
            Err(StepError::NotBegun(error)) => self.hold(account, &task, error.to_string(), None),
            Err(StepError::Robots(error @ RobotsError::Unreachable { .. })) => {
                if let RobotsError::Unreachable { host, reason } = &error
                    && *host == self.run.site.root.host_key()
                {
                    account.silence = Some(reason.clone());
                }
                self.hold(account, &task, error.to_string(), None);
            }
            Err(StepError::Robots(error @ RobotsError::Paused { until, .. })) => {
                self.hold(account, &task, error.to_string(), Some(until));
            }
            Err(StepError::Store(error)) => return Err(error.into()),
            Err(StepError::Queue(error)) => return Err(error.into()),
            Err(error @ StepError::Stumbled(_)) => self.lose(account, &task.page.url, &error),
        }
        Ok(())
    }

    /// Goes on without a page that cannot be recorded.
    fn lose(&self, account: &mut Account, url: &PageUrl, error: &StepError) {
        self.observer.on(Event::Warning(format!("{url}: {error}")));
        self.step.seen().finish(url, 0);
        account.given_up.insert(url.clone());
    }

    fn recorded(&self, account: &mut Account, record: &PageRecord) {
        account.recorded.add(record);
        account.rechecks.note(record);
        self.observer.on(Event::Recorded { record, waiting: self.step.seen().waiting() });
    }

    /// Tells people what a record says about more than its page.
    fn learn(&self, account: &mut Account, record: &PageRecord) {
        if record.visit.check == Check::False304 && account.distrusted_hosts.insert(record.url.host_key()) {
            let host = record.url.host_key();
            self.observer.on(Event::Warning(format!(
                "{host} said that {} had not changed, and it had: its 304 responses are not believed in this crawl",
                record.url
            )));
        }
        if let Some(trap) = record.visit.reason.as_deref().and_then(Trap::kind)
            && !account.traps.contains(trap)
        {
            account.traps.insert(trap.to_owned());
            let url = &record.url;
            self.observer.on(Event::Warning(format!("left out {url} and others like it, as a trap: {trap}")));
        }
        if let Some(sampled) = &mut account.sampled {
            sampled.note(record);
            self.tell_turn(sampled);
        }
    }

    pub(super) fn hold(&self, account: &mut Account, task: &Task, reason: String, until: Option<Timestamp>) {
        account.asked -= 1;
        account.set_aside += 1;
        if self.stop_handle.asked() != Some(StopMode::Pause) {
            account.hosts.hold(task.page.url.host_key(), reason, until);
        }
    }

    /// Leaves a host alone that does not answer; where nothing but failed pages is left of it, they
    /// are recorded as failed, so that a few broken pages never keep a crawl open.
    async fn host_is_down(&self, account: &mut Account, host: &HostKey) -> Result<(), RunnerError> {
        if self.run.crawl.kind == CrawlKind::List {
            account.hosts.hold(host.clone(), format!("{host} does not answer"), None);
            return Ok(());
        }
        if account.queue.needs_refill() {
            let taken = self.pull_frontier.take(&self.run.site.id, self.run.crawl.id, self.refill()).await?;
            account.queue.refill(taken);
        }
        if account.queue.has_fresh(host) {
            account.hosts.hold(host.clone(), format!("{host} does not answer"), None);
            account.set_aside += account.queue.drop_retries(host).len() as u64;
            return Ok(());
        }
        for task in account.queue.drop_retries(host) {
            let reason = format!("no good answer to {} requests", task.attempt.number);
            self.give_up(account, task, reason).await?;
        }
        Ok(())
    }

    /// Records that nothing was learnt of a page.
    pub(super) async fn give_up(
        &self,
        account: &mut Account,
        Task { page, attempt }: Task,
        reason: String,
    ) -> Result<(), RunnerError> {
        match self.step.give_up(&page, attempt.number, reason, (self.clock)()).await {
            Ok(Outcome::Recorded(record)) => self.recorded(account, &record),
            Ok(Outcome::Duplicate | Outcome::Retry { .. } | Outcome::Unconfirmed { .. }) => {}
            Err(StepError::Store(error)) => return Err(error.into()),
            Err(StepError::Queue(error)) => return Err(error.into()),
            Err(StepError::Robots(_) | StepError::NotBegun(_)) => account.set_aside += 1,
            Err(error @ StepError::Stumbled(_)) => self.lose(account, &page.url, &error),
        }
        Ok(())
    }
}

/// Tells whether a record shows that its host is well.
fn is_good(record: &PageRecord) -> bool {
    // What is wrong with us says nothing of the host.
    if record.visit.requests == 0 || record.visit.is_stumble() {
        return true;
    }
    record.visit.status.is_some_and(|status| Answer::of(status) != Answer::Trouble)
}
