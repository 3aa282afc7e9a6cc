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
    /// The longest rest of the service that one call waits for.
    pub patience: Duration,
    /// Before a job is looked at for the first time; then 1.5 times as long each time.
    pub first_look: Duration,
    /// The longest pause between two looks.
    pub longest_look: Duration,
    /// How long one call watches a job.
    pub watch: Duration,
    /// How long the service is left alone after it was in trouble; twice as long each time.
    pub rest: Duration,
    /// How long it is left alone after it said that it has enough of us, and not for how long; twice as long each time.
    pub asked_rest: Duration,
    /// How many requests are under way at a time when a store is drained: as many captures as the service makes for one
    /// account, so that slow ones hold up nobody.
    pub at_once: usize,
}

impl PaceSettings {
    /// With keys: 12 captures a minute, and a little longer for clocks and networks that are not exact.
    pub fn authenticated() -> Self {
        Self {
            between: Duration::from_millis(5_100),
            patience: Duration::from_mins(2),
            first_look: Duration::from_secs(3),
            longest_look: Duration::from_secs(20),
            watch: Duration::from_mins(3),
            rest: Duration::from_secs(15),
            asked_rest: Duration::from_mins(1),
            at_once: 12,
        }
    }

    /// Without keys: 4 captures a minute, and a little longer.
    pub fn anonymous() -> Self {
        Self { between: Duration::from_millis(15_300), at_once: 6, ..Self::authenticated() }
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
    /// The service is left alone for longer than anyone waits: for this time.
    Later(Duration),
    /// We are stopping, or the time of the call is over.
    Stopped,
}

/// Gives turns to submit, one at a time, in the order in which they are asked for.
#[derive(Debug)]
pub(crate) struct Pace {
    settings: PaceSettings,
    state: Mutex<State>,
    /// Held by whoever has the next turn. Nobody holds a turn that lies ahead: it would be lost if its holder went.
    next_in_line: tokio::sync::Mutex<()>,
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
        Self {
            settings,
            state: Mutex::new(state),
            next_in_line: tokio::sync::Mutex::default(),
            stop: watch::Sender::new(false),
        }
    }

    pub(crate) fn settings(&self) -> &PaceSettings {
        &self.settings
    }

    /// Waits for a turn, until `deadline` where there is one.
    pub(crate) async fn turn(&self, deadline: Option<Instant>) -> Result<(), NoTurn> {
        let _first = tokio::select! {
            biased;
            () = self.ended(deadline) => return Err(NoTurn::Stopped),
            first = self.next_in_line.lock() => first,
        };
        loop {
            let (turn, now) = (self.next(), Instant::now());
            if turn <= now {
                self.state().next = now + self.settings.between;
                return Ok(());
            }
            if turn - now > self.settings.patience {
                return Err(NoTurn::Later(turn - now));
            }
            // The service may ask for rest while we wait.
            self.pause(turn, deadline).await?;
        }
    }

    fn next(&self) -> Instant {
        let state = self.state();
        state.next.max(state.rests_until)
    }

    /// Waits until `time`; no longer than until `deadline`, or until we stop.
    pub(crate) async fn pause(&self, time: Instant, deadline: Option<Instant>) -> Result<(), NoTurn> {
        tokio::select! {
            biased;
            () = self.ended(deadline) => Err(NoTurn::Stopped),
            () = sleep_until(time) => Ok(()),
        }
    }

    async fn ended(&self, deadline: Option<Instant>) {
        let mut stop = self.stop.subscribe();
        let deadline = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stopping| *stopping) => {}
            () = deadline => {}
        }
    }

    /// Notes that the service took a submission.
    pub(crate) fn went_well(&self) {
        self.state().troubles = 0;
    }

    /// Leaves the service alone after trouble; returns for how long.
    pub(crate) fn rest_after_trouble(&self) -> Duration {
        self.rest(self.settings.rest)
    }

    /// Leaves the service alone because it wants that, for as long as it says; returns for how long.
    pub(crate) fn rest_as_asked(&self, asked: Option<Duration>) -> Duration {
        let Some(asked) = asked else { return self.rest(self.settings.asked_rest) };
        self.note_trouble();
        self.rest_for(asked.min(LONGEST_ASKED_REST))
    }

    /// Leaves the service alone for this long, if not for longer; returns for how long.
    pub(crate) fn rest_for(&self, time: Duration) -> Duration {
        let (mut state, now) = (self.state(), Instant::now());
        state.rests_until = state.rests_until.max(now + time);
        state.rests_until - now
    }

    /// Returns for how long the service is left alone.
    pub(crate) fn rests_for(&self) -> Duration {
        self.state().rests_until.saturating_duration_since(Instant::now())
    }

    fn rest(&self, first: Duration) -> Duration {
        let troubles = self.note_trouble();
        let doubled = first * 2_u32.pow(troubles.saturating_sub(1).min(10));
        self.rest_for(doubled.min(LONGEST_REST))
    }

    /// Counts trouble, unless the service is left alone already: those who were under way then tell nothing new.
    fn note_trouble(&self) -> u32 {
        let mut state = self.state();
        if state.rests_until <= Instant::now() {
            state.troubles += 1;
        }
        state.troubles
    }

    /// Returns how often in a row the service was in trouble.
    pub(crate) fn troubles(&self) -> u32 {
        self.state().troubles
    }

    /// Tells whether nobody gets a turn in the time that anyone waits.
    pub(crate) fn is_closed(&self) -> bool {
        self.rests_for() > self.settings.patience
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
