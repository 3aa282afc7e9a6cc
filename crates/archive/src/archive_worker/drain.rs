//! Carries out the archive requests that wait in a store.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use jiff::Timestamp;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::ArchiveRequest;
use tokio::time::Instant;

use super::queue::Queue;
use super::{ArchiveOutcome, ArchiveWorker};
use crate::error::{ArchiveError, ServiceError};

/// How often in a row the service may be in trouble before the rest is left for later.
const TROUBLES: u32 = 3;

/// What to work off.
#[derive(Debug, Clone)]
pub struct DrainOptions {
    /// The crawls of each site, oldest first. Sites take turns.
    pub sites: Vec<(SiteId, Vec<CrawlId>)>,
    /// How many requests are taken up at most.
    pub limit: usize,
    /// When nobody waits for anything any more: what is under way then, and what is left, is the next drain's. One that has
    /// a deadline waits until then for what is to be tried again soon; without, that is left to a later run.
    pub deadline: Option<Instant>,
}

/// What came of working off.
#[derive(Debug, Default)]
pub struct Drained {
    /// Requests that were taken up.
    pub taken: usize,
    /// Requests for which there is a capture now.
    pub captured: usize,
    /// Requests that were given up.
    pub failed: usize,
    /// What is wrong with the service, if it was left alone because of that.
    pub trouble: Option<String>,
    /// The deadline came first.
    pub is_cut_short: bool,
}

impl ArchiveWorker {
    /// Carries out everything of `work` that is due, oldest first, and tells `progress` of each.
    ///
    /// Several are under way at a time, because captures take longer than the pauses between submissions.
    /// A service in trouble is left alone after three attempts in a row, and the rest stays queued. Keys
    /// that are refused and a store that fails are errors, after what is under way has ended.
    pub async fn drain(
        &self,
        work: &DrainOptions,
        clock: fn() -> Timestamp,
        progress: &(dyn Fn(&ArchiveRequest, &ArchiveOutcome) + Sync),
    ) -> Result<Drained, ArchiveError> {
        let mut drained = Drained::default();
        let mut queue = Queue::new(work);
        let mut under_way = FuturesUnordered::new();
        let mut fatal = None;
        loop {
            let goes_on = || !is_over(work.deadline) && self.goes_on();
            while fatal.is_none() && under_way.len() < self.pace.settings().at_once && goes_on() {
                if drained.taken >= work.limit {
                    break;
                }
                let request = match queue.next(self, clock()).await {
                    Ok(Some(request)) => request,
                    Ok(None) => break,
                    Err(error) => {
                        fatal = Some(error);
                        break;
                    }
                };
                drained.taken += 1;
                under_way.push(async move {
                    let outcome = self.carry_out_until(work.deadline, &request, clock()).await;
                    (request, outcome)
                });
            }
            let Some((request, outcome)) = under_way.next().await else {
                let is_wanted = fatal.is_none() && drained.taken < work.limit && goes_on();
                if is_wanted && self.wait_for(queue.due_again(), work.deadline, clock()).await {
                    queue.begin();
                    continue;
                }
                break;
            };
            match outcome {
                Ok(outcome) => {
                    drained.count(&outcome);
                    queue.end(&request, &outcome);
                    progress(&request, &outcome);
                }
                Err(ArchiveError::Service(
                    error @ (ServiceError::Unreachable(_)
                    | ServiceError::Trouble(_)
                    | ServiceError::TooFast { .. }),
                )) => drained.trouble = Some(in_full(&error)),
                Err(error) => fatal = Some(error),
            }
        }
        if let Some(error) = fatal {
            return Err(error);
        }
        drained.is_cut_short = is_over(work.deadline);
        if self.pace.troubles() == 0 && !self.pace.is_closed() {
            drained.trouble = None;
        } else if drained.trouble.is_none() {
            drained.trouble = queue.last_words;
        }
        Ok(drained)
    }

    /// Waits until something is due that was put off; tells whether it came in time.
    async fn wait_for(&self, due: Option<Timestamp>, deadline: Option<Instant>, now: Timestamp) -> bool {
        let (Some(due), Some(deadline)) = (due, deadline) else { return false };
        let wait = Duration::try_from(due.duration_since(now)).unwrap_or_default();
        let time = Instant::now() + wait;
        let is_soon = wait <= self.pace.settings().patience && time < deadline;
        is_soon && self.pace.pause(time, Some(deadline)).await.is_ok()
    }

    fn goes_on(&self) -> bool {
        !self.pace.is_stopping() && !self.pace.is_closed() && self.pace.troubles() < TROUBLES
    }
}

impl Drained {
    fn count(&mut self, outcome: &ArchiveOutcome) {
        if let ArchiveOutcome::Done(archive) = outcome {
            match archive.state {
                ArchiveState::Captured => self.captured += 1,
                ArchiveState::Failed => self.failed += 1,
                ArchiveState::Queued | ArchiveState::Submitted => {}
            }
        }
    }
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| deadline <= Instant::now())
}

fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |words, cause| format!("{words}: {cause}"))
}
