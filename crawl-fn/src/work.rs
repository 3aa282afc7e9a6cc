//! What is being worked on, so that stopping can wait for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Gives leave to work until it is stopped, and knows when the last worker is done.
#[derive(Default)]
pub(crate) struct Work {
    workers: TaskTracker,
    stopping: CancellationToken,
    busy: Arc<Busy>,
}

/// Leave to work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Leave {
    _token: TaskTrackerToken,
    busy: Arc<Busy>,
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.busy.end();
    }
}

/// How long somebody was at work: that is what a processor is billed for.
#[derive(Debug, Default)]
struct Busy(Mutex<BusyTime>);

#[derive(Debug, Default)]
struct BusyTime {
    before: Duration,
    /// How many are at work, and since when somebody is.
    at_work: Option<(usize, Instant)>,
}

impl Busy {
    fn begin(&self) {
        let mut time = self.locked();
        let (count, since) = time.at_work.unwrap_or((0, Instant::now()));
        time.at_work = Some((count + 1, since));
    }

    fn end(&self) {
        let mut time = self.locked();
        match time.at_work {
            Some((1, since)) => {
                time.before += since.elapsed();
                time.at_work = None;
            }
            Some((count, since)) => time.at_work = Some((count - 1, since)),
            None => {}
        }
    }

    fn locked(&self) -> MutexGuard<'_, BusyTime> {
        // Every change is one assignment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work {
    /// Gives leave to work, unless we are stopping; the token is dropped when the work is done.
    pub(crate) fn begin(&self) -> Option<Leave> {
        let token = self.workers.token();
        self.busy.begin();
        let leave = Leave { _token: token, busy: Arc::clone(&self.busy) };
        // Asked after the token is taken: whoever stops between the two waits for it.
        (!self.is_stopping()).then_some(leave)
    }

    /// Returns how long somebody was at work so far.
    pub(crate) fn busy(&self) -> Duration {
        let time = self.busy.locked();
        time.before + time.at_work.map_or(Duration::ZERO, |(_, since)| since.elapsed())
    }

    /// Tells whether we are stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Waits until we stop.
    pub(crate) async fn stopped(&self) {
        self.stopping.cancelled().await;
    }

    /// Waits for a while, or until we stop.
    pub(crate) async fn pause(&self, time: Duration) {
        let _ = tokio::time::timeout(time, self.stopping.cancelled()).await;
    }

    /// Gives no further leave.
    pub(crate) fn stop(&self) {
        self.stopping.cancel();
        self.workers.close();
    }

    /// Waits until everybody who has leave is done; tells whether that was so in time.
    pub(crate) async fn ended(&self, within: Duration) -> bool {
        tokio::time::timeout(within, self.workers.wait()).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stopping_waits_for_those_who_began_and_lets_nobody_begin() {
        let work = Work::default();
        let leave = work.begin().unwrap();
        work.stop();
        assert!(work.is_stopping() && work.begin().is_none());
        // A pause ends at once.
        work.pause(Duration::from_hours(1)).await;
        let waiting = tokio::spawn(async move { work.ended(Duration::from_secs(10)).await });
        tokio::time::sleep(Duration::from_secs(5)).await;
        drop(leave);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_work_at_the_same_time_are_billed_once() {
        let work = Work::default();
        let seconds = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        seconds(5).await;
        assert_eq!(work.busy(), Duration::ZERO);
        let one = work.begin();
        seconds(2).await;
        let other = work.begin();
        seconds(3).await;
        drop(one);
        seconds(1).await;
        assert_eq!(work.busy(), Duration::from_secs(6), "also of those who are at work");
        drop(other);
        seconds(10).await;
        let third = work.begin();
        seconds(1).await;
        drop(third);
        assert_eq!(work.busy(), Duration::from_secs(7));
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_too_long_is_not_waited_for() {
        let work = Work::default();
        let _leave = work.begin();
        work.stop();
        assert!(!work.ended(Duration::from_secs(10)).await);
    }
}
