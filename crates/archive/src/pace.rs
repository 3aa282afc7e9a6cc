//! Rate limit of the archive service: how often it is asked, and backoff after trouble, 429 and `Retry-After`.
//!
//! Ours and not `backon`: all requests of a process share one pause.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::service::SavePageNow;

/// The longest rest of a service in trouble.
const LONGEST_REST: Duration = Duration::from_mins(10);

/// The longest rest that the service itself can ask for.
const LONGEST_ASKED_REST: Duration = Duration::from_hours(1);

/// How often the service is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaceSettings {
    /// Between two submissions.
    pub between: Duration,
    /// The longest wait for a turn in one call.
    pub patience: Duration,
    /// Before a job is looked at for the first time; then 1.5 times as long each time.
    pub first_look: Duration,
    /// The longest pause between two looks.
    pub longest_look: Duration,
    /// How long one call watches a job.
    pub watch: Duration,
    /// How long the service is left alone after it was in trouble; twice as long each time.
    pub rest: Duration,
    /// How long it is left alone after it said that it has enough of us; twice as long each time.
    pub asked_rest: Duration,
    /// How many requests are under way at a time when a store is drained.
    pub at_once: usize,
}

impl PaceSettings {
    /// With keys: 12 captures a minute, and a little longer for clocks and networks that are not exact.
    pub fn authenticated() -> Self {
        Self {
            between: Duration::from_millis(5_200),
            patience: Duration::from_mins(2),
            first_look: Duration::from_secs(3),
            longest_look: Duration::from_secs(20),
            watch: Duration::from_mins(3),
            rest: Duration::from_secs(15),
            asked_rest: Duration::from_mins(1),
            at_once: 6,
        }
    }

    /// Without keys: 4 captures a minute, and a little longer.
    pub fn anonymous() -> Self {
        Self { between: Duration::from_millis(15_600), at_once: 3, ..Self::authenticated() }
    }

    /// For a service on this machine, which is nobody's burden.
    pub fn local() -> Self {
        Self {
            between: Duration::from_millis(1),
            patience: Duration::from_secs(10),
            first_look: Duration::from_millis(10),
            longest_look: Duration::from_millis(100),
            watch: Duration::from_secs(30),
            rest: Duration::from_millis(50),
            asked_rest: Duration::from_millis(200),
            at_once: 6,
        }
    }

    /// Returns the pace that this service allows.
    pub fn of(service: &SavePageNow) -> Self {
        if service.is_local() {
            Self::local()
        } else if service.is_authenticated() {
            Self::authenticated()
        } else {
            Self::anonymous()
        }
    }
}

/// Why there is no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoTurn {
    /// It would come later than anyone waits: after this time.
    Later(Duration),
    /// We are stopping.
    Stopped,
}

/// Gives turns to submit, one at a time, in the order in which they are asked for.
#[derive(Debug)]
pub(crate) struct Pace {
    settings: PaceSettings,
    state: Mutex<State>,
    stop: watch::Sender<bool>,
}

#[derive(Debug)]
struct State {
    /// The start of the next turn that is free.
    next: Instant,
    /// The service is left alone until then.
    rests_until: Instant,
    /// How often in a row the service was in trouble, or refused everybody.
    troubles: u32,
}

impl Pace {
    /// The first turn comes after a whole pause: nobody knows when the last one was, before a restart.
    pub(crate) fn new(settings: PaceSettings) -> Self {
        let now = Instant::now();
        let state = State { next: now + settings.between, rests_until: now, troubles: 0 };
        Self { settings, state: Mutex::new(state), stop: watch::Sender::new(false) }
    }

    pub(crate) fn settings(&self) -> &PaceSettings {
        &self.settings
    }

    /// Waits for a turn.
    pub(crate) async fn turn(&self) -> Result<(), NoTurn> {
        let mut turn = self.reserve()?;
        loop {
            self.pause(turn).await?;
            // The service may have asked for rest while we waited.
            if self.state().rests_until <= Instant::now() {
                return Ok(());
            }
            turn = self.reserve()?;
        }
    }

    fn reserve(&self) -> Result<Instant, NoTurn> {
        let mut state = self.state();
        let now = Instant::now();
        let turn = state.next.max(state.rests_until).max(now);
        let wait = turn - now;
        if wait > self.settings.patience {
            return Err(NoTurn::Later(wait));
        }
        state.next = turn + self.settings.between;
        Ok(turn)
    }

    /// Waits until `time`, or until we stop.
    pub(crate) async fn pause(&self, time: Instant) -> Result<(), NoTurn> {
        let mut stop = self.stop.subscribe();
        tokio::select! {
            biased;
            _ = stop.wait_for(|stopping| *stopping) => Err(NoTurn::Stopped),
            () = sleep_until(time) => Ok(()),
        }
    }

    /// Notes that the service took a submission.
    pub(crate) fn went_well(&self) {
        self.state().troubles = 0;
    }

    /// Leaves the service alone after trouble; returns for how long.
    pub(crate) fn rest_after_trouble(&self) -> Duration {
        self.rest(self.settings.rest, Duration::ZERO)
    }

    /// Leaves the service alone because it wants that; returns for how long.
    pub(crate) fn rest_as_asked(&self, at_least: Option<Duration>) -> Duration {
        let at_least = at_least.unwrap_or_default().min(LONGEST_ASKED_REST);
        self.rest(self.settings.asked_rest, at_least)
    }

    /// Leaves the service alone for this long.
    pub(crate) fn rest_for(&self, time: Duration) {
        let mut state = self.state();
        state.rests_until = state.rests_until.max(Instant::now() + time);
    }

    fn rest(&self, first: Duration, at_least: Duration) -> Duration {
        let mut state = self.state();
        let now = Instant::now();
        // Those who were under way when the rest began tell nothing new.
        if state.rests_until <= now {
            state.troubles += 1;
        }
        let doubled = first * 2_u32.pow(state.troubles.saturating_sub(1).min(10));
        state.rests_until = state.rests_until.max(now + doubled.min(LONGEST_REST).max(at_least));
        state.rests_until - now
    }

    /// Returns how often in a row the service was in trouble.
    pub(crate) fn troubles(&self) -> u32 {
        self.state().troubles
    }

    /// Tells whether nobody gets a turn in the time that anyone waits.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().rests_until > Instant::now() + self.settings.patience
    }

    /// Ends every wait, now and later.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Three numbers: whole after any panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
