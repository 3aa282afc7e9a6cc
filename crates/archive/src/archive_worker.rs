//! Carries out archive requests: one capture a request, however often it is delivered.

mod clock;
mod drain;
mod queue;
mod request_locks;
mod rests;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::ports::{ArchiveRequest, ArchiveStore, StateStore, StoreError};
use tokio::time::Instant;

use self::clock::Clock;
pub use self::drain::{DrainOptions, Drained};
use self::request_locks::RequestLocks;
use self::rests::Rests;
use crate::answer::{Progress, Refusal, Submission};
use crate::codes::Remedy;
use crate::error::{ArchiveError, ServiceError};
use crate::pace::{NoTurn, Pace, PaceSettings};
use crate::retry;
use crate::service::SavePageNow;

/// How often in a row a look at a job may fail before the service is left alone.
const FAILED_LOOKS: u32 = 3;

/// What a call did about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveOutcome {
    /// It is over: captured, or given up.
    Done(Archive),
    /// Nothing more can be done before this time; the same request is to be carried out again then.
    Deferred(Archive, Timestamp),
    /// The crawl has no record of the page yet: the request came before it, and is to come again.
    NotRecorded,
}

/// Carries out archive requests with Save Page Now, at its pace.
///
/// Share one in a process: the pace holds for one archive worker.
pub struct ArchiveWorker {
    store: Arc<dyn ArchiveStore>,
    service: SavePageNow,
    pace: Pace,
    rests: Option<Rests>,
    request_locks: RequestLocks,
}

impl ArchiveWorker {
    /// Makes an archive worker with the pace that the service allows.
    pub fn new(store: Arc<dyn ArchiveStore>, service: SavePageNow) -> Self {
        let pace = PaceSettings::of(&service);
        Self::with_pace(store, service, pace)
    }

    /// Makes an archive worker with a pace of its own.
    pub fn with_pace(store: Arc<dyn ArchiveStore>, service: SavePageNow, pace: PaceSettings) -> Self {
        let (pace, request_locks) = (Pace::new(pace), RequestLocks::default());
        Self { store, service, pace, rests: None, request_locks }
    }

    /// Remembers for how long the service is left alone, so that whoever comes after this process does so, too.
    #[must_use]
    pub fn remember_in(self, memory: Arc<dyn StateStore>) -> Self {
        let rests = self.service.host().map(|host| Rests::new(memory, host));
        Self { rests, ..self }
    }

    /// Returns how often a page is submitted at most.
    pub fn between_submissions(&self) -> Duration {
        self.pace.settings().between
    }

    /// Ends every call soon, now and later: no page is submitted any more, and jobs that are under way are
    /// left to a later process.
    pub fn stop(&self) {
        self.pace.stop();
    }

    /// Carries out `request` as far as that goes within a few minutes.
    ///
    /// A request that is under way in another call is joined: this one waits for that, and sees what came
    /// of it. After an error, and after the death of the process at any point, the same request can be
    /// carried out again, and leads to no second capture.
    pub async fn carry_out(
        &self,
        request: &ArchiveRequest,
        now: Timestamp,
    ) -> Result<ArchiveOutcome, ArchiveError> {
        self.carry_out_until(None, request, now).await
    }

    /// As [`ArchiveWorker::carry_out`], but waits for nothing any more once `deadline` has come.
    async fn carry_out_until(
        &self,
        deadline: Option<Instant>,
        request: &ArchiveRequest,
        now: Timestamp,
    ) -> Result<ArchiveOutcome, ArchiveError> {
        let clock = Clock::new(now);
        self.recall_rest(clock.now()).await;
        let _alone = self.request_locks.enter((request.site.clone(), request.id)).await;
        let Some(record) = self.store.page(&request.site, request.crawl, &request.page).await? else {
            return Ok(ArchiveOutcome::NotRecorded);
        };
        let archive = record.archive.unwrap_or_else(|| Archive::queued(request.requested_at));
        if archive.state.is_over() {
            return Ok(ArchiveOutcome::Done(archive));
        }
        if let Some(time) = archive.not_before.filter(|time| *time > clock.now()) {
            return Ok(ArchiveOutcome::Deferred(archive, time));
        }
        let attempt = ArchiveAttempt { archive_worker: self, request, clock, deadline };
        match (archive.state, archive.job_id.clone()) {
            (ArchiveState::Submitted, Some(job)) => attempt.watch(archive, &job).await,
            (_, _) => attempt.submit(archive).await,
        }
    }
}

/// One request that is being carried out.
struct ArchiveAttempt<'a> {
    archive_worker: &'a ArchiveWorker,
    request: &'a ArchiveRequest,
    clock: Clock,
    deadline: Option<Instant>,
}

