//! Carries out the archive requests that wait in a store.

use std::collections::{HashSet, VecDeque};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use jiff::Timestamp;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::ArchiveRequest;

use super::{ArchiveOutcome, ArchiveWorker};
use crate::error::{ArchiveError, ServiceError};

/// How often in a row the service may be in trouble before the rest is left for later.
const TROUBLES: u32 = 3;

/// How many requests are read at a time: more than can be due and not be taken again.
const CHUNK: usize = 64;

/// What to work off.
#[derive(Debug, Clone)]
pub struct DrainOptions {
    /// The site.
    pub site: SiteId,
    /// Its crawls, oldest first.
    pub crawls: Vec<CrawlId>,
    /// How many requests are taken up at most.
    pub limit: usize,
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
            while fatal.is_none() && under_way.len() < self.pace.settings().at_once && self.goes_on() {
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
                    let outcome = self.carry_out(&request, clock()).await;
                    (request, outcome)
                });
            }
            let Some((request, outcome)) = under_way.next().await else { break };
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
        if self.pace.troubles() == 0 && !self.pace.is_closed() {
            drained.trouble = None;
        } else if drained.trouble.is_none() {
            drained.trouble = queue.last_words;
        }
        Ok(drained)
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

/// What is still to be taken.
struct Queue<'a> {
    work: &'a DrainOptions,
    crawls: VecDeque<CrawlId>,
    read: VecDeque<ArchiveRequest>,
    /// Those that are under way, or about which nothing more is to be done in this run.
    taken: HashSet<EventId>,
    last_words: Option<String>,
}

impl<'a> Queue<'a> {
    fn new(work: &'a DrainOptions) -> Self {
        Self {
            work,
            crawls: work.crawls.iter().copied().collect(),
            read: VecDeque::new(),
            taken: HashSet::new(),
            last_words: None,
        }
    }

    async fn next(
        &mut self,
        archive_worker: &ArchiveWorker,
        now: Timestamp,
    ) -> Result<Option<ArchiveRequest>, ArchiveError> {
        while self.read.is_empty() {
            let Some(&crawl) = self.crawls.front() else { return Ok(None) };
            let site = &self.work.site;
            let due = archive_worker.store.unarchived(site, crawl, now, CHUNK + self.taken.len()).await?;
            let requests = due.iter().map(|record| ArchiveRequest {
                id: EventId::new(crawl, &record.url),
                site: site.clone(),
                crawl,
                page: record.url.clone(),
                requested_at: record.archive.as_ref().map_or(now, |archive| archive.requested_at),
            });
            self.read.extend(requests.filter(|request| !self.taken.contains(&request.id)));
            if self.read.is_empty() {
                self.crawls.pop_front();
            }
        }
        let request = self.read.pop_front();
        self.taken.extend(request.as_ref().map(|request| request.id));
        Ok(request)
    }

    /// Notes what came of a request.
    fn end(&mut self, request: &ArchiveRequest, outcome: &ArchiveOutcome) {
        match outcome {
            ArchiveOutcome::Done(_) => {
                self.taken.remove(&request.id);
            }
            ArchiveOutcome::Deferred(archive, time) => {
                if archive.error.is_some() {
                    self.last_words.clone_from(&archive.error);
                }
                // The store lists it again at its time, if that was saved.
                if archive.not_before == Some(*time) {
                    self.taken.remove(&request.id);
                }
            }
            ArchiveOutcome::NotRecorded => {}
        }
    }
}

fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |words, cause| format!("{words}: {cause}"))
}
