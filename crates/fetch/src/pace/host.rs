//! Rate limit of one host: the queue in front of it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use recrawl_core::decide::back_off::{HostPace, PaceSettings, Readiness};
use tokio::sync::{Mutex as FairMutex, OnceCell, Semaphore, SemaphorePermit};

/// One host: its pace, and the two queues in front of it. Both are first come, first served.
#[derive(Debug)]
pub(super) struct Host {
    pace: Mutex<HostPace>,
    /// Requests under way. A host that gets one at a time gives all of them to it.
    slots: Semaphore,
    parallel: u32,
    /// Held while waiting for the time of the next start.
    next: FairMutex<()>,
    /// Set once it is known what earlier processes were told.
    pub(super) recalled: OnceCell<()>,
}

/// Leave to make one request; others have theirs when it is dropped.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    /// When the request starts.
    pub(super) started: Instant,
    _slot: Option<SemaphorePermit<'a>>,
}

impl Host {
    /// Makes a host that gets up to `parallel` requests at a time.
    pub(super) fn new(parallel: u32) -> Self {
        Self {
            pace: Mutex::default(),
            slots: Semaphore::new(parallel as usize),
            parallel,
            next: FairMutex::default(),
            recalled: OnceCell::new(),
        }
    }

    /// Returns what is remembered of the host.
    pub(super) fn pace(&self) -> MutexGuard<'_, HostPace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a permit. Fails with the end of the pause if that is too far away to wait for.
    ///
    /// A nested request has its time, but needs no slot: those who have one may wait for its asker.
    pub(super) async fn permit(
        &self,
        settings: &PaceSettings,
        nested: bool,
        is_https: bool,
    ) -> Result<Permit<'_>, Instant> {
        loop {
            self.reachable(settings, is_https).await?;
            let slot = if nested { None } else { Some(self.slot(settings).await) };
            if let Some(permit) = self.turn(settings, slot, is_https).await? {
                return Ok(permit);
            }
        }
    }

    /// Waits until the host may be asked under this scheme. That is not waited for in the queue, where it would hold up
    /// those who ask under the other.
    async fn reachable(&self, settings: &PaceSettings, is_https: bool) -> Result<(), Instant> {
        loop {
            let now = now();
            let until = {
                let mut pace = self.pace();
                if let Readiness::Paused(until) = pace.readiness(now, settings) {
                    return Err(until);
                }
                match pace.scheme(is_https).hold(now) {
                    None => return Ok(()),
                    Some(until) if until.duration_since(now) > settings.longest_wait => return Err(until),
                    Some(until) => until,
                }
            };
            tokio::time::sleep_until(until.into()).await;
        }
    }

    /// Waits for the time of the next start; `None` if the scheme is out of reach when it has come.
    async fn turn<'a>(
        &'a self,
        settings: &PaceSettings,
        slot: Option<SemaphorePermit<'a>>,
        is_https: bool,
    ) -> Result<Option<Permit<'a>>, Instant> {
        let _next = self.next.lock().await;
        loop {
            let now = now();
            let start = {
                let mut pace = self.pace();
                if pace.scheme(is_https).hold(now).is_some() {
                    return Ok(None);
                }
                match pace.readiness(now, settings) {
                    Readiness::Now => {
                        pace.started(now);
                        return Ok(Some(Permit { started: now, _slot: slot }));
                    }
                    Readiness::Paused(until) => return Err(until),
                    Readiness::NotBefore(start) => start,
                }
            };
            // The hold may have grown meanwhile, so the host is looked at again.
            tokio::time::sleep_until(start.into()).await;
        }
    }

    async fn slot(&self, settings: &PaceSettings) -> SemaphorePermit<'_> {
        loop {
            let needed = self.needed(settings);
            let slot =
                self.slots.acquire_many(needed).await.expect("the semaphore of a host is never closed");
            // robots.txt may have been read meanwhile, or the host slowed down.
            if self.needed(settings) == needed {
                return slot;
            }
        }
    }

    /// Returns how many slots a request takes: one, or all where the host gets one at a time.
    fn needed(&self, settings: &PaceSettings) -> u32 {
        // Another site may allow more at a time than the one that was first here.
        (self.parallel / self.pace().parallel(settings)).max(1)
    }
}

/// Returns the time of the runtime, which tests can stop.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