impl ArchiveAttempt<'_> {
    async fn submit(&self, archive: Archive) -> Result<ArchiveOutcome, ArchiveError> {
        let ArchiveWorker { service, pace, .. } = self.archive_worker;
        match pace.turn(self.deadline).await {
            Ok(()) => {}
            Err(NoTurn::Later(wait)) => return Ok(ArchiveOutcome::Deferred(archive, self.clock.after(wait))),
            Err(NoTurn::Stopped) => return Ok(ArchiveOutcome::Deferred(archive, self.clock.now())),
        }
        let window = retry::window(archive.requested_at, self.clock.now());
        match service.submit(&self.request.page, window).await {
            Ok(Submission::Job(job)) => {
                pace.went_well();
                let archive = retry::submitted(&archive, job.clone());
                // Before anything else, so that nobody submits it again.
                self.save(&archive).await?;
                self.watch(archive, &job).await
            }
            Ok(Submission::Earlier(at)) => {
                pace.went_well();
                let at = match at {
                    Some(at) => Some(at),
                    None => service.newest_capture(&self.request.page, self.clock.before(window)).await,
                };
                self.captured(&archive, at, None).await
            }
            Ok(Submission::Refused(refusal)) => self.refused(&archive, &refusal).await,
            Err(error) => self.in_trouble(&archive, error).await,
        }
    }

    /// Looks at a job until it is over, or until that takes too long.
    async fn watch(&self, archive: Archive, job: &str) -> Result<ArchiveOutcome, ArchiveError> {
        let ArchiveWorker { service, pace, .. } = self.archive_worker;
        let settings = pace.settings();
        let end = Instant::now() + settings.watch;
        let (mut pause, mut failures) = (settings.first_look, 0);
        while Instant::now() + pause <= end {
            if pace.pause(Instant::now() + pause, self.deadline).await.is_err() {
                return Ok(ArchiveOutcome::Deferred(archive, self.clock.now()));
            }
            match service.look_at(job).await {
                Ok(Progress::Pending) => failures = 0,
                Ok(Progress::Captured { at, original_url }) => {
                    return self.captured(&archive, at, original_url.as_deref()).await;
                }
                Ok(Progress::Refused(refusal)) => return self.refused(&archive, &refusal).await,
                Ok(Progress::Lost) => {
                    return self.settle(retry::lost(&archive, self.clock.now())).await;
                }
                Err(ServiceError::KeysRefused) => return Err(ServiceError::KeysRefused.into()),
                Err(ServiceError::TooFast { retry_after }) => {
                    pause = pace.rest_as_asked(retry_after);
                    self.archive_worker.remember_rest(self.clock.now()).await;
                }
                Err(error) => {
                    failures += 1;
                    if failures >= FAILED_LOOKS {
                        return self.watched_in_vain(&archive, error).await;
                    }
                }
            }
            pause = (pause * 3 / 2).min(settings.longest_look.max(pause));
        }
        self.settle(retry::unfinished(&archive, self.clock.now())).await
    }

    /// Leaves a service alone that says nothing of a job.
    async fn watched_in_vain(
        &self,
        archive: &Archive,
        error: ServiceError,
    ) -> Result<ArchiveOutcome, ArchiveError> {
        let Self { archive_worker, clock, .. } = self;
        archive_worker.pace.rest_after_trouble();
        archive_worker.remember_rest(clock.now()).await;
        if let ServiceError::Trouble(_) = &error {
            let archive = retry::unreadable(archive, &error.to_string(), clock.now());
            self.save(&archive).await?;
            if archive.state.is_over() {
                return Ok(ArchiveOutcome::Done(archive));
            }
        }
        Err(error.into())
    }

    async fn captured(
        &self,
        archive: &Archive,
        at: Option<Timestamp>,
        original_url: Option<&str>,
    ) -> Result<ArchiveOutcome, ArchiveError> {
        self.settle(retry::captured(archive, &self.request.page, at, original_url, self.clock.now())).await
    }

    async fn refused(&self, archive: &Archive, refusal: &Refusal) -> Result<ArchiveOutcome, ArchiveError> {
        let pace = &self.archive_worker.pace;
        let now = self.clock.now();
        let mut pause_ends = now;
        match refusal.remedy {
            Remedy::Pause => pause_ends = self.clock.after(pace.rest_as_asked(None)),
            Remedy::AllTomorrow => {
                let rest = retry::tomorrow(now).duration_since(now);
                pace.rest_for(Duration::try_from(rest).unwrap_or_default());
            }
            Remedy::Retry | Remedy::Tomorrow | Remedy::Never => pace.went_well(),
        }
        self.archive_worker.remember_rest(now).await;
        tracing::debug!(page.url = %self.request.page, remedy = ?refusal.remedy, "not captured: {}", refusal.words);
        self.settle(retry::refused(archive, refusal, pause_ends, now)).await
    }

    /// Leaves a service alone that was in trouble when it was asked for a capture.
    async fn in_trouble(
        &self,
        archive: &Archive,
        error: ServiceError,
    ) -> Result<ArchiveOutcome, ArchiveError> {
        let pace = &self.archive_worker.pace;
        match error {
            ServiceError::KeysRefused => Err(error.into()),
            ServiceError::Unreachable(_) => {
                pace.rest_after_trouble();
                Err(error.into())
            }
            ServiceError::TooFast { retry_after } => {
                let until = self.clock.after(pace.rest_as_asked(retry_after));
                self.archive_worker.remember_rest(self.clock.now()).await;
                let refusal = Refusal { remedy: Remedy::Pause, words: error.to_string() };
                self.settle(retry::refused(archive, &refusal, until, self.clock.now())).await
            }
            ServiceError::Trouble(_) => {
                pace.rest_after_trouble();
                self.archive_worker.remember_rest(self.clock.now()).await;
                self.settle(retry::troubled(archive, &error.to_string(), self.clock.now())).await
            }
        }
    }

    /// Saves what came of it.
    async fn settle(&self, archive: Archive) -> Result<ArchiveOutcome, ArchiveError> {
        self.save(&archive).await?;
        Ok(match archive.not_before {
            _ if archive.state.is_over() => ArchiveOutcome::Done(archive),
            Some(time) => ArchiveOutcome::Deferred(archive, time),
            None => ArchiveOutcome::Deferred(archive, self.clock.now()),
        })
    }

    async fn save(&self, archive: &Archive) -> Result<(), StoreError> {
        let ArchiveRequest { site, crawl, page, .. } = self.request;
        self.archive_worker.store.save_archive(site, *crawl, page, archive).await
    }
}
