//! What is being worked on, so that stopping can wait for it.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Gives leave to work until it is stopped, and knows when the last worker is done.
#[derive(Default)]
pub(crate) struct Work {
    at_work: TaskTracker,
    stopping: CancellationToken,
}

impl Work {
    /// Gives leave to work, unless we are stopping; the token is dropped when the work is done.
    pub(crate) fn begin(&self) -> Option<TaskTrackerToken> {
        let leave = self.at_work.token();
        // Asked after the token is taken: whoever stops between the two waits for it.
        (!self.is_stopping()).then_some(leave)
    }

    /// Tells whether we are stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Waits for a while, or until we stop.
    pub(crate) async fn pause(&self, time: Duration) {
        let _ = tokio::time::timeout(time, self.stopping.cancelled()).await;
    }

    /// Gives no further leave.
    pub(crate) fn stop(&self) {
        self.stopping.cancel();
        self.at_work.close();
    }

    /// Waits until everybody who has leave is done; tells whether that was so in time.
    pub(crate) async fn ended(&self, within: Duration) -> bool {
        tokio::time::timeout(within, self.at_work.wait()).await.is_ok()
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
    async fn what_takes_too_long_is_not_waited_for() {
        let work = Work::default();
        let _leave = work.begin();
        work.stop();
        assert!(!work.ended(Duration::from_secs(10)).await);
    }
}
