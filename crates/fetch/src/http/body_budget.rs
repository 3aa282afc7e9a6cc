//! Backpressure: how many bytes of bodies a process keeps at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How long nobody gives anything back before the oldest goes on all the same.
///
/// Nobody who keeps a body waits for anything that those have who wait for the budget. Should that ever not be so, the
/// crawl becomes slow and does not stand still.
const STALL: Duration = Duration::from_secs(30);

/// How many bytes of bodies a process keeps at a time.
///
/// # Contract
/// * A body counts from its first byte until its [`Reservation`] is dropped: while it is received, decoded, read,
///   judged and stored.
/// * Whoever began first goes on first: nobody takes what an older one waits for, so a large body is not held up for
///   ever by small ones.
/// * Somebody can always go on. Where everything is kept by those who wait and by requests without an answer, the oldest
///   who waits goes on beyond the limit, alone; so a body that is larger than the limit is received, too. A server may
///   answer the one only after it got rid of the other. The same holds if nothing is given back for a while,
///   whatever the reason. A request that somebody makes who keeps a body never waits.
#[derive(Debug)]
pub(crate) struct BodyBudget {
    limit: u64,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    /// How many reservations were begun: the number of the next one.
    begun: u64,
    /// Those who wait, by their number, with what they keep meanwhile.
    waiting: BTreeMap<u64, u64>,
    /// What is reserved for requests that have no answer yet.
    asking: u64,
    /// How often something was given back.
    released: u64,
}

impl State {
    fn is_oldest(&self, number: u64) -> bool {
        self.waiting.keys().next().is_none_or(|oldest| *oldest >= number)
    }

    fn is_kept_by_those_who_wait(&self) -> bool {
        self.used == self.asking + self.waiting.values().sum::<u64>()
    }
}

/// A part of the budget; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<BodyBudget>,
    number: u64,
    bytes: u64,
    /// Whether it is for a request that has no answer yet.
    is_asking: bool,
    never_waits: bool,
}

impl BodyBudget {
    pub(crate) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, state: Mutex::default(), changed: Notify::new() })
    }

    /// Begins a reservation of nothing; whoever begins later goes on later.
    pub(crate) fn begin(self: &Arc<Self>) -> Reservation {
        let mut state = self.state();
        let number = state.begun;
        state.begun += 1;
        drop(state);
        Reservation { budget: Arc::clone(self), number, bytes: 0, is_asking: false, never_waits: false }
    }

    /// Begins a reservation that is counted and never waits.
    pub(crate) fn begin_without_waiting(self: &Arc<Self>) -> Reservation {
        let mut reservation = self.begin();
        reservation.never_waits = true;
        reservation
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes `more`, if `number` may have it now.
    fn take(&self, number: u64, more: u64, stalled_since: Option<u64>) -> bool {
        let mut state = self.state();
        let is_stalled = stalled_since == Some(state.released);
        let is_admitted = state.is_oldest(number)
            && (state.used + more <= self.limit || state.is_kept_by_those_who_wait() || is_stalled);
        if is_admitted {
            state.used += more;
        }
        is_admitted
    }

    fn release(&self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let mut state = self.state();
        state.used -= bytes;
        state.released += 1;
        drop(state);
        self.changed.notify_waiters();
    }

    #[cfg(test)]
    pub(crate) fn used_and_waiting(&self) -> (u64, usize) {
        let state = self.state();
        (state.used, state.waiting.len())
    }
}

impl Reservation {
    /// Reserves `bytes` in all, if it is less now; returns how long that had to be waited for.
    pub(crate) async fn grow_to(&mut self, bytes: u64) -> Duration {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Duration::ZERO;
        }
        if self.never_waits {
            self.budget.state().used += more;
            self.bytes += more;
            return Duration::ZERO;
        }
        let began = Instant::now();
        if !self.budget.take(self.number, more, None) {
            self.wait_for(more).await;
        }
        self.bytes += more;
        began.elapsed()
    }

    /// Reserves `bytes` for a request that is about to be made.
    pub(crate) async fn ask(&mut self, bytes: u64) {
        self.grow_to(bytes).await;
        self.is_asking = true;
        self.budget.state().asking += self.bytes;
        // Whoever waits no longer waits for this.
        self.budget.changed.notify_waiters();
    }

    /// Notes that the answer begins to arrive.
    pub(crate) fn answered(&mut self) {
        if std::mem::take(&mut self.is_asking) {
            self.budget.state().asking -= self.bytes;
        }
    }

    /// Returns how much is reserved.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives back what is more than `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.bytes -= less;
        self.budget.release(less);
    }

    async fn wait_for(&self, more: u64) {
        let place = QueuePlace::take(self);
        loop {
            let changed = self.budget.changed.notified();
            tokio::pin!(changed);
            // Before the look, so that nothing is given back unseen between the two.
            changed.as_mut().enable();
            let released = self.budget.state().released;
            if self.budget.take(self.number, more, None) {
                break;
            }
            let is_stalled = timeout(STALL, changed).await.is_err();
            if is_stalled && self.budget.take(self.number, more, Some(released)) {
                break;
            }
        }
        drop(place);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.answered();
        self.budget.release(self.bytes);
    }
}

/// A place among those who wait; given up when it is dropped, also by whoever does not wait any longer.
struct QueuePlace<'a>(&'a Reservation);

impl<'a> QueuePlace<'a> {
    fn take(reservation: &'a Reservation) -> Self {
        reservation.budget.state().waiting.insert(reservation.number, reservation.bytes);
        Self(reservation)
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let Reservation { budget, number, .. } = self.0;
        budget.state().waiting.remove(number);
        // Somebody else is the oldest now.
        budget.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
